// A store held against the log that is in it, read the obvious way, and against an oracle.
#pragma once

#include <map>
#include <string>

#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "engine/read/naive_replay.h"
#include "simulation/oracle.h"
#include "simulation/virtual_disk.h"

namespace perdure::simulation {

class StoreCheck {
 public:
  StoreCheck(Oracle& oracle, const VirtualDisk& disk, Chance& chance)
      : oracle_(oracle), disk_(disk), chance_(chance) {}

  // The log is dense and chained, its head and tree say what it says, each command is in it once,
  // and reads of the past are what the naive fold of it says.
  void CheckLog(SpaceId space, const SpaceKeys& keys);
  // What was answered is there.
  void CheckAnswers();
  // What was read as of a time is the same as of that time.
  void CheckRecords();
  // Every projection is what a replay of the logs makes of them.
  void CheckProjections();

 private:
  struct Walk;
  bool Take(Walk& walk, Seq seq);
  void NoteSession(const Walk& walk, const fb::Entry& entry);
  bool IsErased(const Walk& walk, const Oracle::Done& done);
  void CheckClaims(const Walk& walk, Seq seq);
  void CompareMemories(const Walk& walk, Micros as_of);
  void CheckCurrentTexts(const Walk& walk);
  void CompareMemory(const Walk& walk, const Uuid& id, const testing::NaiveMemory& naive,
                     const StateReader& then);

  Oracle& oracle_;
  const VirtualDisk& disk_;
  Chance& chance_;
  VirtualDisk replayed_;
  std::map<std::uint64_t, Oracle::Done> sessions_;
};

}  // namespace perdure::simulation
