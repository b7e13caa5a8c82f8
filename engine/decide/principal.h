// Who asks. Comes from the token, never from the request.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "engine/storage/keys.h"

namespace perdure {

using RoleMask = std::uint8_t;
inline constexpr RoleMask kAgent = 1;
inline constexpr RoleMask kReviewer = 2;
inline constexpr RoleMask kAuditor = 4;
inline constexpr RoleMask kOperator = 8;

struct Principal {
  Uuid id;
  RoleMask roles = 0;
  SpaceId space = kMainSpace;
  ScopePath scope;     // calls reach nothing outside
  std::string client;  // name and version, for provenance
  std::uint64_t session = 0;

  bool Has(RoleMask any_of) const { return (roles & any_of) != 0; }
};

}  // namespace perdure
