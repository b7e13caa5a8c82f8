#include "index/search/described.h"

#include <utility>

#include "engine/apply/memory_fold.h"

namespace perdure {
namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 20;

}  // namespace

Result<std::shared_ptr<const Description>> DescribedCache::Of(const Columns& columns,
                                                              const ReadView& view,
                                                              std::uint32_t version) {
  {
    const MutexLock lock(mutex_);
    if (const auto known = known_.find(version); known != known_.end()) return known->second;
  }
  const rows::Version& row = columns.versions[version];
  const Uuid id{columns.memories[row.memory].id};
  ASSIGN_OR_RETURN(const auto record, ReadMemory(view.now(), view.space(), id));
  if (!record) return nullptr;
  ASSIGN_OR_RETURN(auto read, ReadDescription(view.now(), view.space(), row.label_seq, *record));
  if (!read) return nullptr;
  const auto described = std::make_shared<const Description>(*std::move(read));
  const MutexLock lock(mutex_);
  // Forget comes after the columns know of the erasure, so that nothing is kept past it.
  if (columns.IsErased(row.memory)) return described;
  if (bytes_ > kBytesMax) {
    known_.clear();
    bytes_ = 0;
  }
  if (known_.emplace(version, described).second) bytes_ += described->bytes;
  return described;
}

void DescribedCache::Forget(const Columns& columns, std::uint32_t memory) {
  const MutexLock lock(mutex_);
  for (std::uint32_t state = columns.LatestState(memory); state != kNoRow;
       state = columns.states[state].previous) {
    const auto known = known_.find(columns.states[state].version);
    if (known == known_.end()) continue;
    bytes_ -= known->second->bytes;
    known_.erase(known);
  }
}

std::uint64_t DescribedCache::HeapBytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace perdure
