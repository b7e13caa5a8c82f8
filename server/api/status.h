// How an Error looks outside: HTTP status, REST body, MCP tool error.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace perdure {

int HttpStatus(Code code);

// {"code", "message", "field" when there is one, then each detail under its own name; a detail
// name that occurs more than once becomes an array of strings under that name}
nlohmann::json ErrorObject(const Error& error);

// {"error": ErrorObject}
nlohmann::json RestError(const Error& error);

// {"content": [text], "isError": true, "_meta": ErrorObject without the message}
nlohmann::json McpToolError(const Error& error);

}  // namespace perdure
