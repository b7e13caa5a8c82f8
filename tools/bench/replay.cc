#include "engine/replay/replay.h"

#include "engine/log/verify.h"
#include "tools/bench/bench.h"
#include "tools/bench/scratch.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {

Result<nlohmann::json> Replay(const Options& options) {
  const std::uint64_t entries = options.size ? options.size : 50'000;
  ASSIGN_OR_RETURN(auto scratch, ScratchEngine::Make(options.directory + "/replay"));
  Engine& engine = **scratch;
  RETURN_IF_ERROR(FillLog(engine, entries, entries / 10, 100));
  std::vector<double> replay;
  std::vector<double> verify;
  for (int run = 0; run < options.runs; ++run) {
    Stopwatch watch;
    ASSIGN_OR_RETURN(const ReplayReport report,
                     perdure::Replay(engine, options.directory + "/replayed"));
    if (!report.difference.empty()) return Fail(Code::kCorrupt, report.difference);
    replay.push_back(static_cast<double>(report.entries) / watch.Seconds());
    watch = Stopwatch();
    ASSIGN_OR_RETURN(const VerifyReport verified,
                     VerifyLog(engine.store(), kMainSpace, Engine::OriginOf("main"),
                               engine.KeysOf(kMainSpace).signing.public_key));
    if (verified.first_bad != 0) return Fail(Code::kCorrupt, verified.problem);
    verify.push_back(static_cast<double>(verified.entries) / watch.Seconds());
  }
  return nlohmann::json{{"entries", entries},
                        {"replay_per_second", Median(replay)},
                        {"verify_per_second", Median(verify)},
                        {"runs", options.runs}};
}

}  // namespace perdure::bench
