// What Prometheus scrapes: https://prometheus.io/docs/instrumenting/exposition_formats
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

// Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  // perdure_http_requests_total{method,route,status} and perdure_http_request_seconds{route}.
  // `route` is a pattern, never a path as sent: it would make a series of every id.
  void CountRequest(const std::string& method, const std::string& route, int status,
                    std::chrono::nanoseconds duration);

  // `read` is called at each scrape, from the scraping thread, and must stay valid.
  void AddGauge(std::string name, std::string help, std::function<double()> read);

  // The same for a number that only grows, and whose name ends in _total.
  void AddCounter(std::string name, std::string help, std::function<double()> read);

  // One such number for each value of a label.
  using Labelled = std::vector<std::pair<std::string_view, double>>;
  void AddCounters(std::string name, std::string help, std::string label,
                   std::function<Labelled()> read);

  struct Reading {
    std::string name;
    std::string help;
    double value = 0;
  };
  std::string Text(const std::vector<Reading>& more = {}) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perdure
