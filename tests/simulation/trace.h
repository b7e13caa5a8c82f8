// What a run did, line by line: its digest is the run's fingerprint.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/hash.h"

namespace perdure::simulation {

class Trace {
 public:
  explicit Trace(bool prints) : prints_(prints) {}

  void SetStep(std::uint64_t step, std::int64_t time) {
    step_ = step;
    time_ = time;
  }
  std::uint64_t step() const { return step_; }

  template <typename... Args>
  void Note(fmt::format_string<Args...> format, Args&&... args) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{:>6} {:>11} ", step_, time_);
    fmt::format_to(std::back_inserter(line_), format, std::forward<Args>(args)...);
    line_.push_back('\n');
    const std::string_view line(line_.data(), line_.size());
    if (prints_) std::fwrite(line.data(), 1, line.size(), stdout);
    stream_.Update(line);
  }
  void Add(std::string_view bytes) { stream_.Update(bytes); }

  std::string Digest() { return HexEncode(AsBytes(stream_.Finish())); }

 private:
  bool prints_;
  std::uint64_t step_ = 0;
  std::int64_t time_ = 0;  // virtual microseconds since the run began
  fmt::memory_buffer line_;
  Sha256Stream stream_;
};

}  // namespace perdure::simulation
