#include "server/mcp/sessions.h"

#include <algorithm>
#include <utility>

#include "engine/base/bytes.h"
#include "server/mcp/subscription.h"

namespace perdure {

using Json = nlohmann::json;

std::optional<LogLevel> McpSession::log_from() const {
  const MutexLock lock(mutex_);
  return log_from_;
}

void McpSession::set_log_from(LogLevel level) {
  const MutexLock lock(mutex_);
  log_from_ = level;
}

bool McpSession::Watch(const ResourceProvider& resources, const Caller& caller,
                       const std::string& uri) {
  const MutexLock lock(mutex_);
  if (std::ranges::find(uris_, uri) != uris_.end()) return true;
  if (uris_.size() >= limits::kSubscriptionUrisMax) return false;
  if (uris_.empty()) position_ = resources.ChangedSince(caller, {uri}, 0).position;
  uris_.push_back(uri);
  return true;
}

void McpSession::Unwatch(const std::string& uri) {
  const MutexLock lock(mutex_);
  std::erase(uris_, uri);
}

bool McpSession::IsWatching() const {
  const MutexLock lock(mutex_);
  return !uris_.empty();
}

std::vector<Json> McpSession::Poll(const ResourceProvider& resources, const Caller& caller) {
  const MutexLock lock(mutex_);
  std::vector<Json> notifications;
  if (uris_.empty()) return notifications;
  ResourceChanges changes = resources.ChangedSince(caller, uris_, position_);
  position_ = changes.position;
  for (std::string& uri : changes.uris) {
    notifications.push_back({{"jsonrpc", "2.0"},
                             {"method", "notifications/resources/updated"},
                             {"params", {{"uri", std::move(uri)}}}});
  }
  return notifications;
}

void McpSession::End() {
  const MutexLock lock(mutex_);
  has_ended_ = true;
}

bool McpSession::HasEnded() const {
  const MutexLock lock(mutex_);
  return has_ended_;
}

McpSessions::McpSessions(Random& random, std::size_t sessions_max)
    : random_(random), sessions_max_(sessions_max), start_(Draw(8) + "-") {}

std::string McpSessions::Draw(std::size_t bytes) {
  std::vector<std::uint8_t> drawn(bytes);
  random_.Fill(drawn);
  return HexEncode({reinterpret_cast<const char*>(drawn.data()), drawn.size()});
}

std::string McpSessions::Add(const Caller& caller, std::shared_ptr<McpSession> session) {
  std::string id = start_ + Draw(16);
  const MutexLock lock(mutex_);
  if (entries_.size() >= sessions_max_) {
    entries_.back().session->End();
    by_id_.erase(entries_.back().id);
    entries_.pop_back();
  }
  entries_.push_front({id, caller.token_id, std::move(session)});
  by_id_[id] = entries_.begin();
  return id;
}

McpSessions::Entries::iterator McpSessions::Locate(const Caller& caller, std::string_view id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || found->second->token_id != caller.token_id) return entries_.end();
  return found->second;
}

std::shared_ptr<McpSession> McpSessions::Find(const Caller& caller, std::string_view id) {
  const MutexLock lock(mutex_);
  const auto entry = Locate(caller, id);
  if (entry == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->session;
}

bool McpSessions::End(const Caller& caller, std::string_view id) {
  const MutexLock lock(mutex_);
  const auto entry = Locate(caller, id);
  if (entry == entries_.end()) return false;
  entry->session->End();
  by_id_.erase(entry->id);
  entries_.erase(entry);
  return true;
}

}  // namespace perdure
