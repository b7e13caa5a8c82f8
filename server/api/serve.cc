#include "server/api/serve.h"

#include <utility>

#include "server/api/requests.h"

namespace perdure {

void Serve(Operation& operation, Caller::RoleMask roles, RestRoute route, Engine& engine,
           Handler run) {
  operation.roles = roles;
  operation.http_method = std::move(route.method);
  operation.http_path = std::move(route.path);
  operation.run = [&engine, run = std::move(run)](
                      const Caller& caller,
                      const nlohmann::json& arguments) -> Result<nlohmann::json> {
    ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine, caller));
    return run(engine, principal, arguments);
  };
}

}  // namespace perdure
