// Bytes as a log entry, a payload row, a log head, a signed tree head: refused or safe to read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/log/entry.h"
#include "engine/proof/tree_head.h"
#include "engine/read/log_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto entry = perdure::Entry::Parse(bytes)) {
    static_cast<void>(perdure::MemoryOf(**entry));
    static_cast<void>(perdure::VersionMadeBy(**entry));
  }
  if (const auto row = perdure::PayloadRow::Parse(bytes)) {
    static_cast<void>((*row)->text() ? (*row)->text()->size() : 0);
  }
  static_cast<void>(perdure::LogHead::Decode(bytes));
  static_cast<void>(perdure::ParseTreeHead(bytes));
  return 0;
}
