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

// From a read out of memory to a slow semantic search, in seconds.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};
  return kBuckets;
}

struct Series {
  std::string name;
  std::string help;
  std::function<double()> read;
  prometheus::MetricType type;
};

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
      {std::move(name), std::move(help), std::move(read), prometheus::MetricType::Gauge});
}

void Metrics::AddCounter(std::string name, std::string help, std::function<double()> read) {
  const MutexLock lock(impl_->mutex);
  impl_->series.push_back(
      {std::move(name), std::move(help), std::move(read), prometheus::MetricType::Counter});
}

std::string Metrics::Text(const std::vector<Reading>& more) const {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  const auto put = [&](const std::string& name, const std::string& help,
                       prometheus::MetricType type) -> prometheus::ClientMetric& {
    prometheus::MetricFamily& family = families.emplace_back();
    family.name = name;
    family.help = help;
    family.type = type;
    return family.metric.emplace_back();
  };
  for (const Reading& reading : more) {
    put(reading.name, reading.help, prometheus::MetricType::Gauge).gauge.value = reading.value;
  }
  const MutexLock lock(impl_->mutex);
  for (const Series& series : impl_->series) {
    prometheus::ClientMetric& metric = put(series.name, series.help, series.type);
    const bool is_counter = series.type == prometheus::MetricType::Counter;
    (is_counter ? metric.counter.value : metric.gauge.value) = series.read();
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace perdure
