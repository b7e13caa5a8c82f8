// Makes a source's memories say what its folder holds.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "tools/source/changes.h"
#include "tools/source/folder.h"

namespace perdure {

// A source as source_list tells it.
struct FolderSource {
  std::uint64_t source = 0;
  std::string store;
  std::string root;
  std::vector<std::string> patterns;
};
FolderSource FolderSourceOf(const nlohmann::json& listed);

// Of one file: what was done, or why it was not.
struct FileOutcome {
  std::string path;
  std::string action;  // "store", "edit", "rename", "archive", "restore"
  std::string id;
  std::string problem;        // empty: it was done
  bool is_candidate = false;  // it waits for a reviewer
};

struct SyncReport {
  std::uint64_t files = 0;            // of the folder that are, or could be, memories
  std::vector<FileOutcome> outcomes;  // of changes
  std::vector<FileProblem> problems;  // of files that could not be read
};

// Calls an operation of the catalogue.
using CallOperation = std::function<Result<nlohmann::json>(const std::string& operation,
                                                           const nlohmann::json& arguments)>;

// Reads what `listing` names below the source's root, asks which of it is known, and sends the
// rest, in batches. Files that cannot be read are reported and leave their memories as they are.
// With `dry_run` nothing is sent. An error is one of the whole: the store takes no calls, say.
Result<SyncReport> SyncSource(const FolderSource& source, const FolderListing& listing,
                              const CallOperation& call, bool dry_run = false);

}  // namespace perdure
