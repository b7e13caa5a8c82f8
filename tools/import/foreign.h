// What people bring from elsewhere: files of other programs, read into rows. What a file says that
// no memory here can have is left out; a row that cannot be read is one with a problem.
#pragma once

#include <string>
#include <vector>

#include "tools/import/rows.h"

namespace perdure {

// A form of file by the name that --format takes.
struct ForeignFormat {
  std::string name;
  std::string description;
};
std::vector<ForeignFormat> ForeignFormats();

// `fields`: for jsonl and csv, which of their fields is which argument, "text=body,title=name";
// a field that is not named goes into the metadata. kInvalidArgument for an unknown format, and
// for a file that is not of it as a whole.
Status ReadForeign(const std::string& format, const std::string& path, const std::string& fields,
                   const TakeRow& take);

}  // namespace perdure
