#include "server/api/sequence_diff.h"

#include <algorithm>
#include <cstdint>
#include <dtl/dtl.hpp>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

namespace perdure {
namespace {

using Token = std::uint32_t;

// dtl gives up its guarantees once it has noted two million coordinates; a part with fewer than
// this many pairs never gets there.
constexpr std::size_t kPairsMax = 1'500'000;

constexpr int kDepthMax = 16;  // of parts within parts

struct Range {
  std::size_t a_begin;
  std::size_t a_end;
  std::size_t b_begin;
  std::size_t b_end;
  int depth = 0;
};

class Differ {
 public:
  Differ(std::vector<Token> a, std::vector<Token> b) : a_(std::move(a)), b_(std::move(b)) {}

  std::vector<DiffRun> Run() {
    Compare({0, a_.size(), 0, b_.size()});
    return Ordered();
  }

 private:
  void Put(DiffKind kind, std::size_t a, std::size_t b, std::size_t count) {
    if (count == 0) return;
    if (!runs_.empty()) {
      DiffRun& last = runs_.back();
      const bool goes_on = last.kind == kind &&
                           (kind == DiffKind::kAdded || last.a + last.count == a) &&
                           (kind == DiffKind::kDeleted || last.b + last.count == b);
      if (goes_on) {
        last.count += count;
        return;
      }
    }
    runs_.push_back({kind, a, b, count});
  }

  void Compare(Range range) {
    const std::size_t begin = range.a_begin;
    while (range.a_begin < range.a_end && range.b_begin < range.b_end &&
           a_[range.a_begin] == b_[range.b_begin]) {
      ++range.a_begin;
      ++range.b_begin;
    }
    const std::size_t prefix = range.a_begin - begin;
    Put(DiffKind::kKept, begin, range.b_begin - prefix, prefix);
    std::size_t suffix = 0;
    while (range.a_begin < range.a_end && range.b_begin < range.b_end &&
           a_[range.a_end - 1] == b_[range.b_end - 1]) {
      --range.a_end;
      --range.b_end;
      ++suffix;
    }
    CompareMiddle(range);
    Put(DiffKind::kKept, range.a_end, range.b_end, suffix);
  }

  void CompareMiddle(const Range& range) {
    const std::size_t deleted = range.a_end - range.a_begin;
    const std::size_t added = range.b_end - range.b_begin;
    if (deleted != 0 && added != 0) {
      if ((deleted + 1) * (added + 1) <= kPairsMax) return CompareShortest(range);
      if (range.depth < kDepthMax) {
        const auto anchors = Anchors(range);
        if (!anchors.empty()) return CompareBetween(range, anchors);
      }
    }
    Put(DiffKind::kDeleted, range.a_begin, range.b_begin, deleted);
    Put(DiffKind::kAdded, range.a_end, range.b_begin, added);
  }

  void CompareShortest(const Range& range) {
    const auto at = [](const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
      return std::vector<Token>(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                tokens.begin() + static_cast<std::ptrdiff_t>(end));
    };
    dtl::Diff<Token> diff(at(a_, range.a_begin, range.a_end), at(b_, range.b_begin, range.b_end));
    diff.compose();
    std::size_t a = range.a_begin;
    std::size_t b = range.b_begin;
    for (const auto& [token, info] : diff.getSes().getSequence()) {
      const DiffKind kind = info.type == dtl::SES_COMMON   ? DiffKind::kKept
                            : info.type == dtl::SES_DELETE ? DiffKind::kDeleted
                                                           : DiffKind::kAdded;
      Put(kind, a, b, 1);
      if (kind != DiffKind::kAdded) ++a;
      if (kind != DiffKind::kDeleted) ++b;
    }
  }

  // Pairs of places of tokens that occur once on both sides, as many as keep their order.
  std::vector<std::pair<std::size_t, std::size_t>> Anchors(const Range& range) const {
    struct Places {
      std::size_t count_a = 0;
      std::size_t count_b = 0;
      std::size_t b = 0;
    };
    std::unordered_map<Token, Places> places;
    for (std::size_t i = range.a_begin; i < range.a_end; ++i) ++places[a_[i]].count_a;
    for (std::size_t i = range.b_begin; i < range.b_end; ++i) {
      Places& place = places[b_[i]];
      ++place.count_b;
      place.b = i;
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = range.a_begin; i < range.a_end; ++i) {
      const Places& place = places[a_[i]];
      if (place.count_a == 1 && place.count_b == 1) pairs.emplace_back(i, place.b);
    }
    return LongestIncreasing(pairs);
  }

  // By patience sorting on the second member; the first is increasing already.
  static std::vector<std::pair<std::size_t, std::size_t>> LongestIncreasing(
      const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> tops;  // of each pile: an index into pairs
    std::vector<std::size_t> before(pairs.size(), kNone);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto pile = std::ranges::lower_bound(
          tops, pairs[i].second, {}, [&](std::size_t top) { return pairs[top].second; });
      if (pile != tops.begin()) before[i] = *std::prev(pile);
      if (pile == tops.end()) {
        tops.push_back(i);
      } else {
        *pile = i;
      }
    }
    std::vector<std::pair<std::size_t, std::size_t>> longest;
    for (std::size_t i = tops.empty() ? kNone : tops.back(); i != kNone; i = before[i]) {
      longest.push_back(pairs[i]);
    }
    std::ranges::reverse(longest);
    return longest;
  }

  void CompareBetween(const Range& range,
                      const std::vector<std::pair<std::size_t, std::size_t>>& anchors) {
    std::size_t a = range.a_begin;
    std::size_t b = range.b_begin;
    for (const auto& [anchor_a, anchor_b] : anchors) {
      Compare({a, anchor_a, b, anchor_b, range.depth + 1});
      Put(DiffKind::kKept, anchor_a, anchor_b, 1);
      a = anchor_a + 1;
      b = anchor_b + 1;
    }
    Compare({a, range.a_end, b, range.b_end, range.depth + 1});
  }

  // Between two kept runs: one of all deletions, then one of all additions.
  std::vector<DiffRun> Ordered() const {
    std::vector<DiffRun> ordered;
    for (std::size_t i = 0; i < runs_.size();) {
      if (runs_[i].kind == DiffKind::kKept) {
        ordered.push_back(runs_[i++]);
        continue;
      }
      const DiffRun& first = runs_[i];
      std::size_t deleted = 0;
      std::size_t added = 0;
      for (; i < runs_.size() && runs_[i].kind != DiffKind::kKept; ++i) {
        (runs_[i].kind == DiffKind::kDeleted ? deleted : added) += runs_[i].count;
      }
      if (deleted != 0) ordered.push_back({DiffKind::kDeleted, first.a, first.b, deleted});
      if (added != 0) ordered.push_back({DiffKind::kAdded, first.a + deleted, first.b, added});
    }
    return ordered;
  }

  std::vector<Token> a_;
  std::vector<Token> b_;
  std::vector<DiffRun> runs_;
};

}  // namespace

std::vector<DiffRun> DiffSequences(std::span<const std::string_view> a,
                                   std::span<const std::string_view> b) {
  std::unordered_map<std::string_view, Token> numbers;
  const auto numbered = [&](std::span<const std::string_view> texts) {
    std::vector<Token> tokens;
    tokens.reserve(texts.size());
    for (const std::string_view text : texts) {
      tokens.push_back(numbers.emplace(text, static_cast<Token>(numbers.size())).first->second);
    }
    return tokens;
  };
  std::vector<Token> of_a = numbered(a);
  std::vector<Token> of_b = numbered(b);
  return Differ(std::move(of_a), std::move(of_b)).Run();
}

}  // namespace perdure
