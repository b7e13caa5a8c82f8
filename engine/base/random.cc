#include "engine/base/random.h"

#include <sys/random.h>

#include <cerrno>

#include "engine/base/check.h"

namespace perdure {

void SystemRandom::Fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = getrandom(bytes.data(), bytes.size(), 0);
    if (filled > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(filled));
    } else {
      PERDURE_CHECK(errno == EINTR);
    }
  }
}

}  // namespace perdure
