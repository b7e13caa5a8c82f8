#include "server/api/memory_completions.h"

#include <algorithm>

#include "engine/base/front_limits.h"
#include "engine/decide/rules.h"
#include "engine/model/codec.h"
#include "engine/model/scope.h"
#include "engine/model/tables.h"
#include "server/api/requests.h"

namespace perdure {
namespace {

// The containers of the space; users, agents and runs are left out.
Result<std::vector<Seq>> Containers(const StateReader& reader, SpaceId space) {
  std::vector<Seq> nodes;
  Status malformed;
  const std::string prefix = tables::ScopeNodePrefix(space);
  RETURN_IF_ERROR(reader.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        const auto record = Unpack<fb::ScopeNodeRecordT>(value);
        if (!record) {
          malformed = std::unexpected(record.error());
        } else if (record->node_class == fb::NodeClass::container && record->deleted_seq == 0) {
          nodes.push_back(ReadBigEndian(key.substr(prefix.size())));
        }
        return malformed.has_value() && nodes.size() < limits::kScopesCompletedMax;
      }));
  RETURN_IF_ERROR(malformed);
  return nodes;
}

Result<std::vector<std::string>> Scopes(const Engine& engine, const ReadView& view,
                                        std::string_view typed) {
  ASSIGN_OR_RETURN(const auto nodes, Containers(engine.Latest(), view.principal().space));
  ASSIGN_OR_RETURN(const auto own, view.ResolveScope(std::nullopt));
  if (!own) return std::vector<std::string>();
  std::vector<std::string> names;
  for (const Seq node : nodes) {
    const fb::ScopeRef one(node, own->user(), own->agent(), own->run());
    ASSIGN_OR_RETURN(const bool inside, ScopeContains(view.now(), view.space(), *own, one));
    if (!inside) continue;
    ASSIGN_OR_RETURN(const ScopePath path, view.NameScope(fb::ScopeRef(node, 0, 0, 0)));
    std::string name = FormatScope(path);
    if (name.starts_with(typed)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

// The newest memories first, which begin alike: their ids begin with the time.
Result<std::vector<std::string>> Memories(const ReadView& view, std::string_view typed) {
  ASSIGN_OR_RETURN(const MemoryPage page, view.List({}, limits::kListLimitMax, ""));
  std::vector<std::string> ids;
  for (const Memory& memory : page.memories) {
    std::string id = ToString(memory.id);
    if (id.starts_with(typed)) ids.push_back(std::move(id));
  }
  return ids;
}

// The latest named first.
Result<std::vector<std::string>> Snapshots(const StateReader& reader, SpaceId space,
                                           std::string_view typed) {
  std::vector<Seq> seqs;
  const std::string prefix = tables::SnapshotPrefix(space);
  RETURN_IF_ERROR(reader.Scan(Family::kState, prefix, PrefixEnd(prefix),
                              [&](std::string_view key, std::string_view) {
                                seqs.push_back(ReadBigEndian(key.substr(prefix.size())));
                                return true;
                              }));
  std::vector<std::string> names;
  for (const Seq seq : seqs) {
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, space, seq));
    const auto* name = payload ? (*payload)->name() : nullptr;
    if (name != nullptr && name->string_view().starts_with(typed)) names.push_back(name->str());
  }
  std::ranges::reverse(names);
  return names;
}

}  // namespace

Result<std::vector<std::string>> MemoryCompletions::Complete(const Caller& caller,
                                                             const CompletionTarget& target) const {
  ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine_, caller));
  ASSIGN_OR_RETURN(const ReadView view, engine_.Read(principal));
  if (target.argument == "scope") return Scopes(engine_, view, target.typed);
  if (target.argument == "id") return Memories(view, target.typed);
  if (target.argument == "time") {
    return Snapshots(engine_.Latest(), principal.space, target.typed);
  }
  return std::vector<std::string>();
}

}  // namespace perdure
