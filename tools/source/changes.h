// What a source must be told, given what it knows and what lies in the folder. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace perdure {

// A memory of the source.
struct KnownFile {
  std::string id;
  std::string path;
  std::string state;   // "live", "archived", or another one
  std::string digest;  // of the text
  std::string title;
};

// A file of the folder.
struct SeenFile {
  std::string path;
  std::string digest;
  std::string title;
};

enum class FileAction { kStore, kEdit, kRename, kArchive, kRestore };

struct FileChange {
  FileAction action;
  std::string path;  // of the file; where it is now
  std::string id;    // of the memory; empty for kStore

  friend bool operator==(const FileChange&, const FileChange&) = default;
};

// In the order in which they are to be done. `unread` are files that are there but could not be
// read: their memories stay as they are.
//
// - A path keeps its memory: another text or title is an edit, however the bytes got there.
// - A path that is new, with the text of one that is gone: renamed. What was archived counts, too,
//   since the two halves of a rename may be seen one after the other.
// - Else a new path is a new memory, and a path that is gone archives its own. One that comes back
//   is restored, and edited when it says something else.
// - A memory in any other state (one that waits for a reviewer, or was rejected) stands for its
//   path as long as the text is the same, and is left alone.
std::vector<FileChange> ChangesOf(std::span<const KnownFile> known, std::span<const SeenFile> seen,
                                  std::span<const std::string> unread);

}  // namespace perdure
