// Decides group after group, each over the one before, which may not be written yet. One thread
// at a time; AddSpace from any.
#pragma once

#include <map>
#include <memory>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/random.h"
#include "engine/log/origin.h"
#include "engine/proof/keys.h"
#include "engine/write/execute.h"
#include "engine/write/group.h"
#include "engine/write/refusal_meter.h"
#include "engine/write/write_meter.h"

namespace perdure {

// What the writer needs of a space when it starts to write to it.
struct SpaceStart {
  LogEnd end;
  const SpaceKeys* keys = nullptr;  // must outlive the writer
  OriginTrail origin;               // of signed tree heads
};

// The space whose log takes the command's entries.
SpaceId SpaceOf(const Command& command, const Principal& principal);

class Decider {
 public:
  // All references must outlive the decider.
  Decider(const StateReader& latest, Clock& clock, Random& random)
      : latest_(latest), clock_(clock), random_(random) {}

  void AddSpace(SpaceId space, SpaceStart start);  // once a space

  // An empty group over the store, or over `below` as long as that one is not in the store.
  std::shared_ptr<Group> Begin(std::shared_ptr<Group> below) const;
  // Decides one command over the group and keeps its answer there.
  void Decide(Group& group, WaitingPtr command);
  // Nothing more joins the group, and the one below it is in the store.
  void Close(Group& group);

 private:
  Result<WriteOutcome> Answer(Group& group, const WriteRequest& request);
  void Append(Group& group, SpaceId space, SpaceStart& start, const Execution& execution);

  const StateReader& latest_;  // the store
  Clock& clock_;
  Random& random_;
  RefusalMeter refusals_;
  WriteMeter writes_;
  Mutex spaces_mutex_;
  // Each with its end as decided, not as written.
  std::map<SpaceId, SpaceStart> spaces_ GUARDED_BY(spaces_mutex_);
};

}  // namespace perdure
