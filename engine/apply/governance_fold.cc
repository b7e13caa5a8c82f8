#include "engine/apply/governance_fold.h"

#include <cmath>

#include "engine/apply/fact_fold.h"
#include "engine/log/entry.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

constexpr float kThousand = 1000;

Result<fb::SuppressionRecordT> ReadSuppression(const StateReader& state, const std::string& key) {
  ASSIGN_OR_RETURN(const auto bytes, state.Get(Family::kState, key));
  if (!bytes) return Fail(Code::kCorrupt, "The log names a suppression that it does not have.");
  return Unpack<fb::SuppressionRecordT>(*bytes);
}

}  // namespace

std::string RefusalKey(SpaceId space, Seq seq) {
  const auto queue = static_cast<std::uint8_t>(ReviewQueue::kRefusals);
  return tables::QueuePrefix(space, queue) + Key().U64(seq).Take();
}

void FoldPredicate(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                   Overlay& state) {
  if (!payload || !payload->predicate()) return;
  const ValueKey name = PredicateKey(secret, payload->predicate()->string_view());
  state.Put(Family::kRows, tables::Predicate(entry.space(), name), Key().U64(entry.seq()).Take(),
            0);
}

void FoldPolicy(const fb::Entry& entry, Overlay& state) {
  fb::PolicyRecordT record;
  record.record_time = entry.record_time();
  record.seq = entry.seq();
  state.Put(Family::kState, tables::Policy(entry.space()), Pack(record), entry.record_time());
}

void FoldBranch(const fb::Entry& entry, const fb::LogRestored& event, Overlay& state) {
  fb::BranchRecordT record;
  record.record_time = entry.record_time();
  record.seq = entry.seq();
  record.branch = event.branch();
  state.Put(Family::kState, tables::Branch(entry.space()), Pack(record), entry.record_time());
}

Status FoldSuppressed(const fb::Entry& entry, const fb::ValueSuppressed& event, Overlay& state) {
  fb::SuppressionRecordT record;
  record.record_time = entry.record_time();
  record.scope = *event.scope();
  record.expires_at = event.expires_at();
  state.Put(Family::kState, tables::Suppression(entry.space(), entry.seq()), Pack(record),
            entry.record_time());
  state.Put(Family::kRows, tables::Suppressed(entry.space(), ValueKey{}), "", 0);
  if (!event.keys()) return {};
  for (const fb::Id* id : *event.keys()) {
    const std::string row = tables::Suppressed(entry.space(), ToKey(*id));
    ASSIGN_OR_RETURN(const auto known, state.Get(Family::kRows, row));
    state.Put(Family::kRows, row, known.value_or("") + Key().U64(entry.seq()).Take(), 0);
  }
  return {};
}

Status FoldLifted(const fb::Entry& entry, const fb::SuppressionLifted& event, Overlay& state) {
  const std::string key = tables::Suppression(entry.space(), event.suppression());
  ASSIGN_OR_RETURN(auto record, ReadSuppression(state, key));
  record.record_time = entry.record_time();
  record.lifted_seq = entry.seq();
  state.Put(Family::kState, key, Pack(record), entry.record_time());
  return {};
}

Status FoldRefused(const fb::Entry& entry, const fb::WriteRefused& event, Overlay& state) {
  const Micros time = entry.record_time();
  if (event.review()) {
    state.Put(Family::kState, RefusalKey(entry.space(), entry.seq()), "", time);
  }
  if (event.suppression() == 0) return {};
  const std::string key = tables::Suppression(entry.space(), event.suppression());
  ASSIGN_OR_RETURN(auto record, ReadSuppression(state, key));
  record.record_time = time;
  record.refused += event.count();
  state.Put(Family::kState, key, Pack(record), time);
  return {};
}

void FoldDismissed(const fb::Entry& entry, const fb::RefusalDismissed& event, Overlay& state) {
  state.Delete(Family::kState, RefusalKey(entry.space(), event.refusal()), entry.record_time());
}

Result<Moved> MovedBy(const StateReader& reader, SpaceId space, const ValueKey& pass,
                      const Uuid& id) {
  ASSIGN_OR_RETURN(const auto row, reader.Get(Family::kRows, tables::Scored(space, pass, id)));
  if (!row) return Moved{};
  const std::string_view bytes = *row;
  const auto number = [&](std::size_t at) {
    return static_cast<float>(ReadBigEndian(bytes.substr(at, 4))) / kThousand;
  };
  return Moved{number(0), number(4)};
}

Status FoldScored(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                  const fb::MemoryRecordT& before, Overlay& state) {
  if (!payload || !payload->pass()) return {};
  const auto* scored = entry.event_as_MemoryScored();
  const auto* described = entry.event_as_MemoryDescribed();
  if (!scored && !described) return {};
  const float importance = scored ? scored->importance() : described->importance();
  const float confidence = scored ? scored->confidence() : before.confidence;
  const Uuid id = FromId(*MemoryOf(entry));
  const ValueKey pass = PassKey(secret, payload->pass()->string_view());
  ASSIGN_OR_RETURN(Moved moved, MovedBy(state, entry.space(), pass, id));
  moved.importance += std::abs(importance - before.importance);
  moved.confidence += std::abs(confidence - before.confidence);
  const auto number = [](float value) {
    return static_cast<std::uint32_t>(std::lround(value * kThousand));
  };
  state.Put(Family::kRows, tables::Scored(entry.space(), pass, id),
            Key().U32(number(moved.importance)).U32(number(moved.confidence)).Take(), 0);
  return {};
}

}  // namespace perdure
