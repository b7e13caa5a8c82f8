// Who is calling, through which door, and how a bearer token becomes a caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

struct Caller {
  // One bit a role; a token may carry several.
  enum Role : std::uint8_t { kAgent = 1, kReviewer = 2, kAuditor = 4, kOperator = 8 };
  using RoleMask = std::uint8_t;
  static constexpr RoleMask kAnyone = kAgent | kReviewer | kAuditor | kOperator;

  std::string principal_id;
  std::string token_id;
  std::string space;
  RoleMask roles = 0;
  std::string scope;    // what the token is narrowed to; empty: the whole space
  std::string client;   // "name/version" as the client calls itself, or empty
  std::string session;  // what the client calls its session, or empty
  std::string door;     // "mcp-http", "mcp-stdio", "rest" or "cli"

  bool HasAnyOf(RoleMask mask) const { return (roles & mask) != 0; }
};

// Turns a token into the caller it stands for; client, session and door are left for the front
// end to fill in. Fails with kUnauthenticated for whatever is not a token in force, in the same
// words whether it is unknown, revoked or expired. Called from many threads at once.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual Result<Caller> Authenticate(std::string_view bearer_token) const = 0;
};

}  // namespace perdure
