// Where inside a space a memory lives: a container in a tree, and optionally a user, an agent, a
// run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

// Its text form: "acme/website;user=alice;agent=coder;run=7". Empty parts do not narrow.
struct ScopePath {
  std::vector<std::string> containers;  // from the root down
  std::string user;
  std::string agent;
  std::string run;

  bool empty() const { return containers.empty() && user.empty() && agent.empty() && run.empty(); }
  bool operator==(const ScopePath&) const = default;
};

// kInvalidArgument on `field` when a segment is empty, a key is unknown or given twice, a wildcard
// or control character stands in a name, or a limit of limits.h is exceeded.
Result<ScopePath> ParseScope(std::string_view text, std::string_view field);
std::string FormatScope(const ScopePath& scope);

// Whether everything in `inner` lies in `outer`.
bool IsWithin(const ScopePath& inner, const ScopePath& outer);

}  // namespace perdure
