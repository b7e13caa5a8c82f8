// Under which name the tree heads of a log are signed: that of its space, until files of a backup
// become the log; from then on one that no other log has.
//
//   origin := "perdure/" name [ "/" hex(branch:u64be) ]      of the last LogRestored entry
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"
#include "engine/storage/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"

namespace perdure {

// Whether a signed tree head of the log up to this entry is stored. One is where an origin begins,
// so that the last one is always under the origin of now.
bool HasTreeHead(const fb::Entry& entry);

// The origin as one entry follows another.
class OriginTrail {
 public:
  // `space`: the origin of a log that was never restored; `now`: after what came before.
  explicit OriginTrail(std::string space) : space_(std::move(space)), now_(space_) {}
  OriginTrail(std::string space, std::string now)
      : space_(std::move(space)), now_(std::move(now)) {}
  void Follow(const fb::Entry& entry);
  const std::string& now() const { return now_; }

 private:
  std::string space_;
  std::string now_;
};

// Of the log as `reader` has it.
Result<OriginTrail> OriginOfLog(const StateReader& reader, SpaceId space, std::string_view origin);

}  // namespace perdure
