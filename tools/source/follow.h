// Follows the folder of a source as it changes.
#pragma once

#include <functional>

#include "engine/base/result.h"
#include "tools/source/sync.h"

namespace perdure {

// Told what every pass over the folder came to.
using OnPass = std::function<void(const Result<SyncReport>& report)>;

// Scans the source, then again whenever something in its folder changes, until `stop_fd` becomes
// readable. A pass that failed (the folder is gone, the store takes no calls) changes nothing, and
// is tried again after some seconds. An error only when folders cannot be watched at all.
Status FollowSource(const FolderSource& source, const CallOperation& call, const OnPass& on_pass,
                    int stop_fd);

}  // namespace perdure
