#include "tools/source/follow.h"

#include <chrono>
#include <utility>

#include "tools/source/folder_watch.h"

namespace perdure {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuiet{150};  // an editor's steps of one save are closer together
constexpr milliseconds kRetry{5'000};
constexpr milliseconds kLong{24 * 3'600'000};

// The folders as they are listed and watched: whatever changes later is told.
Result<FolderListing> ListWatched(const FolderSource& source, FolderWatch& watch) {
  ASSIGN_OR_RETURN(const PatternList patterns, PatternList::Of(source.patterns));
  ASSIGN_OR_RETURN(FolderListing listing, ListFolder(source.root, patterns));
  while (true) {
    RETURN_IF_ERROR(watch.Follow(source.root, listing.folders));
    ASSIGN_OR_RETURN(FolderListing again, ListFolder(source.root, patterns));
    const bool is_settled = again.folders == listing.folders;
    listing = std::move(again);
    if (is_settled) return listing;
  }
}

Result<SyncReport> Pass(const FolderSource& source, FolderWatch& watch, const CallOperation& call) {
  ASSIGN_OR_RETURN(const FolderListing listing, ListWatched(source, watch));
  return SyncSource(source, listing, call);
}

}  // namespace

Status FollowSource(const FolderSource& source, const CallOperation& call, const OnPass& on_pass,
                    int stop_fd) {
  ASSIGN_OR_RETURN(FolderWatch watch, FolderWatch::Open());
  while (true) {
    const auto report = Pass(source, watch, call);
    on_pass(report);
    if (watch.Wait(kQuiet, report ? kLong : kRetry, stop_fd) == Woken::kStop) return {};
  }
}

}  // namespace perdure
