// Where a term occurs: the interface between the matcher and the parts of a text index.
#pragma once

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
  // Appends the postings below `end` to `postings` and moves past them.
  virtual void TakeBelow(ChunkNumber end, std::vector<Posting>& postings) = 0;
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

  void TakeBelow(ChunkNumber end, std::vector<Posting>& postings) override {
    std::size_t taken = 0;
    while (taken < rest_.size() && rest_[taken].chunk < end) postings.push_back(rest_[taken++]);
    rest_ = rest_.subspan(taken);
  }

  std::uint32_t CountAt(ChunkNumber chunk) override {
    while (!rest_.empty() && rest_.front().chunk < chunk) rest_ = rest_.subspan(1);
    return next() == chunk ? rest_.front().count : 0;
  }

 private:
  std::vector<Posting> owned_;
  std::span<const Posting> rest_;
};

}  // namespace perdure
