// Memories as MCP resources, for hosts that let a person attach them:
//
//   perdure://memory/{id}              as it is now
//   perdure://memory/{id}/v/{n}        a version
//   perdure://memory/{id}/asof/{time}  as it was: a time, a seq or a snapshot name
//   perdure://index                    the table of contents
//   perdure://context{?scope}          what to know on entering a scope; without one, the token's
//
// What is stored stands in envelopes, as in the tools' texts.
#pragma once

#include "engine/engine.h"
#include "server/mcp/providers.h"

namespace perdure {

class MemoryResources final : public ResourceProvider {
 public:
  explicit MemoryResources(const Engine& engine) : engine_(engine) {}  // which outlives this

  std::vector<Resource> List() const override;
  std::vector<ResourceTemplate> Templates() const override;
  Result<ResourceContent> Read(const Caller& caller, const std::string& uri) const override;

  // A position is a seq of the space's log.
  bool CanWatch() const override { return true; }
  ResourceChanges ChangedSince(const Caller& caller, const std::vector<std::string>& uris,
                               std::uint64_t position) const override;

 private:
  const Engine& engine_;
};

}  // namespace perdure
