// Times and medians.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace perdure::bench {

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}
inline double Median(const std::vector<double>& values) { return Quantile(values, 0.5); }

}  // namespace perdure::bench
