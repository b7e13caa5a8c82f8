#include "engine/base/random.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/check.h"

namespace perdure {
namespace {

// A call of the kernel costs as much for a page as for an id.
constexpr std::size_t kAtOnce = 1024;
constexpr std::size_t kSmallMax = 64;

void FillFromKernel(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = getrandom(bytes.data(), bytes.size(), 0);
    if (filled > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(filled));
    } else {
      PERDURE_CHECK(errno == EINTR);
    }
  }
}

}  // namespace

void SystemRandom::Fill(std::span<std::uint8_t> bytes) {
  if (bytes.size() > kSmallMax) return FillFromKernel(bytes);
  thread_local std::array<std::uint8_t, kAtOnce> pool;
  thread_local std::size_t used = kAtOnce;
  if (pool.size() - used < bytes.size()) {
    FillFromKernel(pool);
    used = 0;
  }
  const auto taken = std::span(pool).subspan(used, bytes.size());
  std::ranges::copy(taken, bytes.begin());
  std::ranges::fill(taken, 0);  // nobody reads them a second time
  used += bytes.size();
}

}  // namespace perdure
