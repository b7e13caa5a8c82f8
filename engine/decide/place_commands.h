// The commands on the tree of containers, and on folders that stores mirror.
#pragma once

#include <optional>
#include <string>

#include "engine/model/scope.h"
#include "engine/storage/keys.h"
#include "schema/entry_generated.h"

namespace perdure {

// A container is named by a scope of containers alone. One that was deleted is made again.
struct CreateContainer {
  ScopePath container;
  std::optional<fb::ContainerKind> kind;
  std::optional<fb::ProjectStatus> status;
  std::string description;
  std::string conditions;  // when the project is completed
};
// Only what is set changes. A former name goes on meaning the container.
struct DescribeContainer {
  ScopePath container;
  std::optional<std::string> name;
  std::optional<fb::ContainerKind> kind;
  std::optional<fb::ProjectStatus> status;
  std::optional<std::string> description;
  std::optional<std::string> conditions;
};
struct MoveContainer {
  ScopePath container;
  ScopePath parent;  // the new one; empty: the root
};
// With all containers below it. Without `move_to` it is refused while a memory is in one of them.
struct DeleteContainer {
  ScopePath container;
  std::optional<ScopePath> move_to;  // which takes all their memories
};

// The store mirrors the folder from now on: its memories are changed by the source alone.
struct AddSource {
  std::string store;
  std::string root;
  std::string settings;  // patterns and defaults, a JSON object as canonical text
};
// Its memories stay, and can be changed like any other.
struct RemoveSource {
  Seq source = 0;  // the SourceAdded entry
};

}  // namespace perdure
