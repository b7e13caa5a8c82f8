#include "tools/source/changes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace perdure {
namespace {

class Comparison {
 public:
  Comparison(std::span<const KnownFile> known, std::span<const SeenFile> seen,
             std::span<const std::string> unread) {
    for (const SeenFile& file : seen) present_.insert(file.path);
    present_.insert(unread.begin(), unread.end());
    for (const KnownFile& file : known) {
      auto& group = file.state == "live" ? live_ : file.state == "archived" ? archived_ : others_;
      group.emplace(file.path, &file);
    }
  }

  std::vector<FileChange> Run(std::span<const SeenFile> seen) {
    for (const SeenFile& file : seen) Place(file);
    for (const auto& [path, known] : live_) {
      if (!present_.contains(path) && !taken_.contains(known)) {
        Add(FileAction::kArchive, std::string(path), *known);
      }
    }
    return std::move(changes_);
  }

 private:
  using ByPath = std::multimap<std::string_view, const KnownFile*>;

  void Place(const SeenFile& file) {
    if (const auto at = live_.find(file.path); at != live_.end()) return Update(*at->second, file);
    const auto [first, last] = others_.equal_range(file.path);
    if (std::any_of(first, last, [&](const auto& other) { return Same(*other.second, file); })) {
      return;
    }
    if (const auto at = archived_.find(file.path); at != archived_.end()) {
      return Return(*at->second, file);
    }
    if (const KnownFile* moved = Gone(live_, file)) {
      taken_.insert(moved);
      return Add(FileAction::kRename, file.path, *moved);
    }
    if (const KnownFile* moved = Gone(archived_, file)) return Return(*moved, file);
    changes_.push_back({FileAction::kStore, file.path, {}});
  }

  void Return(const KnownFile& known, const SeenFile& file) {
    taken_.insert(&known);
    Add(FileAction::kRestore, file.path, known);
    if (known.path != file.path) return Add(FileAction::kRename, file.path, known);
    Update(known, file);
  }

  void Update(const KnownFile& known, const SeenFile& file) {
    if (known.digest != file.digest || known.title != file.title) {
      Add(FileAction::kEdit, file.path, known);
    }
  }

  // One with this text whose own path is gone, and which no other file has taken.
  const KnownFile* Gone(const ByPath& group, const SeenFile& file) const {
    for (const auto& [path, known] : group) {
      if (!present_.contains(path) && !taken_.contains(known) && Same(*known, file)) return known;
    }
    return nullptr;
  }

  static bool Same(const KnownFile& known, const SeenFile& file) {
    return known.digest == file.digest;
  }

  void Add(FileAction action, std::string path, const KnownFile& known) {
    changes_.push_back({action, std::move(path), known.id});
  }

  std::set<std::string, std::less<>> present_;
  ByPath live_;
  ByPath archived_;
  ByPath others_;
  std::set<const KnownFile*> taken_;
  std::vector<FileChange> changes_;
};

}  // namespace

std::vector<FileChange> ChangesOf(std::span<const KnownFile> known, std::span<const SeenFile> seen,
                                  std::span<const std::string> unread) {
  return Comparison(known, seen, unread).Run(seen);
}

}  // namespace perdure
