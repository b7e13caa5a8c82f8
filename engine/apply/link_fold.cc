#include "engine/apply/link_fold.h"

#include <vector>

#include "engine/log/entry.h"
#include "engine/model/codec.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"
#include "schema/records_generated.h"

namespace perdure {
namespace {

struct Edge {
  Seq link = 0;
  Uuid from;
  Uuid to;
};

Status Drop(const fb::Entry& entry, const Edge& edge, const Secret& secret, Overlay& state) {
  const SpaceId space = entry.space();
  state.Delete(Family::kState, tables::Link(space, edge.from, edge.link), entry.record_time());
  state.Delete(Family::kState, tables::Link(space, edge.to, edge.link), entry.record_time());
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(state, space, edge.link));
  if (!payload || !(*payload)->type()) return {};
  const ValueKey name = LinkKey(secret, edge.from, edge.to, (*payload)->type()->string_view());
  state.Delete(Family::kRows, tables::LinkName(space, name), 0);
  return {};
}

}  // namespace

void FoldLinked(const fb::Entry& entry, const fb::LinkAdded& event, const fb::Payload* payload,
                const Secret& secret, Overlay& state) {
  fb::LinkRecordT record;
  record.record_time = entry.record_time();
  record.from = *event.from();
  record.to = *event.to();
  const Uuid from = FromId(*event.from());
  const Uuid to = FromId(*event.to());
  for (const Uuid& end : {from, to}) {
    state.Put(Family::kState, tables::Link(entry.space(), end, entry.seq()), Pack(record),
              entry.record_time());
  }
  if (!payload || !payload->type()) return;
  const ValueKey name = LinkKey(secret, from, to, payload->type()->string_view());
  state.Put(Family::kRows, tables::LinkName(entry.space(), name), Key().U64(entry.seq()).Take(), 0);
}

Status FoldUnlinked(const fb::Entry& entry, const fb::LinkRemoved& event, const Secret& secret,
                    Overlay& state) {
  return Drop(entry, {event.link(), FromId(*event.from()), FromId(*event.to())}, secret, state);
}

Status EraseLinks(const fb::Entry& entry, const Secret& secret, Overlay& state) {
  const std::string prefix = tables::LinkPrefix(entry.space(), FromId(*MemoryOf(entry)));
  std::vector<Edge> edges;
  Status malformed;
  RETURN_IF_ERROR(state.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        const auto link = Unpack<fb::LinkRecordT>(value);
        if (!link) malformed = std::unexpected(link.error());
        if (link) {
          edges.push_back(
              {ReadBigEndian(key.substr(prefix.size())), FromId(link->from), FromId(link->to)});
        }
        return malformed.has_value();
      }));
  RETURN_IF_ERROR(malformed);
  for (const Edge& edge : edges) RETURN_IF_ERROR(Drop(entry, edge, secret, state));
  return {};
}

}  // namespace perdure
