// Who may call an operation, where it is served over REST, and what runs it for a principal.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/engine.h"
#include "server/api/operation.h"

namespace perdure {

using Handler = std::function<Result<nlohmann::json>(Engine& engine, const Principal& principal,
                                                     const nlohmann::json& arguments)>;

using TalkingHandler = std::function<Result<nlohmann::json>(
    Engine& engine, const Principal& principal, const nlohmann::json& arguments, Dialogue& talk)>;

struct RestRoute {
  std::string method;
  std::string path;
};

// `engine` outlives the operation. The caller becomes a principal before `run` is called.
void Serve(Operation& operation, Caller::RoleMask roles, RestRoute route, Engine& engine,
           Handler run);
// The same for an operation that reports, logs or asks before it answers.
void ServeTalking(Operation& operation, Caller::RoleMask roles, RestRoute route, Engine& engine,
                  TalkingHandler run);

}  // namespace perdure
