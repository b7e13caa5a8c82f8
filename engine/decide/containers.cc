#include "engine/decide/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/apply/place_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/admission.h"
#include "engine/decide/decide.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// Only what people would read and say: no orders to whoever reads it.
Status CheckWords(const Transaction& txn, const std::string& words, std::string_view field) {
  RETURN_IF_ERROR(CheckText(words, limits::kDescriptionBytesMax, field));
  if (words.empty()) return {};
  ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(txn.state(), txn.space()));
  ASSIGN_OR_RETURN(const auto parked, AdmitNote(txn, policy, words));
  if (!parked) return {};
  return Refuse(*parked, "The text gives orders to whoever reads it.", std::string(field));
}

std::unexpected<Error> NameTaken(std::string_view name) {
  return Refuse(Rule::kNameTaken,
                fmt::format("The name '{}' is in use there, or was the name of another container, "
                            "which it still finds. Choose another one.",
                            name),
                "name");
}

// The name below `parent` means `node`, or nothing yet.
Status CheckNameFree(const Transaction& txn, Seq parent, std::string_view name, Seq node) {
  ASSIGN_OR_RETURN(const auto known, FindNode(txn.state(), txn.space(), txn.secret(),
                                              fb::NodeClass::container, parent, name));
  if (!known || *known == node) return {};
  return NameTaken(name);
}

struct Held {
  fb::ScopeNodeRecordT record;
  fb::PayloadT label;
};

Result<Held> ReadHeld(const Transaction& txn, Seq node) {
  ASSIGN_OR_RETURN(auto record, ReadNode(txn.state(), txn.space(), node));
  if (!record) return Fail(Code::kCorrupt, "A container has no record. Run `perdure replay`.");
  Held held{std::move(*record), {}};
  const Seq label = held.record.label_seq != 0 ? held.record.label_seq : node;
  ASSIGN_OR_RETURN(const PayloadRow payload, RequirePayload(txn, label));
  if (payload->name()) held.label.name = payload->name()->str();
  if (payload->description()) held.label.description = payload->description()->str();
  if (payload->conditions()) held.label.conditions = payload->conditions()->str();
  return held;
}

Status AppendDescribed(Transaction& txn, const Held& held, const DescribeContainer& change,
                       Seq node) {
  fb::ContainerDescribedT event;
  event.node = node;
  event.kind = change.kind.value_or(held.record.kind);
  event.status = change.status.value_or(held.record.status);
  fb::PayloadT payload;
  payload.name = change.name.value_or(held.label.name);
  payload.description = change.description.value_or(held.label.description);
  payload.conditions = change.conditions.value_or(held.label.conditions);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

// One name, as a scope would take it.
Status CheckName(const std::string& name) {
  ASSIGN_OR_RETURN(const ScopePath path, ParseScope(name, "name"));
  if (path.containers.size() == 1 && FormatScope(path) == path.containers[0]) return {};
  return Refuse(Rule::kMalformed, "name is one name, without '/' and ';'.", "name");
}

// A deleted container stands again, below one that stands.
Status MakeAgain(Transaction& txn, Seq node, const fb::ScopeNodeRecordT& record) {
  ASSIGN_OR_RETURN(const auto parent, ReadNode(txn.state(), txn.space(), record.parent));
  if (parent && parent->deleted_seq != 0) {
    return Refuse(Rule::kNothing, "The container above it was deleted: make that again first.",
                  "container");
  }
  fb::ContainerRestoredT event;
  event.node = node;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

// What was rejected where the container goes may not come along.
Status CheckMayArrive(const Transaction& txn, const std::vector<Seq>& places) {
  ASSIGN_OR_RETURN(const bool any, HasSuppressions(txn));
  if (!any) return {};
  ASSIGN_OR_RETURN(const auto memories, MemoriesIn(txn, places));
  for (const auto& [id, record] : memories) {
    if (record.state != fb::MemoryState::live) continue;
    Status allowed = CheckMayReturn(txn, record);
    if (allowed) continue;
    allowed.error().message = fmt::format("Memory {}: {}", ToString(id), allowed.error().message);
    return allowed;
  }
  return {};
}

}  // namespace

Result<Nodes> ReadNodes(const StateReader& reader, SpaceId space) {
  Nodes nodes;
  const std::string prefix = tables::ScopeNodePrefix(space);
  Status malformed;
  RETURN_IF_ERROR(reader.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        auto record = Unpack<fb::ScopeNodeRecordT>(value);
        if (!record) {
          malformed = std::unexpected(record.error());
          return false;
        }
        nodes.emplace(ReadBigEndian(key.substr(prefix.size())), std::move(*record));
        return true;
      }));
  RETURN_IF_ERROR(malformed);
  return nodes;
}

std::vector<Seq> Subtree(const Nodes& nodes, Seq root) {
  std::map<Seq, std::vector<Seq>> children;
  for (const auto& [node, record] : nodes) {
    const bool stands = record.node_class == fb::NodeClass::container && record.deleted_seq == 0;
    if (stands) children[record.parent].push_back(node);
  }
  std::vector<Seq> subtree = {root};
  for (std::size_t i = 0; i < subtree.size(); ++i) {
    const auto& below = children[subtree[i]];
    subtree.insert(subtree.end(), below.begin(), below.end());
  }
  return subtree;
}

Result<std::string> NameOf(const StateReader& reader, SpaceId space, Seq node,
                           const fb::ScopeNodeRecordT& record) {
  ASSIGN_OR_RETURN(const auto payload,
                   ReadPayload(reader, space, record.label_seq != 0 ? record.label_seq : node));
  if (!payload || !(*payload)->name()) return std::string();
  return (*payload)->name()->str();
}

Result<Seq> RequireContainer(const Transaction& txn, const ScopePath& path,
                             std::string_view field) {
  if (!path.user.empty() || !path.agent.empty() || !path.run.empty()) {
    return Refuse(Rule::kMalformed, "Name containers alone, like acme/website.",
                  std::string(field));
  }
  const auto none = [&] {
    return Refuse(
        Rule::kNothing,
        fmt::format("There is no container '{}' that this token may see.", FormatScope(path)),
        std::string(field));
  };
  ASSIGN_OR_RETURN(const auto ref, FindScope(txn.state(), txn.space(), txn.secret(), path));
  if (!ref) return none();
  ScopePath containers_of_own;
  containers_of_own.containers = txn.principal().scope.containers;
  ASSIGN_OR_RETURN(const auto own,
                   FindScope(txn.state(), txn.space(), txn.secret(), containers_of_own));
  if (!own) return none();
  ASSIGN_OR_RETURN(const bool inside, ScopeContains(txn.state(), txn.space(), *own, *ref));
  if (!inside) return none();
  if (ref->container() == 0) return Seq{0};
  ASSIGN_OR_RETURN(const auto record, ReadNode(txn.state(), txn.space(), ref->container()));
  if (!record || record->deleted_seq != 0) return none();
  return ref->container();
}

Status RequireAllInside(const Transaction& txn, std::string_view what) {
  const ScopePath& own = txn.principal().scope;
  if (own.user.empty() && own.agent.empty() && own.run.empty()) return {};
  return Refuse(Rule::kScope,
                fmt::format("{} touches memories of every user, agent and run: use a token whose "
                            "scope is a container alone.",
                            what),
                "scope");
}

Status CheckCanBeNamed(const Transaction& txn, Seq node) {
  std::size_t depth = 0;
  std::size_t bytes = 0;
  for (Seq at = node; at != 0; ++depth) {
    ASSIGN_OR_RETURN(const auto record, ReadNode(txn.state(), txn.space(), at));
    if (!record) break;
    ASSIGN_OR_RETURN(const std::string name, NameOf(txn.state(), txn.space(), at, *record));
    bytes += name.size() + (at == node ? 0 : 1);
    at = record->parent;
  }
  if (depth > limits::kScopeDepthMax) {
    return Refuse(Rule::kLimit,
                  fmt::format("A container would lie {} deep; at most {} are allowed.", depth,
                              limits::kScopeDepthMax),
                  "scope");
  }
  if (bytes <= limits::kScopeBytesMax) return {};
  return Refuse(Rule::kLimit,
                fmt::format("The path of a container would have {} bytes; at most {} are allowed.",
                            bytes, limits::kScopeBytesMax),
                "scope");
}

Result<std::vector<std::pair<Uuid, fb::MemoryRecordT>>> MemoriesIn(const Transaction& txn,
                                                                   const std::vector<Seq>& places) {
  const std::set<Seq> wanted(places.begin(), places.end());
  std::vector<std::pair<Uuid, fb::MemoryRecordT>> memories;
  const std::string prefix = tables::MemoryPrefix(txn.space());
  Status malformed;
  RETURN_IF_ERROR(txn.state().Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        auto record = Unpack<fb::MemoryRecordT>(value);
        if (!record) malformed = std::unexpected(record.error());
        if (record && record->state != fb::MemoryState::erased &&
            wanted.contains(record->scope.container())) {
          memories.emplace_back(*UuidFromBytes(key.substr(prefix.size())), std::move(*record));
        }
        return malformed.has_value();
      }));
  RETURN_IF_ERROR(malformed);
  return memories;
}

Status DecideCreateContainer(Transaction& txn, const CreateContainer& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Making a container"));
  RETURN_IF_ERROR(CheckWords(txn, command.description, "description"));
  RETURN_IF_ERROR(CheckWords(txn, command.conditions, "conditions"));
  const ScopePath& path = command.container;
  if (path.containers.empty() || !path.user.empty() || !path.agent.empty() || !path.run.empty()) {
    return Refuse(Rule::kMalformed, "Name the container with its path, like acme/website.",
                  "container");
  }
  ASSIGN_OR_RETURN(const auto known, FindOwnScope(txn, path));
  DescribeContainer change{.container = path};
  change.status = command.status.value_or(fb::ProjectStatus::active);
  change.description = command.description;
  change.conditions = command.conditions;
  Seq node = known ? known->container() : 0;
  if (known) {
    ASSIGN_OR_RETURN(const auto record, ReadNode(txn.state(), txn.space(), node));
    if (!record || record->deleted_seq == 0) return NameTaken(path.containers.back());
    RETURN_IF_ERROR(MakeAgain(txn, node, *record));
    change.kind = command.kind;
  } else {
    ASSIGN_OR_RETURN(const fb::ScopeRef made, EnsureScope(txn, path));
    node = made.container();
    const bool is_below = path.containers.size() > 1;
    change.kind =
        command.kind.value_or(is_below ? fb::ContainerKind::project : fb::ContainerKind::workspace);
  }
  ASSIGN_OR_RETURN(const Held held, ReadHeld(txn, node));
  return AppendDescribed(txn, held, change, node);
}

Status DecideDescribeContainer(Transaction& txn, const DescribeContainer& command) {
  RETURN_IF_ERROR(command.name
                      ? RequireRole(txn, kReviewer | kOperator, "Renaming a container")
                      : RequireRole(txn, kAgent | kReviewer | kOperator, "Describing a container"));
  ASSIGN_OR_RETURN(const Seq node, RequireContainer(txn, command.container, "container"));
  if (node == 0) return Refuse(Rule::kMalformed, "The root has no description.", "container");
  if (command.description) RETURN_IF_ERROR(CheckWords(txn, *command.description, "description"));
  if (command.conditions) RETURN_IF_ERROR(CheckWords(txn, *command.conditions, "conditions"));
  ASSIGN_OR_RETURN(const Held held, ReadHeld(txn, node));
  if (command.name) {
    RETURN_IF_ERROR(CheckName(*command.name));
    RETURN_IF_ERROR(CheckNameFree(txn, held.record.parent, *command.name, node));
  }
  RETURN_IF_ERROR(AppendDescribed(txn, held, command, node));
  if (!command.name) return {};
  ASSIGN_OR_RETURN(const Nodes nodes, ReadNodes(txn.state(), txn.space()));
  for (const Seq one : Subtree(nodes, node)) RETURN_IF_ERROR(CheckCanBeNamed(txn, one));
  return {};
}

Status DecideMoveContainer(Transaction& txn, const MoveContainer& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Moving a container"));
  RETURN_IF_ERROR(RequireAllInside(txn, "Moving a container"));
  ASSIGN_OR_RETURN(const Seq node, RequireContainer(txn, command.container, "container"));
  ASSIGN_OR_RETURN(const Seq parent, RequireContainer(txn, command.parent, "parent"));
  if (node == 0) return Refuse(Rule::kMalformed, "The root cannot be moved.", "container");
  ASSIGN_OR_RETURN(const Nodes nodes, ReadNodes(txn.state(), txn.space()));
  const std::vector<Seq> subtree = Subtree(nodes, node);
  if (std::ranges::find(subtree, parent) != subtree.end()) {
    return Refuse(Rule::kMalformed, "A container cannot be moved below itself.", "parent");
  }
  ASSIGN_OR_RETURN(const Held held, ReadHeld(txn, node));
  RETURN_IF_ERROR(CheckNameFree(txn, parent, held.label.name, node));
  fb::ContainerMovedT event;
  event.node = node;
  event.parent = parent;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  for (const Seq one : subtree) RETURN_IF_ERROR(CheckCanBeNamed(txn, one));
  return CheckMayArrive(txn, subtree);
}

}  // namespace perdure
