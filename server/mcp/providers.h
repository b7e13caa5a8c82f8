// What an MCP endpoint offers beside tools: resources, prompts, completions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "server/api/caller.h"
#include "server/api/dialogue.h"

namespace perdure {

struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct ResourceTemplate {
  std::string uri_template;  // RFC 6570 level 1, e.g. perdure://memory/{id}/v/{n}
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct ResourceContent {
  std::string uri;
  std::string mime_type;
  std::string bytes;
  bool is_text = true;  // UTF-8; anything else goes out as base64
};

// Those among the asked URIs that changed, and the position to ask from next time.
struct ResourceChanges {
  std::uint64_t position = 0;
  std::vector<std::string> uris;
};

// Called from many threads at once. The lists are the same for every caller and in fixed order.
class ResourceProvider {
 public:
  virtual ~ResourceProvider() = default;
  virtual std::vector<Resource> List() const = 0;
  virtual std::vector<ResourceTemplate> Templates() const = 0;
  // kNotFound for a URI that names nothing this caller may see.
  virtual Result<ResourceContent> Read(const Caller& caller, const std::string& uri) const = 0;

  // Whether ChangedSince means anything; otherwise subscriptions to resources are not offered.
  virtual bool CanWatch() const { return false; }
  // Asked about five times a second for each open subscription, so cheap while nothing happens.
  // Position 0 asks for the present position and no URIs. A URI that the caller may not see never
  // changes.
  virtual ResourceChanges ChangedSince(const Caller&, const std::vector<std::string>& /*uris*/,
                                       std::uint64_t position) const {
    return {position, {}};
  }
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
};

class PromptProvider {
 public:
  virtual ~PromptProvider() = default;
  virtual std::vector<Prompt> List() const = 0;
  // The text of the single user message, or an array of MCP prompt messages. `arguments` is an
  // object of strings in which every required argument of the prompt is present and no unknown one.
  virtual Result<nlohmann::json> Render(const Caller& caller, const std::string& name,
                                        const nlohmann::json& arguments, Dialogue& talk) const = 0;
};

// An argument that somebody is typing.
struct CompletionTarget {
  enum class Kind { kPrompt, kTemplate };
  Kind kind = Kind::kPrompt;
  std::string name;      // the prompt's name or the resource's uri_template: a listed one
  std::string argument;  // one that it has
  std::string typed;     // so far
};

class CompletionProvider {
 public:
  virtual ~CompletionProvider() = default;
  // What the caller may see that goes on from what is typed, the likeliest first; empty when there
  // is nothing to propose.
  virtual Result<std::vector<std::string>> Complete(const Caller& caller,
                                                    const CompletionTarget& target) const = 0;
};

}  // namespace perdure
