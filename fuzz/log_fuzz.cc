// Bytes as a log entry, a payload row, a log head, and what is read from them.
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/check.h"
#include "engine/log/entry.h"
#include "engine/model/codec.h"

namespace perdure {
namespace {

// Whatever parses is read to its last field: the verifier has promised that this is safe.
void ReadWhole(const fb::Payload& payload) {
  fb::PayloadT native;
  payload.UnPackTo(&native);
  const std::string packed = Pack(native);
  PERDURE_CHECK(!packed.empty());
}

void TryAll(const std::string& bytes) {
  if (const auto entry = Entry::Parse(bytes)) {
    static_cast<void>(MemoryOf(**entry));
    static_cast<void>(VersionMadeBy(**entry));
    fb::EntryT native;
    (*entry)->UnPackTo(&native);
    PERDURE_CHECK(Entry::Parse(PackEntry(native)).has_value());
  }
  if (const auto row = PayloadRow::Parse(bytes)) ReadWhole(**row);
  if (const auto head = LogHead::Decode(bytes)) PERDURE_CHECK(head->Encode() == bytes);
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  perdure::TryAll(bytes);
  return 0;
}
