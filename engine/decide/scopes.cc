// Scopes as nodes: how a path finds them, and what the principal's own takes in.
#include <fmt/format.h>

#include <algorithm>

#include "engine/apply/place_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/containers.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

struct Part {
  fb::NodeClass node_class;
  const std::string& name;
};

std::vector<Part> LabelParts(const ScopePath& path) {
  std::vector<Part> parts;
  if (!path.user.empty()) parts.push_back({fb::NodeClass::user, path.user});
  if (!path.agent.empty()) parts.push_back({fb::NodeClass::agent, path.agent});
  if (!path.run.empty()) parts.push_back({fb::NodeClass::run, path.run});
  return parts;
}

void SetPart(fb::ScopeRef& ref, fb::NodeClass node_class, Seq node) {
  if (node_class == fb::NodeClass::user) ref.mutate_user(node);
  if (node_class == fb::NodeClass::agent) ref.mutate_agent(node);
  if (node_class == fb::NodeClass::run) ref.mutate_run(node);
}

Result<Seq> EnsureNode(Transaction& txn, fb::NodeClass node_class, Seq parent,
                       const std::string& name) {
  ASSIGN_OR_RETURN(const auto known,
                   FindNode(txn.state(), txn.space(), txn.secret(), node_class, parent, name));
  if (known) return *known;
  fb::ScopeNodeCreatedT event;
  event.node_class = node_class;
  event.parent = parent;
  fb::PayloadT payload;
  payload.name = name;
  return txn.Append(MakeEvent(std::move(event)), std::move(payload),
                    {.cause = 0, .with_reason = false});
}

std::unexpected<Error> Outside(const Transaction& txn, const ScopePath& path) {
  return Refuse(Rule::kScope,
                fmt::format("The scope '{}' lies outside this token's scope '{}'.",
                            FormatScope(path), FormatScope(txn.principal().scope)),
                "scope");
}

// Whose nodes are asked for.
struct Space {
  const StateReader& reader;
  SpaceId id;
  const Secret& secret;
};

Space SpaceOf(const Transaction& txn) { return {txn.state(), txn.space(), txn.secret()}; }

// The containers of a path that exist, from the root down.
Result<std::vector<Seq>> Existing(const Space& space, const std::vector<std::string>& names) {
  std::vector<Seq> nodes;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const auto node,
                     FindNode(space.reader, space.id, space.secret, fb::NodeClass::container,
                              nodes.empty() ? 0 : nodes.back(), name));
    if (!node) break;
    nodes.push_back(*node);
  }
  return nodes;
}

// A path reaches what its nodes reach, by whatever names; where the outer scope is not made yet,
// names are all there is.
Result<bool> LiesWithin(const Space& space, const ScopePath& path, const std::vector<Seq>& nodes,
                        const ScopePath& outer) {
  const auto labels = [](const ScopePath& of) {
    return ScopePath{.containers = {}, .user = of.user, .agent = of.agent, .run = of.run};
  };
  if (!IsWithin(labels(path), labels(outer))) return false;
  ASSIGN_OR_RETURN(const std::vector<Seq> roots, Existing(space, outer.containers));
  if (roots.size() < outer.containers.size()) return IsWithin(path, outer);
  const fb::ScopeRef above(roots.empty() ? 0 : roots.back(), 0, 0, 0);
  const fb::ScopeRef below(nodes.empty() ? 0 : nodes.back(), 0, 0, 0);
  return ScopeContains(space.reader, space.id, above, below);
}

// A scope that was deleted takes nothing more until it is made again.
Status CheckNotDeleted(const Transaction& txn, const std::vector<Seq>& nodes) {
  if (nodes.empty()) return {};
  ASSIGN_OR_RETURN(const auto record, ReadNode(txn.state(), txn.space(), nodes.back()));
  if (!record || record->deleted_seq == 0) return {};
  return Refuse(Rule::kNothing,
                fmt::format("This scope was deleted by entry {}. Use another one, or make it again "
                            "with workspace create.",
                            record->deleted_seq),
                "scope");
}

}  // namespace

Result<std::optional<Seq>> FindNode(const StateReader& reader, SpaceId space, const Secret& secret,
                                    fb::NodeClass node_class, Seq parent, std::string_view name) {
  const ValueKey key = ScopeNameKey(secret, node_class, parent, name);
  ASSIGN_OR_RETURN(const auto row, reader.Get(Family::kRows, tables::ScopeName(space, key)));
  if (!row) return std::nullopt;
  return ReadBigEndian(*row);
}

Result<std::optional<fb::ScopeRef>> FindScope(const StateReader& reader, SpaceId space,
                                              const Secret& secret, const ScopePath& path) {
  fb::ScopeRef ref;
  for (const std::string& name : path.containers) {
    ASSIGN_OR_RETURN(const auto node, FindNode(reader, space, secret, fb::NodeClass::container,
                                               ref.container(), name));
    if (!node) return std::nullopt;
    ref.mutate_container(*node);
  }
  for (const Part& part : LabelParts(path)) {
    ASSIGN_OR_RETURN(const auto node,
                     FindNode(reader, space, secret, part.node_class, 0, part.name));
    if (!node) return std::nullopt;
    SetPart(ref, part.node_class, *node);
  }
  return ref;
}

Result<bool> PathLiesWithin(const StateReader& reader, SpaceId space, const Secret& secret,
                            const ScopePath& path, const ScopePath& outer) {
  const Space in{reader, space, secret};
  ASSIGN_OR_RETURN(const std::vector<Seq> nodes, Existing(in, path.containers));
  return LiesWithin(in, path, nodes, outer);
}

Result<std::optional<fb::ScopeRef>> FindOwnScope(const Transaction& txn, const ScopePath& path) {
  const Space space = SpaceOf(txn);
  ASSIGN_OR_RETURN(const std::vector<Seq> nodes, Existing(space, path.containers));
  ASSIGN_OR_RETURN(const bool own, LiesWithin(space, path, nodes, txn.principal().scope));
  if (!own) return Outside(txn, path);
  return FindScope(txn.state(), txn.space(), txn.secret(), path);
}

Result<fb::ScopeRef> EnsureScope(Transaction& txn, const ScopePath& path) {
  const Space space = SpaceOf(txn);
  ASSIGN_OR_RETURN(const std::vector<Seq> nodes, Existing(space, path.containers));
  ASSIGN_OR_RETURN(const bool own, LiesWithin(space, path, nodes, txn.principal().scope));
  if (!own) return Outside(txn, path);
  RETURN_IF_ERROR(CheckNotDeleted(txn, nodes));
  fb::ScopeRef ref;
  if (!nodes.empty()) ref.mutate_container(nodes.back());
  for (std::size_t i = nodes.size(); i < path.containers.size(); ++i) {
    ASSIGN_OR_RETURN(const Seq node, EnsureNode(txn, fb::NodeClass::container, ref.container(),
                                                path.containers[i]));
    ref.mutate_container(node);
  }
  if (nodes.size() < path.containers.size()) {
    RETURN_IF_ERROR(CheckCanBeNamed(txn, ref.container()));
  }
  for (const Part& part : LabelParts(path)) {
    ASSIGN_OR_RETURN(const Seq node, EnsureNode(txn, part.node_class, 0, part.name));
    SetPart(ref, part.node_class, node);
  }
  return ref;
}

Result<std::optional<Seq>> FindStore(const StateReader& reader, SpaceId space, const Secret& secret,
                                     std::string_view name) {
  if (name == kDefaultStore) return Seq{0};
  return FindNode(reader, space, secret, fb::NodeClass::store, 0, name);
}

Result<Seq> EnsureStore(Transaction& txn, const std::string& name) {
  if (name.empty() || name == kDefaultStore) return Seq{0};
  return EnsureNode(txn, fb::NodeClass::store, 0, name);
}

Result<bool> ScopeContains(const StateReader& reader, SpaceId space, const fb::ScopeRef& outer,
                           const fb::ScopeRef& inner) {
  const auto agrees = [](Seq out, Seq in) { return out == 0 || out == in; };
  if (!agrees(outer.user(), inner.user()) || !agrees(outer.agent(), inner.agent()) ||
      !agrees(outer.run(), inner.run())) {
    return false;
  }
  if (outer.container() == 0) return true;
  for (Seq node = inner.container(); node != 0;) {
    if (node == outer.container()) return true;
    ASSIGN_OR_RETURN(const auto record, ReadNode(reader, space, node));
    if (!record) return false;
    node = record->parent;
  }
  return false;
}

Result<bool> MayReach(const Transaction& txn, const fb::ScopeRef& scope) {
  const ScopePath& own = txn.principal().scope;
  if (own.empty()) return true;
  ASSIGN_OR_RETURN(const auto ref, FindScope(txn.state(), txn.space(), txn.secret(), own));
  if (!ref) return false;
  return ScopeContains(txn.state(), txn.space(), *ref, scope);
}

Status RequireSameOwner(const Transaction& txn, const fb::ScopeRef& from, const fb::ScopeRef& to) {
  const auto differs = [](Seq a, Seq b) { return a != 0 && b != 0 && a != b; };
  const bool crosses = differs(from.user(), to.user()) || differs(from.agent(), to.agent()) ||
                       differs(from.run(), to.run());
  if (!crosses || txn.options().cross_scope) return {};
  return Refuse(Rule::kScope,
                "This crosses from one user, agent or run to another. If that is meant, set "
                "cross_scope.",
                "cross_scope");
}

}  // namespace perdure
