// The files of a folder: which there are, and what they hold.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "tools/source/patterns.h"

namespace perdure {

inline constexpr std::size_t kFolderDepthMax = 64;

// What could not be read, and why. It stops nothing.
struct FileProblem {
  std::string path;  // from the root
  std::string why;
};

struct FolderListing {
  std::vector<std::string> paths;    // of admitted files, from the root, ascending
  std::vector<std::string> folders;  // that were walked, from the root, which is ""
  std::vector<FileProblem> problems;
};

// Hidden folders are walked; .git, node_modules and other folders of dependencies are not, nor are
// links to folders. A link to a file is listed like a file; where it leads is seen when it is read.
// kNotFound when the root itself is no folder that can be read.
Result<FolderListing> ListFolder(const std::string& root, const PatternList& patterns);

// A file's bytes: UTF-8, not empty, at most limits::kTextBytesMax. The error is what to report:
// kNotFound when it is not there any more, kForbidden when it cannot be read or lies, by a link,
// outside of the root, kInvalidArgument when it can be no memory.
Result<std::string> ReadListed(const std::string& root, const std::string& path);

// The first heading of a Markdown text, front matter aside, else `path`.
std::string TitleOfFile(std::string_view text, const std::string& path);

}  // namespace perdure
