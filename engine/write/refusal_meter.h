// Bounds how many refusals of one principal become entries of their own: past the rate the excess
// is counted, and the count stands in the next refusal that is written.
#pragma once

#include <cstdint>
#include <map>

#include "engine/base/time.h"
#include "engine/base/uuid.h"

namespace perdure {

class RefusalMeter {
 public:
  // How many refusals the entry to be written now stands for; 0 when none is to be written.
  std::uint32_t Count(const Uuid& principal, Micros now);
  // How many more refusals may be entries of their own now.
  std::uint32_t Left(const Uuid& principal, Micros now);
  // So many were written with an answer: the refused members of a batch.
  void Add(const Uuid& principal, Micros now, std::uint32_t written);

 private:
  struct Window {
    Micros start = 0;
    std::uint32_t written = 0;
    std::uint32_t excess = 0;
  };
  Window& WindowAt(const Uuid& principal, Micros now);

  std::map<Uuid, Window> windows_;
};

}  // namespace perdure
