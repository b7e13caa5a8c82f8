// The tools, resources and prompts that the conformance suite of the Model Context Protocol calls
// by name (tests/conformance/), each as the suite describes it.
#pragma once

#include "server/api/operation.h"
#include "server/mcp/providers.h"

namespace perdure::testing {

// With `is_flawed` one of them answers what the protocol forbids, which the suite must notice.
void AddConformanceTools(Catalogue& catalogue, bool is_flawed);
void AddConformanceQuestions(Catalogue& catalogue);  // tools that ask (SEP-2322)

class ConformanceResources final : public ResourceProvider {
 public:
  std::vector<Resource> List() const override;
  std::vector<ResourceTemplate> Templates() const override;
  Result<ResourceContent> Read(const Caller& caller, const std::string& uri) const override;
  bool CanWatch() const override { return true; }
};

class ConformancePrompts final : public PromptProvider {
 public:
  std::vector<Prompt> List() const override;
  Result<nlohmann::json> Render(const Caller& caller, const std::string& name,
                                const nlohmann::json& arguments, Dialogue& talk) const override;
};

class ConformanceCompletions final : public CompletionProvider {
 public:
  Result<std::vector<std::string>> Complete(const Caller& caller,
                                            const CompletionTarget& target) const override;
};

// An "elicitation/create" for one required field.
nlohmann::json Form(const char* message, const char* field, const char* type);

inline constexpr const char* kRedPixelPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";

}  // namespace perdure::testing
