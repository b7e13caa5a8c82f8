#include <atomic>
#include <filesystem>
#include <random>
#include <sstream>
#include <thread>

#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/served.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {
namespace {

constexpr std::size_t kWords = 100;
constexpr std::size_t kBatch = 200;
constexpr std::size_t kInFlight = 64;
constexpr std::size_t kSearches = 400;

nlohmann::json ToJson(const NoteDraft& note) {
  return {{"text", note.text}, {"title", note.title}, {"tags", note.tags}};
}

Status Fill(const Served& served, HttpClient& client, std::size_t memories) {
  for (std::size_t from = 0; from < memories; from += kBatch) {
    nlohmann::json batch = nlohmann::json::array();
    for (std::size_t i = from; i < std::min(memories, from + kBatch); ++i) {
      batch.push_back(ToJson(MakeNote(i, kWords)));
    }
    RETURN_IF_ERROR(served.Call(client, "POST", "/api/v1/memories:batch", {{"memories", batch}}));
  }
  return {};
}

// Two to five words of one memory, as a person half remembers them.
std::string MakeQuery(std::mt19937_64& generator, std::size_t memories) {
  std::istringstream words(MakeNote(generator() % memories, kWords).text);
  std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
  std::string query;
  for (std::size_t i = 0; i < 2 + generator() % 4; ++i)
    query += all[generator() % all.size()] + " ";
  return query;
}

Result<nlohmann::json> SearchTimes(const Served& served, HttpClient& client, std::size_t memories) {
  std::mt19937_64 generator(1);
  std::vector<double> millis;
  for (std::size_t i = 0; i < kSearches; ++i) {
    const nlohmann::json request = {{"query", MakeQuery(generator, memories)}, {"limit", 10}};
    const Stopwatch watch;
    RETURN_IF_ERROR(served.Call(client, "POST", "/api/v1/search", request));
    millis.push_back(watch.Seconds() * 1e3);
  }
  return nlohmann::json{{"p50_ms", Median(millis)}, {"p99_ms", Quantile(millis, 0.99)}};
}

// From the answer of a write to the answer of a search that finds it.
Result<nlohmann::json> FindableTimes(const Served& served, HttpClient& client) {
  std::vector<double> millis;
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string word = "zq" + std::to_string(i) + "xj";
    RETURN_IF_ERROR(
        served.Call(client, "POST", "/api/v1/memories", {{"text", "The password is " + word}}));
    const Stopwatch watch;
    ASSIGN_OR_RETURN(const auto found, served.Call(client, "POST", "/api/v1/search",
                                                   {{"query", word}, {"limit", 1}}));
    if (found["results"].empty() ||
        found["results"][0]["preview"].get<std::string>().find(word) == std::string::npos) {
      return Fail(Code::kInternal, "A memory was not found right after its write.");
    }
    millis.push_back(watch.Seconds() * 1e3);
  }
  return nlohmann::json{{"p50_ms", Median(millis)}, {"p99_ms", Quantile(millis, 0.99)}};
}

Result<double> HttpWritesPerSecond(const Served& served, std::size_t first) {
  constexpr std::size_t kWrites = 6000;
  std::vector<nlohmann::json> bodies;
  for (std::size_t i = 0; i < kWrites; ++i) bodies.push_back(ToJson(MakeNote(first + i, kWords)));
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const Stopwatch watch;
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < kInFlight; ++c) {
    clients.emplace_back([&] {
      const auto client = served.Connect();
      for (std::size_t i = next++; i < kWrites; i = next++) {
        if (!served.Call(*client, "POST", "/api/v1/memories", bodies[i])) failed = true;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  if (failed) return Fail(Code::kInternal, "A write of the bench failed.");
  return kWrites / watch.Seconds();
}

std::uint64_t BytesBelow(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

}  // namespace

// Embedding apart: the vectors are the stand-in's, which cost nothing to make.
Result<nlohmann::json> Search(const Options& options) {
  const std::size_t memories = options.size ? options.size : 10'000;
  const std::string directory = options.directory + "/search";
  ASSIGN_OR_RETURN(const auto served, Served::Make(directory, directory + "/no-model"));
  const auto client = served->Connect();
  Stopwatch watch;
  RETURN_IF_ERROR(Fill(*served, *client, memories));
  const double fill_seconds = watch.Seconds();
  RETURN_IF_ERROR(served->AwaitVectors());
  const double index_seconds = watch.Seconds();
  nlohmann::json runs = nlohmann::json::array();
  for (int run = 0; run < options.runs; ++run) {
    ASSIGN_OR_RETURN(runs.emplace_back(), SearchTimes(*served, *client, memories));
  }
  ASSIGN_OR_RETURN(const auto findable, FindableTimes(*served, *client));
  ASSIGN_OR_RETURN(const double writes, HttpWritesPerSecond(*served, memories));
  RETURN_IF_ERROR(served->AwaitVectors());
  RETURN_IF_ERROR(served->house().engine().store().CompactAll());
  const std::size_t stored = served->house().search().Status().spaces.at(0).memories;
  served->Stop();
  const std::uint64_t bytes = BytesBelow(directory);
  return nlohmann::json{
      {"memories", memories},
      {"fill_seconds", fill_seconds},
      {"index_seconds", index_seconds},
      {"search", runs},
      {"write_to_findable", findable},
      {"http_writes_per_second_64_in_flight", writes},
      {"bytes_per_memory", static_cast<double>(bytes) / static_cast<double>(stored)}};
}

}  // namespace perdure::bench
