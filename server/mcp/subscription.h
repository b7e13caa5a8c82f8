// One open subscriptions/listen request (MCP 2026-07-28).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/mcp/providers.h"

namespace perdure {

inline constexpr std::chrono::milliseconds kSubscriptionPoll{200};

// The transport writes Acknowledge() first, then what Poll() returns every kSubscriptionPoll, and
// End() when the server ends it. Used by one thread at a time.
class McpSubscription {
 public:
  // `provider` may be null when `uris` is empty, and outlives this.
  McpSubscription(const ResourceProvider* provider, Caller caller, nlohmann::json id,
                  std::vector<std::string> uris);

  const nlohmann::json& id() const { return id_; }
  nlohmann::json Acknowledge() const;
  std::vector<nlohmann::json> Poll();
  nlohmann::json End() const;

 private:
  nlohmann::json Notification(const char* method, nlohmann::json params) const;

  const ResourceProvider* provider_;
  Caller caller_;
  nlohmann::json id_;
  std::vector<std::string> uris_;
  std::uint64_t position_ = 0;
};

}  // namespace perdure
