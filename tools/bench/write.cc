#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "engine/write/execute.h"
#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/sqlite_peer.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {
namespace {

constexpr std::size_t kWords = 100;
constexpr std::size_t kInFlight = 64;
constexpr std::size_t kFew = 4;  // clients that have these in flight together

using Batches = std::vector<std::vector<Mutation>>;

// The mutations of `count` commands, one batch a command: what the engine itself would write.
Result<Batches> MakeBatches(Engine& engine, std::uint64_t first, std::size_t count) {
  Batches batches;
  const Principal everyone = Everyone();
  const WriteOptions plain;
  Overlay accumulated(engine.Latest());
  Circumstances circumstances{.space = kMainSpace,
                              .head = engine.Visible(kMainSpace),
                              .now = engine.clock().Now(),
                              .seed = {},
                              .secret = &engine.KeysOf(kMainSpace).secret,
                              .principal = &everyone,
                              .options = &plain};
  for (std::size_t i = 0; i < count; ++i) {
    engine.random().Fill(circumstances.seed);
    Overlay one(static_cast<const StateReader&>(accumulated));
    Execution done = Execute(one, circumstances, StoreMemories{{MakeNote(first + i, kWords)}},
                             [] { return 1u; });
    RETURN_IF_ERROR(done.answer);
    circumstances.head = done.head;
    batches.push_back(one.mutations());
    accumulated.Absorb(std::move(one));
  }
  return batches;
}

// Entries a second when each of `batches`, `group` commands together, is written with sync.
Result<double> RocksRate(Store& store, const Batches& batches, std::size_t group) {
  std::vector<std::vector<Mutation>> groups;
  for (std::size_t i = 0; i < batches.size(); i += group) {
    auto& together = groups.emplace_back();
    for (std::size_t j = i; j < std::min(batches.size(), i + group); ++j) {
      together.insert(together.end(), batches[j].begin(), batches[j].end());
    }
  }
  const Stopwatch watch;
  for (const auto& mutations : groups) RETURN_IF_ERROR(store.Write(mutations, true));
  return static_cast<double>(batches.size()) / watch.Seconds();
}

// Commands a second of `clients` that each have `at_once` in flight and wait for their answers.
Result<double> EngineRate(Engine& engine, std::uint64_t first, std::size_t count,
                          std::size_t clients, std::size_t at_once) {
  std::vector<std::vector<WriteCall>> calls;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % at_once == 0) calls.emplace_back();
    calls.back().push_back({StoreMemories{{MakeNote(first + i, kWords)}}, {}});
  }
  const Principal everyone = Everyone();
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const Stopwatch watch;
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < clients; ++c) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < calls.size(); i = next++) {
        for (const auto& answer : engine.WriteAll(everyone, std::move(calls[i]))) {
          if (!answer) failed = true;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failed) return Fail(Code::kInternal, "A write of the bench failed.");
  return static_cast<double>(count) / watch.Seconds();
}

}  // namespace

Result<nlohmann::json> Write(const Options& options) {
  const std::size_t singles = options.size ? options.size : 500;
  const std::size_t grouped = singles * 8;
  std::vector<double> one, rocks_one, sqlite_one, many, of_few, rocks_many;
  std::uint64_t first = 0;
  for (int run = 0; run < options.runs; ++run) {
    ASSIGN_OR_RETURN(auto scratch, ScratchEngine::Make(options.directory + "/write"));
    ASSIGN_OR_RETURN(auto peer, ScratchEngine::Make(options.directory + "/peer"));
    ASSIGN_OR_RETURN(const Batches batches, MakeBatches(**peer, first, singles));
    ASSIGN_OR_RETURN(rocks_one.emplace_back(), RocksRate((*peer)->store(), batches, 1));
    ASSIGN_OR_RETURN(one.emplace_back(), EngineRate(**scratch, first, singles, 1, 1));
    ASSIGN_OR_RETURN(sqlite_one.emplace_back(),
                     SqliteRate(options.directory + "/sqlite", first, singles, kWords));
    first += singles;
    ASSIGN_OR_RETURN(auto group_peer, ScratchEngine::Make(options.directory + "/group"));
    ASSIGN_OR_RETURN(const Batches group_batches, MakeBatches(**group_peer, first, grouped));
    ASSIGN_OR_RETURN(rocks_many.emplace_back(),
                     RocksRate((*group_peer)->store(), group_batches, kInFlight));
    ASSIGN_OR_RETURN(many.emplace_back(), EngineRate(**scratch, first, grouped, kInFlight, 1));
    first += grouped;
    ASSIGN_OR_RETURN(of_few.emplace_back(),
                     EngineRate(**scratch, first, grouped, kFew, kInFlight / kFew));
    first += grouped;
  }
  return nlohmann::json{{"one_client",
                         {{"per_second", Median(one)},
                          {"rocksdb_per_second", Median(rocks_one)},
                          {"sqlite_full_fts5_per_second", Median(sqlite_one)},
                          {"of_rocksdb", Median(one) / Median(rocks_one)},
                          {"of_sqlite", Median(one) / Median(sqlite_one)}}},
                        {"in_flight_64",
                         {{"of_64_clients_per_second", Median(many)},
                          {"of_4_clients_per_second", Median(of_few)},
                          {"rocksdb_per_second", Median(rocks_many)},
                          {"of_64_clients_of_rocksdb", Median(many) / Median(rocks_many)},
                          {"of_4_clients_of_rocksdb", Median(of_few) / Median(rocks_many)}}},
                        {"runs", options.runs}};
}

}  // namespace perdure::bench
