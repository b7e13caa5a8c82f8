// The absolute score: BM25 as a share of the most that the query could reach, in 0..1 and of the
// same meaning for every query:
//
//   idf(n)  = ln(1 + (N - n + .5) / (n + .5))
//   BM25(i) = sum over terms of idf * weight * (k1 + 1) * count / (count + k1 * (1 - b + b * length
//             / mean))                                       (Robertson, Walker et al., TREC-3,
//             1994)
//   L(i)    = BM25(i) / sum over terms of idf * weight * (k1 + 1)
//
// with k1 = 2 for documents (mean length 90 or more), else 1.2, and b = 1 where lengths vary much
// (standard deviation over .8 of the mean), else .5. The factor k1 + 1 cancels.
#pragma once

#include <cmath>
#include <cstdint>

namespace perdure {

// Whole numbers, so that they do not depend on the order in which chunks came and went.
struct LengthStatistics {
  std::uint64_t count = 0;
  std::uint64_t total = 0;
  std::uint64_t squares = 0;

  void Add(std::uint64_t length) {
    ++count;
    total += length;
    squares += length * length;
  }
  void Remove(std::uint64_t length) {
    --count;
    total -= length;
    squares -= length * length;
  }

  friend bool operator==(const LengthStatistics&, const LengthStatistics&) = default;
};

class Bm25 {
 public:
  explicit Bm25(const LengthStatistics& lengths) : count_(static_cast<double>(lengths.count)) {
    if (lengths.count == 0) return;
    const double mean = static_cast<double>(lengths.total) / count_;
    const double variance = static_cast<double>(lengths.squares) / count_ - mean * mean;
    const double k1 = mean >= 90 ? 2 : 1.2;
    const double b = std::sqrt(std::fmax(variance, 0)) > .8 * mean ? 1 : .5;
    least_ = k1 * (1 - b);
    slope_ = k1 * b / mean;
  }

  double Idf(std::uint64_t chunks_with_term) const {
    const auto n = static_cast<double>(chunks_with_term);
    return std::log(1 + (count_ - n + .5) / (n + .5));
  }

  // In 0..1: how much of a term's weight `count` occurrences in a chunk of `length` earn.
  double Saturation(std::uint32_t count, std::uint32_t length) const {
    return count / (count + least_ + slope_ * length);
  }

 private:
  double count_ = 0;
  double least_ = .6;  // k1 * (1 - b)
  double slope_ = .6;  // k1 * b / mean
};

}  // namespace perdure
