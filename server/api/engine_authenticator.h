// Tokens are entries of the log: the engine knows which are in force.
#pragma once

#include "engine/engine.h"
#include "server/api/caller.h"

namespace perdure {

class EngineAuthenticator final : public Authenticator {
 public:
  explicit EngineAuthenticator(const Engine& engine) : engine_(engine) {}  // which outlives this

  Result<Caller> Authenticate(std::string_view bearer_token) const override;

 private:
  const Engine& engine_;
};

}  // namespace perdure
