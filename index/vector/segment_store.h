// The directory of a vector index: one file a segment, never changed once written, and a manifest.
// A save writes new files, then the manifest, then removes what it no longer names. Files that are
// not the index's are left alone. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "index/vector/segment.h"
#include "index/vector/segment_file.h"

namespace perdure {

using SegmentMap = std::map<std::uint64_t, std::unique_ptr<Segment>>;  // by first chunk

class SegmentStore {
 public:
  SegmentStore(std::string directory, const VectorIdentity& identity, std::uint64_t segment_chunks);

  struct Loaded {
    SegmentMap segments;
    std::vector<std::string> discarded;  // "FILE what is wrong", empty when all was well
  };
  // One bad file discards all: the cursor is then 0 and the directory empty.
  Result<Loaded> Load(const RowFormat& format);

  // The segments that changed, by first chunk; null or empty: it goes. On an error the old state
  // stands on disk, and the next save repeats what was left undone.
  using Changes = std::vector<std::pair<std::uint64_t, const Segment*>>;
  Status Save(std::uint64_t cursor, const Changes& changes);

  bool Holds(std::uint64_t first_chunk) const;
  std::uint64_t cursor() const { return manifest_.cursor; }
  std::uint64_t FileBytes() const;

 private:
  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }
  Result<std::vector<std::string>> OwnFiles() const;
  Status LoadAll(const RowFormat& format, Loaded& loaded);
  Status WriteChanges(const Changes& changes, Manifest& next);
  Status RemoveGarbage();

  std::string directory_;
  VectorIdentity identity_;
  Manifest manifest_;
  std::vector<std::string> garbage_;  // files to remove once no manifest on disk can name them
};

}  // namespace perdure
