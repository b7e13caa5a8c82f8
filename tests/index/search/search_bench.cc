// Measures the search service over a store of synthetic memories: building, searching, write to
// findable, opening. Prints one JSON object.
//
//   search_bench DIR MEMORIES WORDS [MODEL_DIR]     fills DIR if it is empty, then measures
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "index/embed/open_embedder.h"
#include "index/search/search_service.h"

namespace perdure {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What this thread has used: says the same on a busy machine. The query's vector is made on
// another.
double CpuMs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1000 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Words of a long-tailed vocabulary, as text has them.
class Words {
 public:
  explicit Words(std::uint64_t seed) : random_(seed) {}
  std::string Text(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + Word();
    return text;
  }
  std::string Word() {
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    const auto rank = static_cast<std::uint64_t>(std::exp(u * std::log(50'000.0)));
    std::string word;
    for (std::uint64_t n = rank * 2654435761 % 100'000'007; word.size() < 4 || n > 0; n /= 20) {
      word += "bcdfghklmnprstvwzjqx"[n % 20];
      word += "aeiou"[n % 5];
      if (word.size() > 9) break;
    }
    return word;
  }

 private:
  std::mt19937_64 random_;
};

Principal Agent() {
  Principal principal;
  principal.id.bytes[0] = 1;
  principal.roles = kAgent;
  return principal;
}

struct Percentiles {
  explicit Percentiles(std::vector<double> values) : sorted(std::move(values)) {
    std::ranges::sort(sorted);
  }
  double At(double p) const {
    return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1))];
  }
  std::string Json() const {
    return fmt::format("{{\"p50\": {:.3f}, \"p95\": {:.3f}, \"p99\": {:.3f}}}", At(.5), At(.95),
                       At(.99));
  }
  std::vector<double> sorted;
};

struct Bench {
  std::string directory;
  std::size_t memories = 0;
  std::size_t words = 0;
  std::string model_dir;
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<SearchService> search;
  double engine_ms = 0;
  double search_ms = 0;

  void OpenEngine() {
    if (!std::filesystem::exists(directory)) {
      if (!Engine::Create(directory, clock, random)) std::exit(1);
    }
    const auto start = Clock::now();
    auto opened = Engine::Open({.directory = directory, .sync = {SyncMode::kNever}}, clock, random);
    if (!opened) {
      std::cerr << opened.error().message << '\n';
      std::exit(1);
    }
    engine = std::move(*opened);
    engine_ms = Since(start);
  }

  void OpenSearch() {
    BuiltInEmbedder model = OpenBuiltInEmbedder(model_dir);
    const auto start = Clock::now();
    auto opened = SearchService::Open(
        *engine, std::move(model.embedder),
        {.directory = directory + "/index", .stand_in_reason = model.stand_in_reason});
    if (!opened) {
      std::cerr << opened.error().message << '\n';
      std::exit(1);
    }
    search = std::move(*opened);
    const auto first = search->Search(Agent(), {.query = "first"});
    search_ms = Since(start);
    if (!first || first->arms[0].status != ArmStatus::kOk) std::cerr << "not ready\n";
  }

  void Fill() {
    Words text(engine->Visible(kMainSpace).seq);
    while (engine->Visible(kMainSpace).seq < memories) {
      StoreMemories batch;
      for (int i = 0; i < 500; ++i) {
        batch.memories.push_back({.text = text.Text(words), .title = text.Text(4)});
      }
      const auto stored = engine->Write(Agent(), batch, {});
      if (!stored) {
        std::cerr << stored.error().message << '\n';
        std::exit(1);
      }
    }
  }

  std::string MeasureSearches(const SearchRequest& base) {
    Words text(99);
    std::vector<double> total;
    std::vector<double> without_embedding;
    std::vector<double> cpu;
    SearchTimings sum;
    for (int i = 0; i < 300; ++i) {
      SearchRequest request = base;
      request.query = text.Text(2 + static_cast<std::size_t>(i) % 5);
      const double before = CpuMs();
      const auto answer = search->Search(Agent(), request);
      if (!answer) std::exit(1);
      cpu.push_back(CpuMs() - before);
      total.push_back(answer->timings.total_ms);
      without_embedding.push_back(answer->timings.total_ms - answer->timings.embed_ms);
      sum.lexical_ms += answer->timings.lexical_ms / 300;
      sum.semantic_ms += answer->timings.semantic_ms / 300;
      sum.read_ms += answer->timings.read_ms / 300;
      sum.embed_ms += answer->timings.embed_ms / 300;
    }
    return fmt::format(
        "{{\"total_ms\": {}, \"cpu_ms\": {}, \"without_embedding_ms\": {}, \"mean_ms\": "
        "{{\"lexical\": {:.3f}, "
        "\"semantic\": {:.3f}, \"read\": {:.3f}, \"embed\": {:.3f}}}}}",
        Percentiles(total).Json(), Percentiles(cpu).Json(), Percentiles(without_embedding).Json(),
        sum.lexical_ms, sum.semantic_ms, sum.read_ms, sum.embed_ms);
  }

  // From the answer of a write to the moment its entry is searchable lexically.
  std::string MeasureFindable(int others_per_second) {
    std::atomic<bool> stop{false};
    std::atomic<int> others{0};
    std::thread writer([&] {
      Words text(7);
      while (!stop && others_per_second > 0) {
        static_cast<void>(engine->Write(Agent(), StoreMemories{{{.text = text.Text(100)}}}, {}));
        ++others;
        std::this_thread::sleep_for(std::chrono::microseconds(1'000'000 / others_per_second / 2));
      }
    });
    Words text(8);
    std::vector<double> times;
    const auto begin = Clock::now();
    for (int i = 0; i < 200; ++i) {
      const std::string word = fmt::format("uniq{}x{}", others_per_second, i);
      const auto stored =
          engine->Write(Agent(), StoreMemories{{{.text = text.Text(99) + " " + word}}}, {});
      const auto start = Clock::now();
      const auto answer = search->Search(Agent(), {.query = word, .limit = 1});
      times.push_back(Since(start) - answer->timings.embed_ms);
      if (!stored || answer->hits.empty() || answer->hits[0].id != stored->memories[0].id) {
        std::cerr << "not found: " << word << '\n';
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const double seconds = Since(begin) / 1000;
    stop = true;
    writer.join();
    return fmt::format("{{\"others_a_second\": {:.0f}, \"ms\": {}}}", others / seconds,
                       Percentiles(times).Json());
  }

  int Run() {
    OpenEngine();
    OpenSearch();
    const auto start = Clock::now();
    const Seq before = engine->Visible(kMainSpace).seq;
    Fill();
    const double write_ms = Since(start);
    const bool settled = search->WaitUntilIndexed(kMainSpace, std::chrono::hours(2));
    const double index_ms = Since(start);
    const Seq entries = engine->Visible(kMainSpace).seq - before;
    std::cout << fmt::format(
        "{{\"new_entries\": {}, \"write_ms\": {:.0f}, \"indexed_ms\": {:.0f}, "
        "\"settled\": {},\n",
        entries, write_ms, index_ms, settled);
    search.reset();
    engine.reset();
    OpenEngine();
    OpenSearch();
    const SpaceIndexStatus loading = search->Status().spaces.at(0);
    std::cout << fmt::format(
        " \"open_engine_ms\": {:.1f}, \"open_search_and_first_answer_ms\": {:.1f}, "
        "\"vectors_loaded_then\": {},\n",
        engine_ms, search_ms, loading.vectors_loaded);
    static_cast<void>(search->WaitUntilIndexed(kMainSpace, std::chrono::seconds(60)));
    std::cout << " \"search\": " << MeasureSearches({}) << ",\n"
              << " \"search_as_of\": "
              << MeasureSearches({.at = {.seq = engine->Visible(kMainSpace).seq / 2}}) << ",\n"
              << " \"findable\": [" << MeasureFindable(0) << ", " << MeasureFindable(1000)
              << "],\n";
    static_cast<void>(search->WaitUntilIndexed(kMainSpace, std::chrono::seconds(600)));
    const SpaceIndexStatus status = search->Status().spaces.at(0);
    std::cout << fmt::format(
        " \"memories\": {}, \"chunks\": {}, \"vectors\": {}, \"index_bytes\": {}, "
        "\"memory_bytes\": {}}}\n",
        status.memories, status.chunks, status.vectors, status.bytes_on_disk,
        status.bytes_in_memory);
    return 0;
  }
};

}  // namespace
}  // namespace perdure

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: search_bench DIR MEMORIES WORDS [MODEL_DIR]\n";
    return 2;
  }
  perdure::Bench bench;
  bench.directory = argv[1];
  bench.memories = std::stoul(argv[2]);
  bench.words = std::stoul(argv[3]);
  bench.model_dir = argc > 4 ? argv[4] : "";
  return bench.Run();
}
