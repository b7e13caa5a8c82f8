// The admission gate's rules about what a text says.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "schema/entry_generated.h"

namespace perdure {

// Whether the text has to wait for a reviewer because it gives orders to whoever reads it; refuses
// it where the policy says so. Linear in the text; nothing when the policy admits everything.
Result<bool> CheckInjection(fb::Admission policy, std::string_view text);

}  // namespace perdure
