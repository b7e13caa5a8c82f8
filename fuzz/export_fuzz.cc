// Bytes as an export, and as a verifier key: refused or read, in no more memory than they take.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "engine/proof/tree_head.h"
#include "engine/transfer/export.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::istringstream in(bytes);
  static_cast<void>(perdure::ReadExport(in));
  static_cast<void>(perdure::ParseVerifierKey(bytes));
  return 0;
}
