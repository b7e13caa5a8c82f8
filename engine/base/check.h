// Assertions that stay on in release builds: only a bug can break them.
#pragma once

namespace perdure {

// Prints the place and the broken condition to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace perdure

#define PERDURE_CHECK(condition)                              \
  do {                                                        \
    if (!(condition)) [[unlikely]] {                          \
      ::perdure::CheckFailed(__FILE__, __LINE__, #condition); \
    }                                                         \
  } while (false)
