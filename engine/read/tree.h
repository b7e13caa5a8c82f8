// Where memories live, as a caller may see it: the tree of containers, and users, agents, runs and
// stores, each with what default reads show of it.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/read/read_view.h"

namespace perdure {

struct ContainerInfo {
  Seq node = 0;
  ScopePath path;  // as it was called at the view's time
  fb::ContainerKind kind = fb::ContainerKind::folder;
  fb::ProjectStatus status = fb::ProjectStatus::active;
  std::string description;
  std::string conditions;
  std::uint64_t memories = 0;  // in itself
  std::uint64_t total = 0;     // and below it
};

struct NamedPlace {
  std::string name;
  std::uint64_t memories = 0;
};

struct ScopeTree {
  std::vector<ContainerInfo> containers;  // by path, so parents come first
  std::vector<NamedPlace> users;          // by name
  std::vector<NamedPlace> agents;
  std::vector<NamedPlace> runs;
  std::vector<NamedPlace> stores;
  std::uint64_t memories = 0;  // all that the caller sees
};

// The containers at and below `under`; absent: of the caller's own scope. Users, agents, runs and
// stores without a memory that the caller sees are left out. Cost: one scan of the memories.
Result<ScopeTree> ReadTree(const ReadView& view, const std::optional<ScopePath>& under);

// Whether every word of `query` stands in the container's name, description or conditions.
Result<bool> Mentions(const ContainerInfo& container, std::string_view query);

}  // namespace perdure
