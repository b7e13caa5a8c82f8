// The simulated house: the product's write path over a virtual disk, with the simulation as its
// threads.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/write/clock_guard.h"
#include "engine/write/write_path.h"
#include "simulation/client.h"
#include "simulation/follower.h"
#include "simulation/oracle.h"
#include "simulation/simulation.h"
#include "simulation/virtual_clock.h"
#include "simulation/virtual_disk.h"
#include "support/seeded_random.h"

namespace perdure::simulation {

class House final : private WriteDriver {
 public:
  explicit House(const RunOptions& options);
  ~House() override;

  RunResult Run();

 private:
  // Where a writer's thread is.
  enum class At { kAwake, kWaitsForTurn, kWaitsForCommands, kWaitsForDisk, kEnded };
  struct Thread {
    explicit Thread(WritePath& path) : writer(path) {}
    Writer writer;
    At at = At::kAwake;
    std::uint64_t group = 0;  // the number of the one it is at
  };
  // What goes when the process does.
  struct Life;
  // A batch on its way.
  enum class Phase { kStarted, kAppended, kSynced, kApplied };
  enum class Fate { kWell, kFull, kLost, kUnsynced };
  struct Write {
    std::size_t thread = 0;
    VirtualDisk::Batch batch;
    bool sync = true;
    bool told = false;  // the writer goes on already: a planted bug
    Phase phase = Phase::kStarted;
    Fate fate = Fate::kWell;
    Micros began = 0;
    Micros due = 0;
  };
  enum class Health { kGood, kFull, kFailed };
  enum class Mode { kOpen, kClosing, kRecovering };
  // What one step can be.
  enum class Actor { kThread, kWrite, kClient, kFollower, kReader };
  struct Move {
    Actor actor;
    std::size_t which;
  };
  class LiveReader;

  // --- house.cc: lives
  void Found();
  bool Open();
  Status LoadSpace(SpaceId space);
  void LoadSpaces();
  void Die(bool power_goes);
  void Close();
  void Closed();
  void Recover();
  void CheckStore();
  void RestFollowers(bool anew);
  void End();
  bool Settle();

  // --- steps.cc: the scheduler
  void Step(bool with_trouble);
  std::vector<Move> Moves();
  void PassTime();
  void Do(const Move& move);
  void StepThread(std::size_t which);
  bool MaySubmit(std::size_t which) const;
  void StepClient(std::size_t which);
  void StepFollower(std::size_t which);
  void StepReader();
  void TakeAnswers();
  void Answer(const Submission& submission);
  [[nodiscard]] bool Submit(Submission submission);
  void Flood();
  void Watch();

  // --- trouble.cc: the disk and what goes wrong
  void StartWrite(std::size_t which);
  void StepWrite(std::size_t which);
  void FinishWrite(std::size_t which, const Status& written);
  Micros DiskDelay();
  void ConfirmClock();
  void Trouble();
  void Mend();

  // WriteDriver
  WriteQueue::Time Now() override;
  void WakeForTurn() override { Wake(At::kWaitsForTurn); }
  void WakeForCommands() override { Wake(At::kWaitsForCommands); }
  void Wake(At waiting);

  bool Planted(Plant plant) const { return options_.plant == plant; }
  Principal Bootstrap() const;

  const RunOptions options_;
  Chance chance_;
  Trace trace_;
  VirtualClock clock_;
  ClockGuard guard_{clock_};
  testing::SeededRandom bytes_;
  VirtualDisk disk_;
  Oracle oracle_{trace_};
  Figures figures_;
  std::map<SpaceId, SpaceKeys> keys_;

  // How this run is, by its seed.
  std::uint64_t steps_;
  std::uint64_t trouble_one_in_;
  Micros disk_delay_max_;
  bool wakes_spuriously_;
  bool will_flood_;

  std::unique_ptr<LiveReader> reader_;
  std::unique_ptr<Life> life_;
  Mode mode_ = Mode::kOpen;
  Health health_ = Health::kGood;
  bool cache_is_sound_ = true;  // no sync has failed since the store was opened
  Fate next_fate_ = Fate::kWell;
  std::uint64_t read_faults_ = 0;  // that are still to come
  Micros believed_ = 0;            // the most that the wall clock was ahead of the boot clock
  std::uint64_t power_lasts_ = 0;  // for so many steps of the disk; 0: for good
  bool power_is_gone_ = false;     // after the step that is being made
  std::deque<Write> writes_;       // one, but for planted bugs
  std::uint64_t groups_ = 0;
  std::vector<std::string> garbage_;  // of Plant::kAddressInTrace

  std::vector<Client> clients_;
  std::vector<Micros> client_due_;
  std::vector<std::unique_ptr<Follower>> followers_;
  std::vector<Submission> unanswered_;
  std::vector<Uuid> known_;  // memories, for readers
  std::uint64_t next_session_ = 1;
};

struct House::Life {
  explicit Life(House& house, SyncPolicy sync);

  Watermark watermark;
  WritePath path;
  std::array<Thread, 2> threads;
  std::vector<SpaceId> spaces;
};

// What the decider and the followers read. Between two reads the disk goes on, and sometimes one
// fails.
class House::LiveReader final : public StateReader {
 public:
  explicit LiveReader(House& house) : house_(house) {}
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override;
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override;

 private:
  Status Pass() const;
  House& house_;
};

}  // namespace perdure::simulation
