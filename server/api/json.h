// JSON from outside: bounded in depth, without double names.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/base/result.h"

namespace perdure {

// One JSON value (RFC 8259) and nothing after it. Refused with kInvalidArgument and the byte
// offset: what is not JSON, bytes that are not UTF-8, an object that names a member twice, a number
// beyond a double's range, arrays and objects nested deeper than `depth_max` (a scalar has depth
// 0).
Result<nlohmann::json> ParseJson(std::string_view text,
                                 std::size_t depth_max = limits::kJsonDepthMax);

// Compact, UTF-8, members in the order of their names. Bytes that are not UTF-8 become U+FFFD.
std::string DumpJson(const nlohmann::json& json);

}  // namespace perdure
