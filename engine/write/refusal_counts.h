// How often each rule turned a write down since the start, for metrics. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/decide/outcome.h"
#include "engine/decide/refusal.h"

namespace perdure {

class RefusalCounts {
 public:
  void Count(const Result<WriteOutcome>& answer) {
    if (!answer) {
      if (const auto rule = RuleOf(answer.error())) Add(static_cast<std::uint16_t>(*rule));
      return;
    }
    for (const MemoryOutcome& member : answer->memories) {
      if (member.fact == FactOutcome::kRefused) Add(member.rule);
    }
  }
  // Every rule's name and how often it refused.
  std::vector<std::pair<std::string_view, std::uint64_t>> All() const {
    std::vector<std::pair<std::string_view, std::uint64_t>> all;
    for (std::uint16_t rule = 1; rule <= kRules; ++rule) {
      all.emplace_back(FactsOf(static_cast<Rule>(rule)).name,
                       counts_[rule].load(std::memory_order_relaxed));
    }
    return all;
  }

 private:
  void Add(std::uint16_t rule) { counts_.at(rule).fetch_add(1, std::memory_order_relaxed); }

  std::array<std::atomic<std::uint64_t>, kRules + 1> counts_{};
};

}  // namespace perdure
