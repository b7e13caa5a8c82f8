#include "server/mcp/subscription.h"

#include <utility>

#include "server/mcp/protocol.h"

namespace perdure {

using Json = nlohmann::json;

McpSubscription::McpSubscription(const ResourceProvider* provider, Caller caller, Json id,
                                 std::vector<std::string> uris)
    : provider_(provider), caller_(std::move(caller)), id_(std::move(id)), uris_(std::move(uris)) {
  if (!uris_.empty()) position_ = provider_->ChangedSince(caller_, uris_, 0).position;
}

Json McpSubscription::Notification(const char* method, Json params) const {
  params["_meta"][mcp::kSubscriptionIdKey] = id_;
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json McpSubscription::Acknowledge() const {
  Json filter = Json::object();
  if (!uris_.empty()) filter["resourceSubscriptions"] = uris_;
  return Notification("notifications/subscriptions/acknowledged", {{"notifications", filter}});
}

std::vector<Json> McpSubscription::Poll() {
  std::vector<Json> notifications;
  if (uris_.empty()) return notifications;
  const ResourceChanges changes = provider_->ChangedSince(caller_, uris_, position_);
  position_ = changes.position;
  for (const std::string& uri : changes.uris) {
    notifications.push_back(Notification("notifications/resources/updated", {{"uri", uri}}));
  }
  return notifications;
}

Json McpSubscription::End() const {
  const Json result = {{"resultType", "complete"}, {"_meta", {{mcp::kSubscriptionIdKey, id_}}}};
  return {{"jsonrpc", "2.0"}, {"id", id_}, {"result", result}};
}

}  // namespace perdure
