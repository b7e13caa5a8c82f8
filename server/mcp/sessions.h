// What a client of the legacy era is remembered by between its messages.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/front_limits.h"
#include "engine/base/mutex.h"
#include "engine/base/random.h"
#include "server/api/caller.h"
#include "server/api/dialogue.h"
#include "server/mcp/providers.h"

namespace perdure {

// Begun by `initialize`. Used from many threads at once.
class McpSession {
 public:
  explicit McpSession(std::string client) : client_(std::move(client)) {}

  const std::string& client() const { return client_; }  // "name/version", or empty

  std::optional<LogLevel> log_from() const;  // none until logging/setLevel
  void set_log_from(LogLevel level);

  // What changes from here on is news, and perhaps what changed since the last Poll. False when
  // kSubscriptionUrisMax others are watched already.
  bool Watch(const ResourceProvider& resources, const Caller& caller, const std::string& uri);
  void Unwatch(const std::string& uri);
  bool IsWatching() const;

  // The notifications since the last Poll, each given once.
  std::vector<nlohmann::json> Poll(const ResourceProvider& resources, const Caller& caller);

  void End();
  bool HasEnded() const;

 private:
  const std::string client_;
  mutable Mutex mutex_;
  std::optional<LogLevel> log_from_ GUARDED_BY(mutex_);
  std::vector<std::string> uris_ GUARDED_BY(mutex_);
  std::uint64_t position_ GUARDED_BY(mutex_) = 0;
  bool has_ended_ GUARDED_BY(mutex_) = false;
};

// The sessions of a server, by Mcp-Session-Id:
//
//   id := 16 hexadecimal digits of this server's start, "-", 32 hexadecimal digits of the session
//
// They live as long as the server does; the one used least recently makes room for a new one.
class McpSessions {
 public:
  explicit McpSessions(Random& random, std::size_t sessions_max = limits::kMcpSessionsMax);

  // The new session's id.
  std::string Add(const Caller& caller, std::shared_ptr<McpSession> session);

  // Null unless `id` names a session of this caller's token.
  std::shared_ptr<McpSession> Find(const Caller& caller, std::string_view id);

  // Whether `id` is of this server's start: one that is and is not found has ended. Others were
  // begun before a restart, which lost nothing but what the session asked to be told.
  bool IsOfThisStart(std::string_view id) const { return id.starts_with(start_); }

  bool End(const Caller& caller, std::string_view id);  // false: there is none

 private:
  struct Entry {
    std::string id;
    std::string token_id;
    std::shared_ptr<McpSession> session;
  };
  using Entries = std::list<Entry>;  // the most recently used first

  std::string Draw(std::size_t bytes);
  Entries::iterator Locate(const Caller& caller, std::string_view id) REQUIRES(mutex_);

  Random& random_;
  const std::size_t sessions_max_;
  const std::string start_;
  Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);
  std::map<std::string, Entries::iterator, std::less<>> by_id_ GUARDED_BY(mutex_);
};

}  // namespace perdure
