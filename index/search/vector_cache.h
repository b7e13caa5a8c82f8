// Vectors that were computed once, by what they were computed from, so that a rebuilt index embeds
// nothing again. One cache a space and model; whatever it loses is only work.
//
//   NAME.keys     slot*     slot := key(16) memory(16) check(8), zeros when free
//   NAME.vectors  vector*   vector := int16 * dimensions, little endian, value * 32767
//   key   = value key of (weights hash, text); see MakeValueKey
//   check = the first 8 bytes of SHA-256(key memory vector)
//
// A memory's vectors are overwritten with zeros, synced, when it is erased; its slots are used
// again. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "index/embed/embedder.h"
#include "index/search/row_map.h"

namespace perdure {

// The nearest vector that the cache can hold. What enters an index was rounded by it first, so that
// it makes no difference whether a vector was in the cache.
std::vector<float> RoundVector(std::span<const float> vector);

class VectorCache {
  struct OpenOnly {
    explicit OpenOnly() = default;
  };

 public:
  VectorCache(OpenOnly, std::string path, std::size_t dimensions)
      : path_(std::move(path)), dimensions_(dimensions) {}
  ~VectorCache();

  static Result<std::unique_ptr<VectorCache>> Open(const std::string& directory,
                                                   const EmbedderInfo& model);
  static ValueKey KeyOf(const Secret& secret, const EmbedderInfo& model, std::string_view text);

  // Reads the keys when it is first called: 20 ms for a million vectors.
  std::optional<std::vector<float>> Get(const ValueKey& key);
  // A rounded vector that Get did not find.
  Status Put(const ValueKey& key, const Uuid& memory, std::span<const float> vector);

  // When this returns, no file of any model's cache in `directory` holds a vector put for one of
  // these memories.
  static Status EraseAll(const std::string& directory, std::span<const Uuid> memories,
                         VectorCache& open);

  std::uint64_t Bytes() const;

 private:
  struct Slot {
    ValueKey key;
    Uuid memory;
    std::uint64_t check;
  };

  using SlotVisitor = std::function<Status(std::uint32_t slot, const Slot& row)>;

  static Result<std::unique_ptr<VectorCache>> OpenPath(std::string path, std::size_t dimensions);
  // Returns how many.
  Result<std::uint32_t> ForEachSlot(const SlotVisitor& visit) REQUIRES(mutex_);
  Status Load() REQUIRES(mutex_);
  Status Erase(std::span<const Uuid> memories);
  std::size_t VectorBytes() const { return dimensions_ * sizeof(std::int16_t); }
  Result<Slot> ReadSlot(std::uint32_t slot) const;
  std::uint32_t Find(const ValueKey& key) const REQUIRES(mutex_);
  static std::uint64_t Check(const ValueKey& key, const Uuid& memory, std::string_view vector);

  std::string path_;
  std::size_t dimensions_;
  int keys_fd_ = -1;
  int vectors_fd_ = -1;

  mutable Mutex mutex_;
  bool loaded_ GUARDED_BY(mutex_) = false;
  std::vector<std::uint64_t> hashes_ GUARDED_BY(mutex_);  // by slot; 0: free
  std::vector<std::uint32_t> free_ GUARDED_BY(mutex_);
  RowMap slots_ GUARDED_BY(mutex_);
};

}  // namespace perdure
