// A small catalogue, tokens, resources and prompts for the tests of the front ends.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "server/api/operation.h"
#include "server/mcp/endpoint.h"
#include "server/mcp/providers.h"

namespace perdure::testing {

// "agent-token", "auditor-token", "operator-token", "tenant-operator-token" (of another space),
// "part-operator-token" (with a scope); anything else is refused.
class FixedTokens final : public Authenticator {
 public:
  Result<Caller> Authenticate(std::string_view bearer_token) const override;
};

// Notes in memory, watchable as perdure://memory/ID.
class Notes final : public ResourceProvider {
 public:
  int Put(const std::string& id, const std::string& text);  // the new version
  Result<nlohmann::json> Get(const std::string& id) const;

  std::vector<Resource> List() const override;
  std::vector<ResourceTemplate> Templates() const override;
  Result<ResourceContent> Read(const Caller& caller, const std::string& uri) const override;
  bool CanWatch() const override { return true; }
  ResourceChanges ChangedSince(const Caller& caller, const std::vector<std::string>& uris,
                               std::uint64_t position) const override;

 private:
  struct Note {
    std::string text;
    int version = 0;
    std::uint64_t changed = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Note> notes_;
  std::uint64_t position_ = 1;
};

class OnePrompt final : public PromptProvider {
 public:
  std::vector<Prompt> List() const override;
  Result<nlohmann::json> Render(const Caller& caller, const std::string& name,
                                const nlohmann::json& arguments, Dialogue& talk) const override;
};

// echo (read), note_put (write), note_get (read, with an envelope), note_fail (fails with the code
// asked for), note_throw (a bug), audit_peek (auditors only), rest_only (no MCP tool).
void AddFixtureOperations(Catalogue& catalogue, Notes& notes);

McpEndpoint::Options FixtureOptions();

// All of it together; not to be moved.
struct Fixture {
  explicit Fixture(WritePolicy writes = WritePolicy::kAlways) : catalogue(writes) {
    AddFixtureOperations(catalogue, notes);
  }
  Notes notes;
  OnePrompt prompt;
  FixedTokens tokens;
  Catalogue catalogue;
  McpEndpoint mcp{FixtureOptions(), &catalogue, &notes, &prompt};
};

}  // namespace perdure::testing
