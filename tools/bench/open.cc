#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {
namespace {

constexpr std::size_t kWords = 20;

// Seconds to open a store of `entries` entries, median of `runs`.
Result<double> OpenSeconds(const std::string& directory, std::uint64_t entries, int runs) {
  ASSIGN_OR_RETURN(auto scratch, ScratchEngine::Make(directory));
  RETURN_IF_ERROR(FillLog(**scratch, entries, kWords));
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    ASSIGN_OR_RETURN(seconds.emplace_back(), scratch->Reopen());
  }
  return Median(seconds);
}

}  // namespace

Result<nlohmann::json> Open(const Options& options) {
  const std::uint64_t large = options.size ? options.size : 1'000'000;
  ASSIGN_OR_RETURN(const double small_seconds,
                   OpenSeconds(options.directory + "/open", large / 10, options.runs));
  ASSIGN_OR_RETURN(const double large_seconds,
                   OpenSeconds(options.directory + "/open", large, options.runs));
  return nlohmann::json{{"small_entries", large / 10},
                        {"small_seconds", small_seconds},
                        {"large_entries", large},
                        {"large_seconds", large_seconds},
                        {"ratio", large_seconds / small_seconds},
                        {"runs", options.runs}};
}

}  // namespace perdure::bench
