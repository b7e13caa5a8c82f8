#include <random>

#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {
namespace {

constexpr std::uint32_t kVersions = 20;

// Microseconds a get takes, the median over `reads` random memories at `at`.
Result<double> GetMicros(Engine& engine, const std::vector<Uuid>& ids, const ReadAt& at,
                         std::size_t reads, std::mt19937_64& generator) {
  std::vector<double> times;
  times.reserve(reads);
  const Principal everyone = Everyone();
  for (std::size_t i = 0; i < reads; ++i) {
    const Uuid& id = ids[generator() % ids.size()];
    const Stopwatch watch;
    ASSIGN_OR_RETURN(const ReadView view, engine.Read(everyone, at));
    RETURN_IF_ERROR(view.Get(id));
    times.push_back(watch.Seconds() * 1e6);
  }
  return Median(times);
}

}  // namespace

Result<nlohmann::json> AsOf(const Options& options) {
  const std::size_t memories = options.size ? options.size : 2000;
  ASSIGN_OR_RETURN(auto scratch, ScratchEngine::Make(options.directory + "/asof"));
  Engine& engine = **scratch;
  std::vector<Uuid> ids;
  std::vector<Micros> ages;  // the record time after each round of edits
  for (std::uint32_t version = 1; version <= kVersions; ++version) {
    StoreMemories command;
    for (std::size_t i = 0; i < memories; ++i) {
      if (version > 1) {
        RETURN_IF_ERROR(engine.Write(Everyone(), EditMemory{ids[i], AppendText{" again"}}, {}));
        continue;
      }
      command.memories.push_back(MakeNote(i, 100));
      if (command.memories.size() == 1000 || i + 1 == memories) {
        ASSIGN_OR_RETURN(const auto stored, engine.Write(Everyone(), std::move(command), {}));
        for (const MemoryOutcome& memory : stored.memories) ids.push_back(memory.id);
        command = {};
      }
    }
    ages.push_back(engine.Visible(kMainSpace).time);
  }
  RETURN_IF_ERROR(engine.store().CompactAll());
  std::mt19937_64 generator(1);
  nlohmann::json by_age = nlohmann::json::array();
  std::vector<double> current;
  std::vector<std::vector<double>> past(ages.size());
  for (int run = 0; run < options.runs; ++run) {
    ASSIGN_OR_RETURN(current.emplace_back(), GetMicros(engine, ids, {}, 2000, generator));
    for (std::size_t age = 0; age + 1 < ages.size(); ++age) {
      ASSIGN_OR_RETURN(past[age].emplace_back(),
                       GetMicros(engine, ids, {.time = ages[age]}, 500, generator));
    }
  }
  double worst = 0;
  for (std::size_t age = 0; age + 1 < ages.size(); ++age) {
    worst = std::max(worst, Median(past[age]) / Median(current));
    by_age.push_back({{"versions_ago", ages.size() - 1 - age}, {"micros", Median(past[age])}});
  }
  return nlohmann::json{
      {"memories", memories}, {"versions", kVersions}, {"current_micros", Median(current)},
      {"by_age", by_age},     {"worst_ratio", worst},  {"runs", options.runs}};
}

}  // namespace perdure::bench
