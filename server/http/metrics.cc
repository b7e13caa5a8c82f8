#include "server/http/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <utility>
#include <vector>

#include "engine/base/mutex.h"

namespace perdure {
namespace {

using prometheus::MetricType;

// From a read out of memory to a slow semantic search, in seconds.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};
  return kBuckets;
}

struct Series {
  std::string name;
  std::string help;
  std::string label;  // empty: the one number has none
  std::function<Metrics::Labelled()> read;
  prometheus::MetricType type;
};

std::function<Metrics::Labelled()> Single(std::function<double()> read) {
  return [read = std::move(read)] { return Metrics::Labelled{{"", read()}}; };
}

}  // namespace

class Metrics::Impl {
 public:
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("perdure_http_requests_total")
          .Help("HTTP requests answered, by route and status")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds =
      prometheus::BuildHistogram()
          .Name("perdure_http_request_seconds")
          .Help("Time from the whole request to the whole answer, streams apart")
          .Register(registry);
  Mutex mutex;
  std::vector<Series> series GUARDED_BY(mutex);
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::CountRequest(const std::string& method, const std::string& route, int status,
                           std::chrono::nanoseconds duration) {
  impl_->requests.Add({{"method", method}, {"route", route}, {"status", std::to_string(status)}})
      .Increment();
  impl_->seconds.Add({{"route", route}}, Buckets())
      .Observe(std::chrono::duration<double>(duration).count());
}

void Metrics::AddGauge(std::string name, std::string help, std::function<double()> read) {
  const MutexLock lock(impl_->mutex);
  impl_->series.push_back(
      {std::move(name), std::move(help), "", Single(std::move(read)), MetricType::Gauge});
}

void Metrics::AddCounter(std::string name, std::string help, std::function<double()> read) {
  const MutexLock lock(impl_->mutex);
  impl_->series.push_back(
      {std::move(name), std::move(help), "", Single(std::move(read)), MetricType::Counter});
}

void Metrics::AddCounters(std::string name, std::string help, std::string label,
                          std::function<Labelled()> read) {
  const MutexLock lock(impl_->mutex);
  impl_->series.push_back(
      {std::move(name), std::move(help), std::move(label), std::move(read), MetricType::Counter});
}

std::string Metrics::Text(const std::vector<Reading>& more) const {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  const auto put = [&](const std::string& name, const std::string& help,
                       MetricType type) -> prometheus::MetricFamily& {
    prometheus::MetricFamily& family = families.emplace_back();
    family.name = name;
    family.help = help;
    family.type = type;
    return family;
  };
  for (const Reading& reading : more) {
    prometheus::MetricFamily& family = put(reading.name, reading.help, MetricType::Gauge);
    family.metric.emplace_back().gauge.value = reading.value;
  }
  const MutexLock lock(impl_->mutex);
  for (const Series& series : impl_->series) {
    prometheus::MetricFamily& family = put(series.name, series.help, series.type);
    const bool is_counter = series.type == MetricType::Counter;
    for (const auto& [label, value] : series.read()) {
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      if (!series.label.empty()) metric.label.push_back({series.label, std::string(label)});
      (is_counter ? metric.counter.value : metric.gauge.value) = value;
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace perdure
