#include "index/vector/segment_store.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "index/vector/file_io.h"

namespace perdure {
namespace {

bool IsOwnName(const std::string& name) {
  return name == kManifestName || name == std::string(kManifestName) + ".new" ||
         name.ends_with(".segment");
}

}  // namespace

SegmentStore::SegmentStore(std::string directory, const VectorIdentity& identity,
                           std::uint64_t segment_chunks)
    : directory_(std::move(directory)), identity_(identity) {
  manifest_.segment_chunks = segment_chunks;
}

Result<std::vector<std::string>> SegmentStore::OwnFiles() const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    if (std::string name = it->path().filename(); IsOwnName(name)) names.push_back(std::move(name));
  }
  if (error) {
    return Fail(Code::kUnavailable, "Cannot list " + directory_ + ": " + error.message() + ".");
  }
  std::ranges::sort(names);
  return names;
}

Status SegmentStore::LoadAll(const RowFormat& format, Loaded& loaded) {
  const auto fails = [&](const std::string& name, const std::string& what) {
    loaded.discarded.push_back(name + " " + what);
    return Fail(Code::kCorrupt, loaded.discarded.back());
  };
  const std::string manifest_name(kManifestName);
  auto manifest = ReadManifest(directory_, identity_);
  if (!manifest) return fails(manifest_name, manifest.error().message);
  if (manifest->segment_chunks != manifest_.segment_chunks) {
    return fails(manifest_name, "is of another segment size");
  }
  for (const SegmentFileEntry& entry : manifest->entries) {
    const bool placed = entry.first_chunk % manifest_.segment_chunks == 0;
    auto segment = ReadSegmentFile(directory_, entry, identity_, format, manifest_.segment_chunks);
    if (!placed) return fails(manifest_name, "names a segment that starts within another");
    if (!segment) return fails(SegmentFileName(entry), segment.error().message);
    loaded.segments.emplace(entry.first_chunk, std::move(*segment));
  }
  manifest_ = std::move(*manifest);
  return {};
}

Result<SegmentStore::Loaded> SegmentStore::Load(const RowFormat& format) {
  RETURN_IF_ERROR(MakeDirectory(directory_));
  ASSIGN_OR_RETURN(auto names, OwnFiles());
  Loaded loaded;
  if (names.empty()) return loaded;
  if (!LoadAll(format, loaded)) loaded.segments.clear();
  if (loaded.discarded.empty()) {
    std::erase(names, kManifestName);
    for (const SegmentFileEntry& entry : manifest_.entries) {
      std::erase(names, SegmentFileName(entry));
    }
  }
  garbage_ = std::move(names);
  RETURN_IF_ERROR(RemoveGarbage());
  return loaded;
}

Status SegmentStore::WriteChanges(const Changes& changes, Manifest& next) {
  for (const auto& [first_chunk, segment] : changes) {
    auto place =
        std::ranges::lower_bound(next.entries, first_chunk, {}, &SegmentFileEntry::first_chunk);
    if (place != next.entries.end() && place->first_chunk == first_chunk) {
      place = next.entries.erase(place);
    }
    if (segment == nullptr || segment->chunk_count() == 0) continue;
    SegmentFileEntry entry{first_chunk, next.next_generation++, 0, {}};
    // Never twice the same name, whatever becomes of this save: a manifest may have come to name
    // it.
    manifest_.next_generation = next.next_generation;
    garbage_.push_back(SegmentFileName(entry));
    ASSIGN_OR_RETURN(entry, WriteSegmentFile(directory_, entry, identity_, next.cursor, *segment));
    next.entries.insert(place, entry);
  }
  return SyncDirectory(directory_);
}

Status SegmentStore::Save(std::uint64_t cursor, const Changes& changes) {
  if (changes.empty() && cursor == manifest_.cursor) return RemoveGarbage();
  Manifest next = manifest_;
  next.cursor = cursor;
  RETURN_IF_ERROR(WriteChanges(changes, next));
  RETURN_IF_ERROR(WriteManifest(directory_, identity_, next));
  for (const SegmentFileEntry& entry : manifest_.entries) {
    garbage_.push_back(SegmentFileName(entry));
  }
  manifest_ = std::move(next);
  for (const SegmentFileEntry& entry : manifest_.entries) {
    std::erase(garbage_, SegmentFileName(entry));
  }
  return RemoveGarbage();
}

Status SegmentStore::RemoveGarbage() {
  if (garbage_.empty()) return {};
  for (const std::string& name : garbage_) RETURN_IF_ERROR(RemoveFile(PathOf(name)));
  RETURN_IF_ERROR(SyncDirectory(directory_));
  garbage_.clear();
  return {};
}

bool SegmentStore::Holds(std::uint64_t first_chunk) const {
  return std::ranges::binary_search(manifest_.entries, first_chunk, {},
                                    &SegmentFileEntry::first_chunk);
}

std::uint64_t SegmentStore::FileBytes() const {
  std::uint64_t bytes = 0;
  for (const SegmentFileEntry& entry : manifest_.entries) bytes += entry.bytes;
  return bytes;
}

}  // namespace perdure
