// Prompts that a person picks in an MCP host: recall before work, store after it, tidy up.
#pragma once

#include "server/mcp/providers.h"

namespace perdure {

class MemoryPrompts final : public PromptProvider {
 public:
  std::vector<Prompt> List() const override;
  Result<nlohmann::json> Render(const Caller& caller, const std::string& name,
                                const nlohmann::json& arguments, Dialogue& talk) const override;
};

}  // namespace perdure
