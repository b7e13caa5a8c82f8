#include "engine/apply/fact_fold.h"

#include <set>
#include <utility>

#include "engine/log/entry.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

Place PlaceIn(const fb::MemoryRecordT& record) {
  return {.text_seq = record.text_seq,
          .scope = record.scope,
          .symmetric = record.symmetric,
          .rival = record.kind == fb::MemoryKind::fact && record.state == fb::MemoryState::live,
          .candidate = record.state == fb::MemoryState::pending,
          .disputed =
              record.dispute != fb::Dispute::none &&
              (record.state == fb::MemoryState::live || record.state == fb::MemoryState::disputed)};
}

std::string Encode(const fb::ScopeRef& scope) {
  return Key().U64(scope.container()).U64(scope.user()).U64(scope.agent()).U64(scope.run()).Take();
}

// The keys of the fact whose words entry `place.text_seq` brought; nullopt when they are gone.
Result<std::optional<FactKeys>> KeysAt(const FoldContext& context, const Place& place,
                                       const StateReader& state) {
  if (context.payload && place.text_seq == context.entry.seq()) {
    return KeysOfFact(context.secret, FactWords::Of(*context.payload), place.symmetric,
                      place.scope);
  }
  ASSIGN_OR_RETURN(const auto text, ReadPayload(state, context.entry.space(), place.text_seq));
  if (!text) return std::nullopt;
  return KeysOfFact(context.secret, FactWords::Of(**text), place.symmetric, place.scope);
}

// Calls `visit` with the row of each key by which the fact's words are found.
template <typename Visit>
void EachWordRow(SpaceId space, const FactKeys& keys, const Uuid& id, Seq text_seq, Visit&& visit) {
  for (const auto* some : {&keys.subjects, &keys.slots, &keys.values}) {
    for (const ValueKey& key : *some) visit(tables::Value(space, key, id, text_seq));
  }
}

// A row of words holds every scope in which the fact ever said them.
Status AddScope(std::string row, const std::string& scope, Overlay& state) {
  ASSIGN_OR_RETURN(const auto known, state.Get(Family::kRows, row));
  std::string scopes = known.value_or("");
  for (std::string_view rest = scopes; !rest.empty(); rest.remove_prefix(scope.size())) {
    if (rest.starts_with(scope)) return {};
  }
  state.Put(Family::kRows, std::move(row), scopes + scope, 0);
  return {};
}

// The rows by which the fact is found from its other end go.
void DropOtherEnd(SpaceId space, const FactKeys& both, const FactKeys& kept,
                  const std::pair<Uuid, Seq>& words, Overlay& state) {
  std::set<std::string> rows;
  const auto& [id, text_seq] = words;
  EachWordRow(space, kept, id, text_seq, [&](std::string row) { rows.insert(std::move(row)); });
  EachWordRow(space, both, id, text_seq, [&](std::string row) {
    if (!rows.contains(row)) state.Delete(Family::kRows, std::move(row), 0);
  });
}

Status FoldFact(const FoldContext& context, const std::optional<Place>& before,
                const fb::MemoryRecordT& after, Overlay& state) {
  const Place place = PlaceIn(after);
  const SpaceId space = context.entry.space();
  const bool turned = before && before->symmetric != place.symmetric;
  const bool moved = !before || turned || before->text_seq != place.text_seq ||
                     !SameScope(before->scope, place.scope);
  if (!moved && before->rival == place.rival) return {};
  if (before && (before->rival || turned)) {
    ASSIGN_OR_RETURN(const auto keys, KeysAt(context, *before, state));
    if (turned && !place.symmetric) {
      ASSIGN_OR_RETURN(const auto kept, KeysAt(context, place, state));
      if (keys && kept) DropOtherEnd(space, *keys, *kept, {context.id, place.text_seq}, state);
    }
    if (keys) {
      for (const ValueKey& slot : keys->scoped) {
        state.Delete(Family::kRows, tables::Slot(space, slot, context.id), 0);
      }
    }
  }
  ASSIGN_OR_RETURN(const auto keys, KeysAt(context, place, state));
  if (!keys) return {};
  if (moved) {
    Status added;
    EachWordRow(space, *keys, context.id, place.text_seq, [&](std::string row) {
      if (added) added = AddScope(std::move(row), Encode(place.scope), state);
    });
    RETURN_IF_ERROR(added);
  }
  if (!place.rival) return {};
  for (const ValueKey& slot : keys->scoped) {
    state.Put(Family::kRows, tables::Slot(space, slot, context.id), "", 0);
  }
  return {};
}

void FoldEvidence(const FoldContext& context, Overlay& state) {
  if (!context.payload) return;
  const SpaceId space = context.entry.space();
  for (const ValueKey& key :
       EvidenceKeys(context.secret, *context.payload, EvidenceTimeOf(context.entry))) {
    state.Put(Family::kRows, tables::Value(space, key, context.id, context.entry.seq()), "", 0);
  }
}

// What a memory was made from finds it from now on: ids only, so the rows may stay for ever.
void FoldSources(const FoldContext& context, Overlay& state) {
  const auto* stored = context.entry.event_as_MemoryStored();
  if (!stored) return;
  const auto add = [&](const fb::Id& source) {
    state.Put(Family::kState, tables::Derived(context.entry.space(), FromId(source), context.id),
              "", context.entry.record_time());
  };
  if (stored->derived_from()) {
    for (const fb::Id* source : *stored->derived_from()) add(*source);
  }
  if (stored->evidence_memory()) add(*stored->evidence_memory());
}

void FoldQueue(const FoldContext& context, ReviewQueue queue, bool was, bool is, Overlay& state) {
  if (was == is) return;
  std::string key = tables::QueuePrefix(context.entry.space(), static_cast<std::uint8_t>(queue));
  key += AsBytes(context.id);
  const Micros time = context.entry.record_time();
  if (is) {
    state.Put(Family::kState, std::move(key), "", time);
  } else {
    state.Delete(Family::kState, std::move(key), time);
  }
}

}  // namespace

std::optional<Place> PlaceOf(const std::optional<fb::MemoryRecordT>& record) {
  return record ? std::optional<Place>(PlaceIn(*record)) : std::nullopt;
}

Status FoldPlace(const FoldContext& context, const std::optional<Place>& before,
                 const fb::MemoryRecordT& after, Overlay& state) {
  const Place place = PlaceIn(after);
  FoldQueue(context, ReviewQueue::kCandidates, before && before->candidate, place.candidate, state);
  FoldQueue(context, ReviewQueue::kDisputes, before && before->disputed, place.disputed, state);
  FoldSources(context, state);
  if (after.kind != fb::MemoryKind::fact) return {};
  FoldEvidence(context, state);
  return FoldFact(context, before, after, state);
}

Status DeleteFactRows(SpaceId space, const Uuid& id, const fb::MemoryRecordT& record,
                      const Secret& secret, Overlay& state) {
  if (record.kind != fb::MemoryKind::fact) return {};
  ASSIGN_OR_RETURN(const auto text, ReadPayload(state, space, record.text_seq));
  if (!text) return {};
  const FactKeys keys = KeysOfFact(secret, FactWords::Of(**text), record.symmetric, record.scope);
  EachWordRow(space, keys, id, record.text_seq,
              [&](std::string row) { state.Delete(Family::kRows, std::move(row), 0); });
  return {};
}

}  // namespace perdure
