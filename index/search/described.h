// What filters ask of a memory that the columns do not know: metadata, source, and when it
// happened. Read from the store when it is first asked for, then kept in memory, within bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/read/description.h"
#include "index/search/columns.h"

namespace perdure {

// Thread-safe.
class DescribedCache {
 public:
  // Of a row of versions; nullptr when its payload is gone.
  Result<std::shared_ptr<const Description>> Of(const Columns& columns, const ReadView& view,
                                                std::uint32_t version);
  // Drops what is known of an erased memory, for good.
  void Forget(const Columns& columns, std::uint32_t memory);

  std::uint64_t HeapBytes() const;

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::uint32_t, std::shared_ptr<const Description>> known_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace perdure
