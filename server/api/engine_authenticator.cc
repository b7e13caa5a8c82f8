#include "server/api/engine_authenticator.h"

#include "server/api/requests.h"

namespace perdure {

Result<Caller> EngineAuthenticator::Authenticate(std::string_view bearer_token) const {
  const auto principal = engine_.Authenticate(bearer_token);
  if (principal) return CallerOf(engine_, *principal);
  if (principal.error().code != Code::kUnauthenticated) return std::unexpected(principal.error());
  return Fail(Code::kUnauthenticated,
              "The token is unknown, revoked or expired. An operator issues tokens with `perdure "
              "token issue`.");
}

}  // namespace perdure
