#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace perdure {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "perdure: bug: %s does not hold at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace perdure
