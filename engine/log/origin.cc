#include "engine/log/origin.h"

#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/model/codec.h"
#include "engine/model/tables.h"
#include "schema/records_generated.h"

namespace perdure {
namespace {

std::string OfBranch(std::string_view space, std::uint64_t branch) {
  return fmt::format("{}/{:016x}", space, branch);
}

}  // namespace

bool HasTreeHead(const fb::Entry& entry) {
  return entry.seq() % limits::kCheckpointEntries == 0 ||
         entry.event_type() == fb::Event::LogRestored;
}

void OriginTrail::Follow(const fb::Entry& entry) {
  if (const auto* restored = entry.event_as_LogRestored()) {
    now_ = OfBranch(space_, restored->branch());
  }
}

Result<OriginTrail> OriginOfLog(const StateReader& reader, SpaceId space, std::string_view origin) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Branch(space)));
  if (!bytes) return OriginTrail(std::string(origin));
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::BranchRecordT>(*bytes));
  return OriginTrail(std::string(origin), OfBranch(origin, record.branch));
}

}  // namespace perdure
