#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "tools/bench/bench.h"
#include "tools/bench/served.h"
#include "tools/bench/stopwatch.h"
#include "tools/bench/texts.h"

namespace perdure::bench {
namespace {

constexpr std::size_t kWords = 100;
constexpr std::size_t kBatch = 200;
constexpr std::size_t kInFlight = 64;
constexpr std::size_t kSearches = 400;
constexpr std::size_t kProbes = 200;
constexpr std::size_t kWritesBeside = 1000;  // a second
constexpr std::size_t kWritersBeside = 8;

nlohmann::json ToJson(const NoteDraft& note) {
  return {{"text", note.text}, {"title", note.title}, {"tags", note.tags}};
}

nlohmann::json Percentiles(const std::vector<double>& millis) {
  return {{"p50_ms", Median(millis)},
          {"p95_ms", Quantile(millis, 0.95)},
          {"p99_ms", Quantile(millis, 0.99)}};
}

// A server with `memories` notes of one vocabulary, and a client of it.
class SearchBench {
 public:
  SearchBench(Served& served, std::size_t memories, Vocabulary vocabulary)
      : served_(served),
        client_(served.Connect()),
        memories_(memories),
        next_note_(memories + served.house().engine().Visible(kMainSpace).seq),
        vocabulary_(vocabulary) {}

  Status Fill();
  Result<nlohmann::json> SearchTimes();
  // From the answer of a write to the answer of the first search after it, and how many of the
  // writes that search found.
  Result<nlohmann::json> FindableTimes();
  // The same while `kWritesBeside` other memories arrive a second.
  Result<nlohmann::json> FindableTimesBesideWrites();
  Result<double> WritesPerSecond();

 private:
  Status Store(HttpClient& client, std::uint64_t note) const {
    const auto stored = served_.Call(client, "POST", "/api/v1/memories",
                                     ToJson(MakeNote(note, kWords, vocabulary_)));
    if (!stored) return std::unexpected(stored.error());
    return {};
  }
  Result<bool> Probe(const std::string& word, std::vector<double>& millis);
  void WriteAtRate(std::size_t writer, std::atomic<bool>& done, std::atomic<std::size_t>& written);

  const Served& served_;
  std::unique_ptr<HttpClient> client_;
  std::size_t memories_;
  std::atomic<std::uint64_t> next_note_;
  Vocabulary vocabulary_;
};

Status SearchBench::Fill() {
  for (std::size_t from = 0; from < memories_; from += kBatch) {
    nlohmann::json batch = nlohmann::json::array();
    for (std::size_t i = from; i < std::min(memories_, from + kBatch); ++i) {
      batch.push_back(ToJson(MakeNote(i, kWords, vocabulary_)));
    }
    RETURN_IF_ERROR(
        served_.Call(*client_, "POST", "/api/v1/memories:batch", {{"memories", batch}}));
  }
  return {};
}

Result<nlohmann::json> SearchBench::SearchTimes() {
  std::mt19937_64 generator(1);
  std::vector<double> millis;
  for (std::size_t i = 0; i < kSearches; ++i) {
    const nlohmann::json request = {{"query", MakeQuery(generator, memories_, kWords, vocabulary_)},
                                    {"limit", 10}};
    const Stopwatch watch;
    RETURN_IF_ERROR(served_.Call(*client_, "POST", "/api/v1/search", request));
    millis.push_back(watch.Seconds() * 1e3);
  }
  return Percentiles(millis);
}

Result<bool> SearchBench::Probe(const std::string& word, std::vector<double>& millis) {
  RETURN_IF_ERROR(
      served_.Call(*client_, "POST", "/api/v1/memories", {{"text", "The password is " + word}}));
  const Stopwatch watch;
  ASSIGN_OR_RETURN(const auto found, served_.Call(*client_, "POST", "/api/v1/search",
                                                  {{"query", word}, {"limit", 1}}));
  millis.push_back(watch.Seconds() * 1e3);
  return !found["results"].empty() &&
         found["results"][0]["preview"].get<std::string>().find(word) != std::string::npos;
}

Result<nlohmann::json> SearchBench::FindableTimes() {
  const std::uint64_t salt = next_note_++;
  std::vector<double> millis;
  std::size_t found = 0;
  for (std::size_t i = 0; i < kProbes; ++i) {
    ASSIGN_OR_RETURN(const bool is_found, Probe(fmt::format("zq{}x{}j", salt, i), millis));
    found += is_found ? 1 : 0;
  }
  nlohmann::json times = Percentiles(millis);
  times["found_at_first"] = found;
  times["probes"] = kProbes;
  return times;
}

void SearchBench::WriteAtRate(std::size_t writer, std::atomic<bool>& done,
                              std::atomic<std::size_t>& written) {
  const auto client = served_.Connect();
  const auto start = std::chrono::steady_clock::now();
  constexpr std::chrono::microseconds kGap(1'000'000 / kWritesBeside);
  for (std::size_t i = writer; !done; i += kWritersBeside) {
    std::this_thread::sleep_until(start + kGap * i);
    if (!Store(*client, next_note_++)) break;
    ++written;
  }
}

Result<nlohmann::json> SearchBench::FindableTimesBesideWrites() {
  std::atomic<bool> done = false;
  std::atomic<std::size_t> written = 0;
  std::vector<std::thread> writers;
  const Stopwatch watch;
  for (std::size_t w = 0; w < kWritersBeside; ++w) {
    writers.emplace_back([&, w] { WriteAtRate(w, done, written); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  auto times = FindableTimes();
  const double rate = static_cast<double>(written) / watch.Seconds();
  done = true;
  for (std::thread& writer : writers) writer.join();
  if (times) (*times)["other_writes_per_second"] = rate;
  return times;
}

Result<double> SearchBench::WritesPerSecond() {
  constexpr std::size_t kWrites = 6000;
  std::vector<nlohmann::json> bodies;
  for (std::size_t i = 0; i < kWrites; ++i) {
    bodies.push_back(ToJson(MakeNote(next_note_++, kWords, vocabulary_)));
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const Stopwatch watch;
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < kInFlight; ++c) {
    clients.emplace_back([&] {
      const auto client = served_.Connect();
      for (std::size_t i = next++; i < kWrites; i = next++) {
        if (!served_.Call(*client, "POST", "/api/v1/memories", bodies[i])) failed = true;
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

// Embedding apart: the vectors are the stand-in's, which cost nothing to make.
Result<nlohmann::json> Measure(const Options& options, std::size_t memories, const char* name,
                               Vocabulary vocabulary) {
  const std::string directory = options.directory + "/search-" + name;
  ASSIGN_OR_RETURN(const auto served,
                   Served::Make({directory, directory + "/no-model", options.keep}));
  SearchBench bench(*served, memories, vocabulary);
  nlohmann::json figures;
  Stopwatch watch;
  if (served->is_new()) {
    RETURN_IF_ERROR(bench.Fill());
    figures["fill_seconds"] = watch.Seconds();
  }
  RETURN_IF_ERROR(served->AwaitVectors());
  figures["index_seconds"] = watch.Seconds();
  for (int run = 0; run < options.runs; ++run) {
    ASSIGN_OR_RETURN(auto times, bench.SearchTimes());
    figures["search"].push_back(std::move(times));
  }
  ASSIGN_OR_RETURN(figures["write_to_findable"], bench.FindableTimes());
  ASSIGN_OR_RETURN(figures["write_to_findable_beside_writes"], bench.FindableTimesBesideWrites());
  ASSIGN_OR_RETURN(figures["http_writes_per_second_64_in_flight"], bench.WritesPerSecond());
  RETURN_IF_ERROR(served->AwaitVectors());
  RETURN_IF_ERROR(served->house().engine().store().CompactAll());
  const std::size_t stored = served->house().search().Status().spaces.at(0).memories;
  served->Stop();
  figures["bytes_per_memory"] =
      static_cast<double>(BytesBelow(directory)) / static_cast<double>(stored);
  return figures;
}

}  // namespace

Result<nlohmann::json> Search(const Options& options) {
  const std::size_t memories = options.size ? options.size : 10'000;
  nlohmann::json figures = {{"memories", memories}};
  ASSIGN_OR_RETURN(figures["zipf"], Measure(options, memories, "zipf", Vocabulary::kZipf));
  ASSIGN_OR_RETURN(figures["every_word_in_every_text"],
                   Measure(options, memories, "every-word", Vocabulary::kEveryWord));
  return figures;
}

}  // namespace perdure::bench
