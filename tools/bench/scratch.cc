#include "tools/bench/scratch.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include "tools/bench/stopwatch.h"

namespace perdure::bench {
Result<std::unique_ptr<ScratchEngine>> ScratchEngine::Make(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  auto scratch = std::make_unique<ScratchEngine>(directory);
  RETURN_IF_ERROR(Engine::Create(directory, scratch->clock_, scratch->random_));
  ASSIGN_OR_RETURN([[maybe_unused]] const double seconds, scratch->Reopen());
  return scratch;
}

ScratchEngine::~ScratchEngine() {
  engine_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Result<double> ScratchEngine::Reopen() {
  engine_.reset();
  const Stopwatch watch;
  ASSIGN_OR_RETURN(engine_, Engine::Open({.directory = directory_}, clock_, random_));
  return watch.Seconds();
}

Principal Everyone() {
  Principal principal;
  principal.id = Uuid{{0xbe}};
  principal.roles = kAgent | kReviewer | kOperator;
  principal.client = "perdure-bench";
  return principal;
}

Status FillLog(Engine& engine, std::uint64_t entries, std::uint64_t notes, std::size_t words) {
  constexpr std::uint64_t kBatch = 1000;
  const Principal everyone = Everyone();
  std::vector<Uuid> ids;
  while (ids.size() < notes) {
    StoreMemories command;
    while (command.memories.size() < std::min(kBatch, notes - ids.size())) {
      command.memories.push_back(MakeNote(ids.size() + command.memories.size(), words));
    }
    ASSIGN_OR_RETURN(const auto stored, engine.Write(everyone, std::move(command), {}));
    for (const MemoryOutcome& memory : stored.memories) ids.push_back(memory.id);
  }
  std::vector<std::thread> writers;
  const std::uint64_t left = entries - std::min(entries, engine.Visible(kMainSpace).seq);
  constexpr std::uint64_t kWriters = 64;
  std::atomic<bool> failed = false;
  for (std::uint64_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (std::uint64_t i = w; i < left; i += kWriters) {
        const Uuid& id = ids[i % ids.size()];
        const auto transition = i / ids.size() % 2 == 0 ? Transition::kPin : Transition::kUnpin;
        if (!engine.Write(everyone, MoveState{id, transition}, {})) failed = true;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  if (failed) return Fail(Code::kInternal, "A write of the bench failed.");
  return {};
}

}  // namespace perdure::bench
