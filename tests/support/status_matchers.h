// Matchers for Result and Status, so that tests read like sentences.
#pragma once

#include <gmock/gmock.h>

#include <ostream>

#include "engine/base/result.h"

namespace perdure {

inline std::ostream& operator<<(std::ostream& out, const Error& error) {
  return out << CodeName(error.code) << " [" << error.field << "]: " << error.message;
}

namespace testing {

// EXPECT_THAT(result, IsOk());
MATCHER(IsOk, "is ok") {
  if (arg.has_value()) return true;
  *result_listener << arg.error();
  return false;
}

// EXPECT_THAT(result, FailsWith(Code::kConflict, HasSubstr("version 8")));
MATCHER_P2(FailsWith, code, message_matcher, "fails as asked") {
  if (arg.has_value()) {
    *result_listener << "which holds a value";
    return false;
  }
  *result_listener << arg.error();
  return arg.error().code == code &&
         ::testing::ExplainMatchResult(message_matcher, arg.error().message, result_listener);
}

}  // namespace testing
}  // namespace perdure
