// The one way a fallible function answers: a value, or an Error that a person or an agent can act
// on. Exceptions of libraries are caught in the adapter that includes the library.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

// Each code maps to one HTTP status and one MCP tool error (server/api/status.h).
enum class Code {
  kInvalidArgument,      // the request is wrong and stays wrong: fix the named field
  kUnauthenticated,      // no token, or one that is unknown, revoked or expired
  kForbidden,            // the token's roles or scope do not allow the call
  kNotFound,             // nothing by that name that the caller may see
  kAmbiguous,            // a prefix names several memories; details lists "candidate" values
  kConflict,             // expected_version does not hold; details has "current_version"
  kIdempotencyMismatch,  // the key was used before with other arguments
  kRefused,              // a gate of decide refused the write; details has "gate" and "rule"
  kErased,               // the text is gone for good; details has "erased_seq"
  kCompacted,            // the asked time lies below the history horizon; details has "horizon"
  kTooLarge,             // over a maximum of limits.h
  kUnavailable,          // try again later: the writer stopped, the store is locked, a time-out
  kStorageFull,          // the disk is full: nothing was written; goes on by itself with free space
  kCorrupt,              // stored bytes fail a check; details has "seq" where known
  kInternal,             // a bug or a failing library
};

// The stable snake_case name of a code, e.g. "invalid_argument".
std::string_view CodeName(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string message;  // what is wrong and what to do, one or two sentences
  std::string field;    // the argument at fault, or empty
  std::vector<std::pair<std::string, std::string>> details;  // machine-readable facts, repeatable
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> Fail(Code code, std::string message, std::string field = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(field), {}});
}

}  // namespace perdure

#define PERDURE_CONCAT_INNER(a, b) a##b
#define PERDURE_CONCAT(a, b) PERDURE_CONCAT_INNER(a, b)

// Leaves the enclosing function with the error of `expression`, if it has one.
#define RETURN_IF_ERROR(expression)                                        \
  do {                                                                     \
    if (auto status_of_expression = (expression); !status_of_expression) { \
      return std::unexpected(std::move(status_of_expression).error());     \
    }                                                                      \
  } while (false)

// Binds `declaration` to the value of `expression`, or leaves with its error.
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_INNER(PERDURE_CONCAT(result_of_line_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_INNER(result, declaration, expression)   \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = std::move(result).value()
