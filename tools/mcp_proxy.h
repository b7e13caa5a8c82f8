// MCP over standard input and output, answered by a server that runs elsewhere: each line becomes
// a POST to its /mcp, each answer a line.
#pragma once

#include <iosfwd>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "engine/base/mutex.h"
#include "server/http/client.h"
#include "tools/directory_lock.h"

namespace perdure {

class McpProxy {
 public:
  struct Tokens {
    std::string own;
    std::string operators;  // vouches for stdio (server/http/guard.h); empty: nobody does
  };

  // `in` and `out` outlive this. Nothing but messages is written to `out`.
  McpProxy(LockHolder server, Tokens tokens, std::istream& in, std::ostream& out);
  ~McpProxy();  // ends the subscriptions

  // Forwards `first`, then what `in` gives. Returns nullopt at its end, or the line that the server
  // cannot have seen because it is gone: another one may answer it.
  std::optional<std::string> Run(std::optional<std::string> first);

 private:
  struct Subscription {
    nlohmann::json id;  // null: of the session, which has no request to answer
    std::unique_ptr<HttpClient> client;
    std::jthread thread;
  };

  bool OutputIsOpen() EXCLUDES(out_mutex_);
  std::optional<std::string> ReadLine();
  bool Forward(const std::string& line);  // false: not sent
  Result<ClientReply> Exchange(HttpClient& client, const ClientRequest& request,
                               const std::stop_token& stop);
  void Answer(const nlohmann::json& message, const ClientReply& reply);
  void Follow(const ClientReply& initialized);
  void Subscribe(const nlohmann::json& id, ClientRequest request);
  void Listen(Subscription& subscription, const ClientRequest& request,
              const std::stop_token& stop);
  static void End(Subscription& subscription);
  void Cancel(const nlohmann::json& id);
  ClientRequest RequestFor(const std::string& line, const nlohmann::json& message);
  void WriteError(const nlohmann::json& id, int code, const std::string& message);
  void WriteLine(const std::string& line);

  const LockHolder server_;
  const Tokens tokens_;
  std::istream& in_;
  Mutex out_mutex_;
  std::ostream& out_ GUARDED_BY(out_mutex_);
  HttpClient client_;
  std::string session_;  // Mcp-Session-Id, once a legacy client has initialized
  std::string agent_;    // User-Agent: what the client called itself in `initialize`
  std::list<Subscription> subscriptions_;
};

}  // namespace perdure
