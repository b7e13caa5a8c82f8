// Everything random of a run, from its seed. No distribution of the standard library, whose results
// are its own affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

namespace perdure::simulation {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t Any() { return generator_(); }
  std::uint64_t Below(std::uint64_t n) { return generator_() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  template <typename Container>
  auto& Of(Container& items) {
    return *(std::begin(items) + static_cast<std::ptrdiff_t>(Below(std::size(items))));
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace perdure::simulation
