// What an export says of a space's secret.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/storage/keys.h"

namespace perdure {

// The first line of the file; empty for no file. kInvalidArgument when the line is empty.
Result<std::string> PassphraseIn(const std::string& path);

// A line on suppressions that do not hold without the secret.
std::string StayingBehind(const std::vector<Seq>& suppressions);

}  // namespace perdure
