// One line of JSON a request: what happened, never what it was about.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

namespace perdure {

struct AccessRecord {
  std::string method;
  std::string route;  // the pattern, not the path as sent
  int status = 0;
  std::chrono::nanoseconds duration{0};
  std::string principal;  // the id, or empty
  std::size_t request_bytes = 0;
  std::size_t response_bytes = 0;
};

// {"time", "level", "event", ...}; time in UTC with microseconds. Thread-safe.
class AccessLog {
 public:
  explicit AccessLog(std::ostream& out);  // which outlives this
  ~AccessLog();

  void Write(const AccessRecord& record);
  void Note(const std::string& event, const std::string& text);  // starts, stops, warnings

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perdure
