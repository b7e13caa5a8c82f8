#include "index/text/matcher.h"

#include <algorithm>
#include <array>
#include <bit>

namespace perdure {
namespace {

constexpr ChunkNumber kWindow = SlotTable::kBlockSize;
constexpr double kUnit = 1LL << 40;  // fixed-point 1.0; a sum of shares stays far below 2^63

using Fixed = std::int64_t;

Fixed ToFixed(double value) { return static_cast<Fixed>(value * kUnit); }
double FromFixed(Fixed value) { return static_cast<double>(value) / kUnit; }

struct Candidate {
  Fixed score = 0;
  Fixed coverage = 0;
  Fixed words = 0;
  ChunkNumber chunk = 0;
};

TextHit HitOf(const Candidate& c) {
  return {c.chunk, FromFixed(c.score), FromFixed(c.coverage), FromFixed(c.words)};
}

bool IsBetter(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.chunk < b.chunk;
}

class Matcher {
 public:
  Matcher(std::vector<MatchTerm> terms, const SlotTable& slots, const Bm25& bm25, std::size_t limit,
          double least_words, const ChunkFilter& allowed)
      : terms_(std::move(terms)),
        slots_(slots),
        bm25_(bm25),
        limit_(limit),
        least_words_(ToFixed(least_words)),
        allowed_(allowed) {
    std::ranges::sort(terms_, {}, &MatchTerm::share);
    bounds_.push_back(0);
    for (const auto& term : terms_) bounds_.push_back(bounds_.back() + ToFixed(term.share) + 1);
  }

  std::vector<TextHit> Run() {
    if (limit_ == 0) return {};
    while (true) {
      const ChunkNumber next = NextChunk();
      if (next == kNoChunk) break;
      begin_ = next / kWindow * kWindow;
      block_ = slots_.block(next / kWindow);
      for (std::size_t i = first_essential_; i < terms_.size(); ++i) TakeWindow(terms_[i]);
      ProbeOptionalTerms();
      CollectWindow();
      while (first_essential_ < terms_.size() && bounds_[first_essential_ + 1] <= threshold_) {
        ++first_essential_;
      }
    }
    std::ranges::sort(best_, IsBetter);
    std::vector<TextHit> hits;
    hits.reserve(best_.size());
    for (const auto& c : best_) hits.push_back(HitOf(c));
    return hits;
  }

 private:
  ChunkNumber NextChunk() const {
    ChunkNumber next = kNoChunk;
    for (std::size_t i = first_essential_; i < terms_.size(); ++i) {
      for (const auto& layer : terms_[i].layers) next = std::min(next, layer.source->next());
    }
    return next;
  }

  void Score(const MatchTerm& term, std::uint32_t count, const Slot& slot, std::size_t offset) {
    scores_[offset] += ToFixed(term.share * bm25_.Saturation(count, slot.length));
    coverages_[offset] += ToFixed(term.share);
    words_[offset] += ToFixed(term.word_share);
  }

  void TakeWindow(MatchTerm& term) {
    const ChunkNumber end = begin_ > kNoChunk - kWindow ? kNoChunk : begin_ + kWindow;
    for (auto& layer : term.layers) {
      if (layer.source->next() >= end) continue;
      const auto taken = layer.source->TakeBelow(end, buffer_);
      if (block_ == nullptr) continue;
      for (const auto& posting : taken) {
        const std::size_t offset = posting.chunk - begin_;
        const Slot& slot = (*block_)[offset];
        if (!IsLive(layer, slot)) continue;
        touched_[offset / 64] |= std::uint64_t{1} << offset % 64;
        Score(term, posting.count, slot, offset);
      }
    }
  }

  template <typename Visit>
  void ForEachTouched(Visit visit) {
    for (std::size_t word = 0; word < touched_.size(); ++word) {
      for (auto bits = touched_[word]; bits != 0; bits &= bits - 1) {
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

  // Adds the terms that alone cannot lift a chunk into the answer, where they still matter.
  void ProbeOptionalTerms() {
    for (std::size_t i = first_essential_; i-- > 0;) {
      ForEachTouched([&](std::size_t offset) {
        if (scores_[offset] + bounds_[i + 1] <= threshold_) return;
        const Slot& slot = (*block_)[offset];
        for (auto& layer : terms_[i].layers) {
          if (!IsLive(layer, slot)) continue;
          const auto chunk = static_cast<ChunkNumber>(begin_ + offset);
          const std::uint32_t count = layer.source->CountAt(chunk);
          if (count > 0) Score(terms_[i], count, slot, offset);
        }
      });
    }
  }

  void CollectWindow() {
    ForEachTouched([&](std::size_t offset) {
      const auto chunk = static_cast<ChunkNumber>(begin_ + offset);
      if (scores_[offset] > threshold_ && words_[offset] >= least_words_ && allowed_(chunk)) {
        Push({scores_[offset], coverages_[offset], words_[offset], chunk});
      }
      scores_[offset] = 0;
      coverages_[offset] = 0;
      words_[offset] = 0;
    });
    touched_.fill(0);
  }

  // Chunks come in ascending order, so that of equal scores the first stays.
  void Push(const Candidate& candidate) {
    if (best_.size() == limit_) {
      std::ranges::pop_heap(best_, IsBetter);
      best_.pop_back();
    }
    best_.push_back(candidate);
    std::ranges::push_heap(best_, IsBetter);
    if (best_.size() == limit_) threshold_ = best_.front().score;
  }

  std::vector<MatchTerm> terms_;  // by ascending share
  const SlotTable& slots_;
  const Bm25& bm25_;
  std::size_t limit_;
  Fixed least_words_;
  const ChunkFilter& allowed_;

  std::vector<Fixed> bounds_;        // [i]: the most that terms 0..i-1 can add up to
  std::size_t first_essential_ = 0;  // terms before cannot lift a chunk above the threshold
  Fixed threshold_ = 0;              // the score to beat
  std::vector<Candidate> best_;      // a heap with the worst on top

  ChunkNumber begin_ = 0;  // of the window
  const SlotTable::Block* block_ = nullptr;
  std::vector<Posting> buffer_;
  std::array<Fixed, kWindow> scores_ = {};
  std::array<Fixed, kWindow> coverages_ = {};
  std::array<Fixed, kWindow> words_ = {};
  std::array<std::uint64_t, kWindow / 64> touched_ = {};
};

}  // namespace

std::vector<TextHit> BestMatches(std::vector<MatchTerm> terms, const SlotTable& slots,
                                 const Bm25& bm25, std::size_t limit, double least_words,
                                 const ChunkFilter& allowed) {
  return Matcher(std::move(terms), slots, bm25, limit, least_words, allowed).Run();
}

std::vector<TextHit> ScoreChunks(std::vector<MatchTerm> terms, const SlotTable& slots,
                                 const Bm25& bm25, std::span<const ChunkNumber> chunks) {
  std::vector<TextHit> hits;
  for (const ChunkNumber chunk : chunks) {
    const Slot slot = slots.Get(chunk);
    Candidate found{0, 0, 0, chunk};
    for (auto& term : terms) {
      for (auto& layer : term.layers) {
        if (!IsLive(layer, slot)) continue;
        const std::uint32_t count = layer.source->CountAt(chunk);
        if (count == 0) continue;
        found.score += ToFixed(term.share * bm25.Saturation(count, slot.length));
        found.coverage += ToFixed(term.share);
        found.words += ToFixed(term.word_share);
      }
    }
    if (found.score == 0) continue;
    hits.push_back(HitOf(found));
  }
  return hits;
}

}  // namespace perdure
