#include "engine/apply/place_fold.h"

#include <fmt/format.h>

#include "engine/log/entry.h"
#include "engine/model/codec.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

Result<fb::ScopeNodeRecordT> KnownNode(const fb::Entry& entry, Seq node, const Overlay& state) {
  ASSIGN_OR_RETURN(auto record, ReadNode(state, entry.space(), node));
  if (record) return std::move(*record);
  return Fail(
      Code::kCorrupt,
      fmt::format("Entry {} is about a place that was never made. Run `perdure log verify`.",
                  entry.seq()));
}

void PutNode(const fb::Entry& entry, Seq node, fb::ScopeNodeRecordT record, Overlay& state) {
  record.record_time = entry.record_time();
  state.Put(Family::kState, tables::ScopeNode(entry.space(), node), Pack(record),
            entry.record_time());
}

// From here on the name means the node below `parent`.
void PutName(const fb::Entry& entry, const fb::Payload* payload, Seq node,
             const fb::ScopeNodeRecordT& record, const Secret& secret, Overlay& state) {
  if (!payload || !payload->name()) return;
  const ValueKey name =
      ScopeNameKey(secret, record.node_class, record.parent, payload->name()->string_view());
  state.Put(Family::kRows, tables::ScopeName(entry.space(), name), Key().U64(node).Take(), 0);
}

Status FoldDescribed(const fb::Entry& entry, const fb::ContainerDescribed& event,
                     const fb::Payload* payload, const Secret& secret, Overlay& state) {
  ASSIGN_OR_RETURN(auto record, KnownNode(entry, event.node(), state));
  record.label_seq = entry.seq();
  record.kind = event.kind();
  record.status = event.status();
  PutName(entry, payload, event.node(), record, secret, state);
  PutNode(entry, event.node(), std::move(record), state);
  return {};
}

Status FoldMoved(const fb::Entry& entry, const fb::ContainerMoved& event, const Secret& secret,
                 Overlay& state) {
  ASSIGN_OR_RETURN(auto record, KnownNode(entry, event.node(), state));
  record.parent = event.parent();
  const Seq label = record.label_seq != 0 ? record.label_seq : event.node();
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(state, entry.space(), label));
  if (payload) PutName(entry, &**payload, event.node(), record, secret, state);
  PutNode(entry, event.node(), std::move(record), state);
  return {};
}

}  // namespace

Result<std::optional<fb::ScopeNodeRecordT>> ReadNode(const StateReader& reader, SpaceId space,
                                                     Seq node) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::ScopeNode(space, node)));
  if (!bytes) return std::nullopt;
  return Unpack<fb::ScopeNodeRecordT>(*bytes);
}

void FoldScopeNode(const fb::Entry& entry, const fb::ScopeNodeCreated& event,
                   const fb::Payload* payload, const Secret& secret, Overlay& state) {
  fb::ScopeNodeRecordT record;
  record.parent = event.parent();
  record.node_class = event.node_class();
  PutName(entry, payload, entry.seq(), record, secret, state);
  PutNode(entry, entry.seq(), std::move(record), state);
}

Status FoldContainer(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                     Overlay& state) {
  if (const auto* described = entry.event_as_ContainerDescribed()) {
    return FoldDescribed(entry, *described, payload, secret, state);
  }
  if (const auto* moved = entry.event_as_ContainerMoved()) {
    return FoldMoved(entry, *moved, secret, state);
  }
  const auto* deleted = entry.event_as_ContainerDeleted();
  const Seq node = deleted ? deleted->node() : entry.event_as_ContainerRestored()->node();
  ASSIGN_OR_RETURN(auto record, KnownNode(entry, node, state));
  record.deleted_seq = deleted ? entry.seq() : 0;
  record.moved_to = deleted ? deleted->moved_to() : flatbuffers::nullopt;
  PutNode(entry, node, std::move(record), state);
  return {};
}

Status FoldSourceAdded(const fb::Entry& entry, const fb::SourceAdded& event, Overlay& state) {
  ASSIGN_OR_RETURN(auto store, KnownNode(entry, event.store(), state));
  store.source = entry.seq();
  PutNode(entry, event.store(), std::move(store), state);
  fb::SourceRecordT record;
  record.record_time = entry.record_time();
  record.store = event.store();
  state.Put(Family::kState, tables::Source(entry.space(), entry.seq()), Pack(record),
            entry.record_time());
  return {};
}

Status FoldSourceRemoved(const fb::Entry& entry, const fb::SourceRemoved& event, Overlay& state) {
  const std::string key = tables::Source(entry.space(), event.source());
  ASSIGN_OR_RETURN(const auto bytes, state.Get(Family::kState, key));
  if (!bytes) return Fail(Code::kCorrupt, "The log removes a source that it never added.");
  ASSIGN_OR_RETURN(auto record, Unpack<fb::SourceRecordT>(*bytes));
  ASSIGN_OR_RETURN(auto store, KnownNode(entry, record.store, state));
  store.source = 0;
  PutNode(entry, record.store, std::move(store), state);
  record.record_time = entry.record_time();
  record.removed_seq = entry.seq();
  state.Put(Family::kState, key, Pack(record), entry.record_time());
  return {};
}

}  // namespace perdure
