// The readers of foreign files, one file each, and what they share.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "tools/import/rows.h"

namespace perdure::readers {

Result<std::string> WholeFile(const std::string& path);
// Calls `take` with each line that is not blank and its number.
Status EachLine(const std::string& path,
                const std::function<Status(std::uint64_t, std::string_view)>& take);

// A row that cannot be read.
ImportRow Problem(std::uint64_t line, std::string why);
// A note; a row with a problem when the text is empty.
ImportRow NoteRow(std::uint64_t line, const std::string& text);

// Sets an argument unless the value is an empty text, or no text at all.
void SetText(nlohmann::json& arguments, const char* name, const nlohmann::json& from,
             const char* member);
// A time in any of the usual forms becomes one of ours; what is none is left out.
void SetTime(nlohmann::json& arguments, const char* name, const nlohmann::json& from,
             const char* member);

Status ServerMemory(const std::string& path, const TakeRow& take);
Status Mem0(const std::string& path, const TakeRow& take);
Status Memorizer(const std::string& path, const TakeRow& take);
Status List(const std::string& path, const TakeRow& take);
Status Folder(const std::string& path, const TakeRow& take);
Status Jsonl(const std::string& path, const std::string& fields, const TakeRow& take);
Status Csv(const std::string& path, const std::string& fields, const TakeRow& take);

}  // namespace perdure::readers
