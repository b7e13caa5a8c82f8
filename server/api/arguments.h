// Forgiving in, strict out: what a client sent, read against an operation's input schema.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace perdure {

// The arguments of `json` (an object, or null for none) in the types that `schema` asks for.
//
// Forgiven: an optional argument that is null, or an empty string, array or object, counts as
// absent unless the schema says "x-keep-empty": true (then "" stands and null is absent); an
// array or object sent as a JSON string is read; a single value where an array of strings or
// numbers is asked for becomes an array of one; 3.0 and "3" serve as the integer 3, "0.5" as a
// number, "true" and "false" (any case) as booleans; numbers and booleans serve as strings.
//
// Refused with kInvalidArgument, naming the field ("filter.tags[2]"), what was wrong and a minimal
// example: unknown names (with those that are known), missing required ones, other types, and
// values outside enum, minimum, maximum, minLength, maxLength (bytes of UTF-8, and kTooLarge),
// minItems, maxItems (kTooLarge). Objects are open when the schema lists no "properties" or has
// "additionalProperties": true. "default" is filled in for what is absent.
//
// Understood keywords: type, properties, required, additionalProperties, items, enum, minimum,
// maximum, minLength, maxLength, minItems, maxItems, default, examples, x-example, x-keep-empty.
// Pure.
Result<nlohmann::json> ReadArguments(const nlohmann::json& schema, const nlohmann::json& json);

}  // namespace perdure
