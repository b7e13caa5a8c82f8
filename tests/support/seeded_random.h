// Random bytes that are the same in every run.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <span>

#include "engine/base/random.h"

namespace perdure::testing {

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed = 1) : generator_(seed) {}

  void Fill(std::span<std::uint8_t> bytes) override {
    const std::lock_guard lock(mutex_);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator_() >> 56);
  }

 private:
  std::mutex mutex_;
  std::mt19937_64 generator_;
};

}  // namespace perdure::testing
