#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/stopwatch.h"
#include "tools/data_dir.h"
#include "tools/house.h"

namespace perdure::bench {
namespace {

constexpr std::size_t kWords = 20;
constexpr std::chrono::hours kPatience(1);

struct Times {
  std::vector<double> engine;   // the store alone
  std::vector<double> house;    // store, indexes and operations
  std::vector<double> ready;    // and a write, a get and two lexical searches answered
  std::vector<double> vectors;  // and the semantic arm loaded
};

Result<std::unique_ptr<House>> OpenHouse(const std::string& directory) {
  ASSIGN_OR_RETURN(auto attempt,
                   DirectoryLock::Acquire(directory, "bench", std::chrono::seconds(0)));
  if (!attempt.lock) return Fail(Code::kUnavailable, attempt.holder.Name() + " is in the way.");
  return House::Open({.data_dir = directory, .model_dir = directory + "/no-model"},
                     std::move(*attempt.lock));
}

// A store of `entries` entries with its indexes, in files.
Status Fill(const std::string& directory, std::uint64_t entries, std::uint64_t notes) {
  RETURN_IF_ERROR(MakeDataDir(directory));
  SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN([[maybe_unused]] const bool is_new, FillDataDir(directory, clock, random));
  ASSIGN_OR_RETURN(const auto house, OpenHouse(directory));
  RETURN_IF_ERROR(FillLog(house->engine(), entries, notes, kWords));
  if (house->search().WaitUntilIndexed(kMainSpace, kPatience)) return {};
  return Fail(Code::kUnavailable, "The indexes did not catch up.");
}

Status ExpectHits(House& house, const std::string& query) {
  SearchRequest request;
  request.query = query;
  ASSIGN_OR_RETURN(const SearchAnswer answer, house.search().Search(Everyone(), request));
  if (!answer.hits.empty() && answer.arms.at(0).status == ArmStatus::kOk) return {};
  return Fail(Code::kInternal, fmt::format("'{}' was not found after the opening.", query));
}

// That everything but the vectors is there: writes, reads, and finds what is old and what is new.
Status Use(House& house, std::uint64_t salt, std::uint64_t notes) {
  const std::string word = fmt::format("zq{}xj", salt);
  StoreMemories command;
  command.memories.emplace_back().text = "The password is " + word;
  ASSIGN_OR_RETURN(const auto stored, house.engine().Write(Everyone(), std::move(command), {}));
  ASSIGN_OR_RETURN(const ReadView view, house.engine().Read(Everyone()));
  ASSIGN_OR_RETURN([[maybe_unused]] const auto read, view.Get(stored.memories.at(0).id));
  RETURN_IF_ERROR(ExpectHits(house, word));
  std::mt19937_64 generator(salt);
  return ExpectHits(house, MakeQuery(generator, notes, kWords, Vocabulary::kZipf));
}

Status OpenOnce(const std::string& directory, std::uint64_t notes, Times& times) {
  {
    SystemClock clock;
    SystemRandom random;
    const Stopwatch watch;
    ASSIGN_OR_RETURN(const auto engine, Engine::Open({.directory = directory}, clock, random));
    times.engine.push_back(watch.Seconds());
  }
  const Stopwatch watch;
  ASSIGN_OR_RETURN(const auto house, OpenHouse(directory));
  times.house.push_back(watch.Seconds());
  RETURN_IF_ERROR(Use(*house, house->engine().Visible(kMainSpace).seq, notes));
  times.ready.push_back(watch.Seconds());
  if (!house->search().WaitUntilIndexed(kMainSpace, kPatience)) {
    return Fail(Code::kUnavailable, "The vectors were not loaded.");
  }
  times.vectors.push_back(watch.Seconds());
  return {};
}

Result<Times> OpenTimes(const Options& options, std::uint64_t entries, std::uint64_t notes) {
  const std::string directory = fmt::format("{}/open-{}-{}", options.directory, entries, notes);
  std::error_code ignored;
  if (!options.keep) std::filesystem::remove_all(directory, ignored);
  if (!HasStore(directory)) RETURN_IF_ERROR(Fill(directory, entries, notes));
  Times times;
  for (int run = 0; run < options.runs; ++run) {
    RETURN_IF_ERROR(OpenOnce(directory, notes, times));
  }
  if (!options.keep) std::filesystem::remove_all(directory, ignored);
  return times;
}

nlohmann::json Figures(std::uint64_t entries, std::uint64_t notes, const Times& times) {
  return {{"entries", entries},
          {"memories", notes},
          {"engine_seconds", Median(times.engine)},
          {"indexes_too_seconds", Median(times.house)},
          {"written_read_and_found_seconds", Median(times.ready)},
          {"vectors_loaded_seconds", Median(times.vectors)}};
}

}  // namespace

Result<nlohmann::json> Open(const Options& options) {
  const std::uint64_t large = options.size ? options.size : 1'000'000;
  const std::uint64_t small = large / 10;
  const std::uint64_t share = options.all_notes ? 1 : 10;
  ASSIGN_OR_RETURN(const Times few, OpenTimes(options, small, small / share));
  ASSIGN_OR_RETURN(const Times many, OpenTimes(options, large, large / share));
  return nlohmann::json{{"small", Figures(small, small / share, few)},
                        {"large", Figures(large, large / share, many)},
                        {"engine_ratio", Median(many.engine) / Median(few.engine)},
                        {"ratio", Median(many.ready) / Median(few.ready)},
                        {"runs", options.runs}};
}

}  // namespace perdure::bench
