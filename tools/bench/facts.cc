#include "engine/read/facts.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {
namespace {

constexpr std::size_t kSmall = 1000;
constexpr std::size_t kSingles = 500;
constexpr std::size_t kInFlight = 16;
constexpr std::size_t kPredicates = 20;  // of each subject
constexpr std::size_t kCorrects = 10;    // one fact in so many takes the place of an earlier one

std::string SubjectOf(std::size_t n) { return fmt::format("person {}", n / kPredicates); }
std::string PredicateOf(std::size_t n) { return fmt::format("likes kind {} of", n % kPredicates); }

// Fact number `n`: of a slot of its own, or another value for the slot of an earlier one.
FactDraft MakeFact(std::size_t n) {
  const std::size_t slot = n % kCorrects == 0 ? n / 2 : n;
  FactDraft draft;
  draft.value = {SubjectOf(slot), PredicateOf(slot), fmt::format("thing number {}", n)};
  draft.evidence = Evidence{.quote = fmt::format("I like thing number {} best", n),
                            .source = fmt::format("transcript {}", n / 5)};
  return draft;
}

Status Fill(Engine& engine, std::size_t& next, std::size_t until) {
  while (next < until) {
    AssertFacts command;
    for (std::size_t i = 0; i < 500 && next < until; ++i) command.facts.push_back(MakeFact(next++));
    RETURN_IF_ERROR(engine.Write(Everyone(), std::move(command), {}));
  }
  return {};
}

// Milliseconds that one assertion takes, alone: the median.
Result<double> AssertMillis(Engine& engine, std::size_t& next) {
  std::vector<double> times;
  for (std::size_t i = 0; i < kSingles; ++i) {
    AssertFacts command{{MakeFact(next++)}, false};
    const Stopwatch watch;
    RETURN_IF_ERROR(engine.Write(Everyone(), std::move(command), {}));
    times.push_back(watch.Seconds() * 1e3);
  }
  return Median(times);
}

// Assertions a second with kInFlight clients, each waiting for its answer.
Result<double> AssertRate(Engine& engine, std::size_t& next, std::size_t count) {
  const std::size_t first = next;
  next += count;
  std::atomic<std::size_t> turn = 0;
  std::atomic<bool> failed = false;
  const Stopwatch watch;
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < kInFlight; ++c) {
    clients.emplace_back([&] {
      for (std::size_t i = turn++; i < count; i = turn++) {
        AssertFacts command{{MakeFact(first + i)}, false};
        if (!engine.Write(Everyone(), std::move(command), {})) failed = true;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  if (failed) return Fail(Code::kInternal, "An assertion of the bench was refused.");
  return static_cast<double>(count) / watch.Seconds();
}

Result<double> AboutMicros(Engine& engine, std::size_t facts) {
  std::vector<double> times;
  for (std::size_t i = 0; i < kSingles; ++i) {
    const std::size_t n = i * 7919 % facts;
    const Stopwatch watch;
    ASSIGN_OR_RETURN(const ReadView view, engine.Read(Everyone()));
    RETURN_IF_ERROR(FactsAbout(view, {SubjectOf(n), PredicateOf(n), {}, false}));
    times.push_back(watch.Seconds() * 1e6);
  }
  return Median(times);
}

}  // namespace

Result<nlohmann::json> Facts(const Options& options) {
  const std::size_t large = options.size ? options.size : 100'000;
  std::vector<double> small_millis, large_millis, rate, about;
  for (int run = 0; run < options.runs; ++run) {
    ASSIGN_OR_RETURN(auto scratch, ScratchEngine::Make(options.directory + "/facts"));
    Engine& engine = **scratch;
    std::size_t next = 0;
    RETURN_IF_ERROR(Fill(engine, next, kSmall));
    ASSIGN_OR_RETURN(small_millis.emplace_back(), AssertMillis(engine, next));
    RETURN_IF_ERROR(Fill(engine, next, large));
    ASSIGN_OR_RETURN(large_millis.emplace_back(), AssertMillis(engine, next));
    ASSIGN_OR_RETURN(rate.emplace_back(), AssertRate(engine, next, 8 * kSingles));
    ASSIGN_OR_RETURN(about.emplace_back(), AboutMicros(engine, large));
  }
  return nlohmann::json{{"facts", large},
                        {"assert_ms", Median(large_millis)},
                        {"assert_ms_at_1000", Median(small_millis)},
                        {"growth", Median(large_millis) / Median(small_millis)},
                        {"in_flight_16_per_second", Median(rate)},
                        {"about_micros", Median(about)},
                        {"runs", options.runs}};
}

}  // namespace perdure::bench
