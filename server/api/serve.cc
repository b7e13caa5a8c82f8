#include "server/api/serve.h"

#include <utility>

#include "server/api/requests.h"

namespace perdure {

namespace {

using Json = nlohmann::json;

void Offer(Operation& operation, Caller::RoleMask roles, RestRoute route) {
  operation.roles = roles;
  operation.http_method = std::move(route.method);
  operation.http_path = std::move(route.path);
}

}  // namespace

void Serve(Operation& operation, Caller::RoleMask roles, RestRoute route, Engine& engine,
           Handler run) {
  Offer(operation, roles, std::move(route));
  operation.run = [&engine, run = std::move(run)](const Caller& caller,
                                                  const Json& arguments) -> Result<Json> {
    ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine, caller));
    return run(engine, principal, arguments);
  };
}

void ServeTalking(Operation& operation, Caller::RoleMask roles, RestRoute route, Engine& engine,
                  TalkingHandler run) {
  Offer(operation, roles, std::move(route));
  operation.converse = [&engine, run = std::move(run)](const Caller& caller, const Json& arguments,
                                                       Dialogue& talk) -> Result<Json> {
    ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine, caller));
    return run(engine, principal, arguments, talk);
  };
}

}  // namespace perdure
