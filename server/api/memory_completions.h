// What goes on from what a person types into a prompt's or a resource template's field: names of
// scopes, ids of memories, names of snapshots.
#pragma once

#include "engine/engine.h"
#include "server/mcp/providers.h"

namespace perdure {

class MemoryCompletions final : public CompletionProvider {
 public:
  explicit MemoryCompletions(const Engine& engine) : engine_(engine) {}  // which outlives this

  // Cost: the names of up to 10,000 scopes, or one page of a list.
  Result<std::vector<std::string>> Complete(const Caller& caller,
                                            const CompletionTarget& target) const override;

 private:
  const Engine& engine_;
};

}  // namespace perdure
