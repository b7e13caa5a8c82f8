// A client: what it asks for, and what it asks for again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/write/group.h"
#include "simulation/chance.h"
#include "support/random_commands.h"

namespace perdure::simulation {

// One submitted command.
struct Submission {
  std::uint64_t session = 0;  // stands in its entries; a command tried again keeps it
  std::size_t client = 0;
  SpaceId space = kMainSpace;  // whose log takes its entries
  WaitingPtr waiting;
  std::uint64_t moves_waited = 0;  // of the simulation, while the disk worked

  const WriteRequest& request() const { return waiting->request; }
};

class Client {
 public:
  Client(std::size_t number, Chance& chance, SpaceId space);

  SpaceId space() const { return principal_.space; }
  std::size_t unanswered_max() const { return unanswered_max_; }
  Micros think_time(Chance& chance) const { return static_cast<Micros>(chance.Below(think_max_)); }

  // The next request, new or one to be repeated. `now`: the last record time that it can see.
  Submission Next(Chance& chance, Micros now, std::uint64_t& next_session);
  // What it learns from an answer, its own or another client's of its space.
  void Learn(const WriteRequest& request, const WriteOutcome& outcome);
  // Nobody knows whether the command was done: it is asked for again if it has a key.
  void Forget(const Submission& lost);
  // A keyed command was done: it may be asked for again.
  void Keep(const Submission& done);

 private:
  Command NextCommand(Chance& chance, Micros now);
  Command RareCommand(Chance& chance, Micros now);
  WriteOptions Options(Chance& chance, const Command& command);
  Submission Again(const Submission& before, std::uint64_t session) const;

  Principal principal_;
  testing::RandomCommands commands_;
  std::size_t unanswered_max_ = 1;
  std::uint64_t think_max_ = 1;
  std::uint64_t next_key_ = 1;
  std::map<Uuid, std::uint32_t> versions_;
  std::vector<Seq> erasures_;
  std::vector<Uuid> tokens_;
  Micros horizon_ = 0;
  std::vector<Submission> lost_;
  std::vector<Submission> done_;
};

// The memory that a command is about, of those that take an expected version.
std::optional<Uuid> ChangedMemory(const Command& command);

}  // namespace perdure::simulation
