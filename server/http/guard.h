// Who may knock: names of this host, pages of this host, and holders of a token.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/api/caller.h"
#include "server/http/message.h"

namespace perdure {

// The names under which a loopback server is reached.
std::vector<std::string> LoopbackNames();

bool IsLoopbackAddress(const std::string& host);  // "127.0.0.1", "::1", "localhost"

class Guard {
 public:
  // `host_names` are those allowed in Host, and in Origin as http or https at any port; without
  // ports, IPv6 addresses in brackets, "*" for any.
  Guard(const Authenticator* authenticator, std::vector<std::string> host_names)
      : authenticator_(authenticator), host_names_(std::move(host_names)) {}

  // Against DNS rebinding: 403 unless Host, and Origin where one is sent, name this host.
  Status CheckOrigin(const HttpRequest& request) const;

  // The caller of "Authorization: Bearer TOKEN" (RFC 6750).
  Result<Caller> CheckToken(const HttpRequest& request) const;

  // Whether "Perdure-Stdio: TOKEN" vouches that the message came over a program's standard input:
  // the token must be an operator's of the space main without a scope, as DIR/operator.token is.
  // Whoever holds it may write through any door anyway. Without it the claim counts for nothing.
  bool VouchesForStdio(const HttpRequest& request) const;

 private:
  bool IsAllowed(std::string_view authority) const;

  const Authenticator* authenticator_;
  std::vector<std::string> host_names_;
};

}  // namespace perdure
