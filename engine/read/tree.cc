#include "engine/read/tree.h"

#include <algorithm>
#include <map>

#include "engine/apply/place_fold.h"
#include "engine/base/canonical.h"
#include "engine/decide/containers.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

using Counts = std::map<Seq, std::uint64_t>;

std::string TextOf(const flatbuffers::String* text) { return text ? text->str() : std::string(); }

Result<ContainerInfo> Describe(const ReadView& view, Seq node, const fb::ScopeNodeRecordT& record) {
  ContainerInfo info{.node = node, .path = {}, .kind = record.kind, .status = record.status};
  ASSIGN_OR_RETURN(info.path, view.NameScope(fb::ScopeRef(node, 0, 0, 0)));
  const Seq label = record.label_seq != 0 ? record.label_seq : node;
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(view.now(), view.space(), label));
  if (!payload) return info;
  info.description = TextOf((*payload)->description());
  info.conditions = TextOf((*payload)->conditions());
  return info;
}

// What the caller may name: what lies in its scope now, below what it asked for then.
Result<bool> IsShown(const ReadView& view, Seq node, const fb::ScopeRef& asked,
                     const fb::ScopeRef& own) {
  const fb::ScopeRef one(node, 0, 0, 0);
  ASSIGN_OR_RETURN(const bool below, ScopeContains(view.then(), view.space(),
                                                   fb::ScopeRef(asked.container(), 0, 0, 0), one));
  if (!below) return false;
  return ScopeContains(view.now(), view.space(), fb::ScopeRef(own.container(), 0, 0, 0), one);
}

Result<std::vector<NamedPlace>> Name(const ReadView& view, const Nodes& nodes,
                                     const Counts& counts) {
  std::vector<NamedPlace> places;
  for (const auto& [node, count] : counts) {
    if (node == 0) continue;
    const auto record = nodes.find(node);
    if (record == nodes.end()) continue;
    ASSIGN_OR_RETURN(std::string name, NameOf(view.now(), view.space(), node, record->second));
    places.push_back({std::move(name), count});
  }
  std::ranges::sort(places, {}, &NamedPlace::name);
  return places;
}

// Every container above a memory counts it.
void CountAbove(const Nodes& nodes, Seq node, std::uint64_t count, Counts& totals) {
  while (node != 0) {
    totals[node] += count;
    const auto record = nodes.find(node);
    node = record == nodes.end() ? 0 : record->second.parent;
  }
}

}  // namespace

Result<ScopeTree> ReadTree(const ReadView& view, const std::optional<ScopePath>& under) {
  ScopeTree tree;
  ASSIGN_OR_RETURN(const auto asked, view.ResolveScope(under));
  ASSIGN_OR_RETURN(const auto own, view.ResolveScope(std::nullopt));
  if (!asked || !own) return tree;
  ASSIGN_OR_RETURN(const Nodes nodes, ReadNodes(view.then(), view.space()));
  ASSIGN_OR_RETURN(const std::vector<ReadView::Place> places, view.Places());
  Counts containers;
  Counts totals;
  Counts users;
  Counts agents;
  Counts runs;
  Counts stores;
  for (const ReadView::Place& place : places) {
    ASSIGN_OR_RETURN(const bool inside,
                     ScopeContains(view.then(), view.space(), *asked, place.scope));
    if (!inside) continue;
    tree.memories += place.memories;
    containers[place.scope.container()] += place.memories;
    CountAbove(nodes, place.scope.container(), place.memories, totals);
    users[place.scope.user()] += place.memories;
    agents[place.scope.agent()] += place.memories;
    runs[place.scope.run()] += place.memories;
    stores[place.store] += place.memories;
  }
  for (const auto& [node, record] : nodes) {
    if (record.node_class != fb::NodeClass::container || record.deleted_seq != 0) continue;
    ASSIGN_OR_RETURN(const bool shown, IsShown(view, node, *asked, *own));
    if (!shown) continue;
    ASSIGN_OR_RETURN(ContainerInfo info, Describe(view, node, record));
    info.memories = containers[node];
    info.total = totals[node];
    tree.containers.push_back(std::move(info));
  }
  std::ranges::sort(tree.containers, {},
                    [](const ContainerInfo& info) { return info.path.containers; });
  ASSIGN_OR_RETURN(tree.users, Name(view, nodes, users));
  ASSIGN_OR_RETURN(tree.agents, Name(view, nodes, agents));
  ASSIGN_OR_RETURN(tree.runs, Name(view, nodes, runs));
  ASSIGN_OR_RETURN(tree.stores, Name(view, nodes, stores));
  if (stores[0] != 0) {
    tree.stores.insert(tree.stores.begin(), {std::string(kDefaultStore), stores[0]});
  }
  return tree;
}

Result<bool> Mentions(const ContainerInfo& container, std::string_view query) {
  std::string words = container.path.containers.empty() ? "" : container.path.containers.back();
  words += " " + container.description + " " + container.conditions;
  ASSIGN_OR_RETURN(const std::string said, Canonical(words));
  ASSIGN_OR_RETURN(const std::string wanted, Canonical(query));
  std::string_view rest = wanted;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (said.find(rest.substr(0, end)) == std::string::npos) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

}  // namespace perdure
