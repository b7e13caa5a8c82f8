// Unpredictable bytes, handed in, so that tests decide what they are.
#pragma once

#include <cstdint>
#include <span>

namespace perdure {

class Random {
 public:
  virtual ~Random() = default;
  virtual void Fill(std::span<std::uint8_t> bytes) = 0;  // callable from any thread
};

// The kernel's generator, getrandom(2): fit for keys. Aborts if the kernel refuses.
class SystemRandom final : public Random {
 public:
  void Fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace perdure
