// Directories and names of files. What is made durable survives a power cut once the call returned.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace perdure {

// With its parents, durably; fine when it exists.
Status MakeDirectory(const std::string& path);
// Neither is durable before SyncDirectory.
Status RenameFile(const std::string& from, const std::string& to);
Status RemoveFile(const std::string& path);  // fine when it does not exist
Status RemoveTree(const std::string& path);  // likewise
Status SyncDirectory(const std::string& path);
Status SyncFile(const std::string& path);

}  // namespace perdure
