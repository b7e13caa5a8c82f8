// Reads beyond its input's end after a few bytes that a fuzzer has to find: run.sh fails unless
// this is reported.
#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> copy(data, data + size);
  if (size < 3 || copy[0] != 'P' || copy[1] != 'D' || copy[2] != 'E') return 0;
  const volatile std::uint8_t* beyond = copy.data() + size;
  return *beyond == 7 ? -1 : 0;
}
