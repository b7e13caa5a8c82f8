// Where a term occurs: the interface between the matcher and the parts of a text index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace perdure {

using ChunkNumber = std::uint32_t;
inline constexpr ChunkNumber kNoChunk = std::numeric_limits<ChunkNumber>::max();

struct Posting {
  ChunkNumber chunk = 0;
  std::uint32_t count = 0;
};

// A forward cursor over the postings of one term, in ascending order of chunks. A source that
// fails behaves as if it had ended and tells its owner.
class PostingSource {
 public:
  virtual ~PostingSource() = default;

  // The chunk that the cursor stands at, or kNoChunk at the end.
  virtual ChunkNumber next() const = 0;
  // The postings below `end`, which it moves past. They lie in `buffer` or in the source itself.
  virtual std::span<const Posting> TakeBelow(ChunkNumber end, std::vector<Posting>& buffer) = 0;
  // Moves to the first posting at or above `chunk`; its count if it is `chunk`'s, else 0.
  virtual std::uint32_t CountAt(ChunkNumber chunk) = 0;
};

// Over postings in memory, which must outlive the source unless given away to it.
class MemoryPostings final : public PostingSource {
 public:
  explicit MemoryPostings(std::span<const Posting> postings) : rest_(postings) {}
  explicit MemoryPostings(std::vector<Posting> postings)
      : owned_(std::move(postings)), rest_(owned_) {}
  ~MemoryPostings() override = default;
  MemoryPostings(const MemoryPostings&) = delete;
  MemoryPostings& operator=(const MemoryPostings&) = delete;

  ChunkNumber next() const override { return rest_.empty() ? kNoChunk : rest_.front().chunk; }

  std::span<const Posting> TakeBelow(ChunkNumber end, std::vector<Posting>&) override {
    const auto taken = rest_.first(CountBelow(end));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  std::uint32_t CountAt(ChunkNumber chunk) override {
    rest_ = rest_.subspan(CountBelow(chunk));
    return next() == chunk ? rest_.front().count : 0;
  }

 private:
  // Galloping: steps that double, then halving (Bentley and Yao, 1976).
  std::size_t CountBelow(ChunkNumber end) const {
    std::size_t high = 1;
    while (high <= rest_.size() && rest_[high - 1].chunk < end) high *= 2;
    const auto found = std::ranges::lower_bound(
        rest_.subspan(high / 2, std::min(high, rest_.size()) - high / 2), end, {}, &Posting::chunk);
    return static_cast<std::size_t>(found - rest_.begin());
  }

  std::vector<Posting> owned_;
  std::span<const Posting> rest_;
};

}  // namespace perdure
