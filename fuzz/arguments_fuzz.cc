// Bytes as JSON, and that as the arguments (filters among them) of every operation's schema: what
// is read once is read again to the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "server/api/arguments.h"
#include "server/api/json.h"
#include "support/fuzz_house.h"

namespace perdure {
namespace {

void TryAll(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json) return;
  for (const Operation* operation : fuzz::TheHouse()->catalogue().All()) {
    const auto read = ReadArguments(operation->input_schema, *json);
    if (!read) continue;
    const auto again = ReadArguments(operation->input_schema, *read);
    PERDURE_CHECK(again && *again == *read);
  }
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  perdure::TryAll({reinterpret_cast<const char*>(data), size});
  return 0;
}
