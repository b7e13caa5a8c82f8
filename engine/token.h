// Tokens: "perdure_" id(32 hex) "_" secret(base64url of 32 bytes). Only a digest of the secret is
// kept.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/decide/command.h"
#include "engine/storage/state.h"

namespace perdure {

struct NewToken {
  Uuid id;
  Hash secret_digest{};
  std::string text;  // shown once
};
NewToken MakeToken(Clock& clock, Random& random);

// One answer for unknown and for wrong tokens; expired and revoked ones are named as such to
// whoever holds the secret.
Result<Principal> AuthenticateToken(const StateReader& reader, std::string_view token, Micros now);

}  // namespace perdure
