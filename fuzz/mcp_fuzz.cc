// Bytes as an MCP message of either era, through the whole dispatcher and every operation behind
// it. The first byte chooses what HTTP says beside the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "support/fuzz_house.h"

namespace perdure {
namespace {

void Send(int door, std::string_view message) {
  static const Caller caller = fuzz::TheHouse().Operator();
  const McpHeaders legacy;
  const McpHeaders modern{.protocol_version = "2026-07-28", .method = "tools/call", .name = {}};
  const McpHeaders* headers = door % 3 == 0 ? nullptr : door % 3 == 1 ? &legacy : &modern;
  const McpReply reply = fuzz::TheHouse()->mcp().Handle(caller, message, headers);
  if (reply.body) {
    const auto text = reply.body->dump();  // throws on text that is not UTF-8
    PERDURE_CHECK(reply.body->value("jsonrpc", "") == "2.0" && !text.empty());
  }
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  perdure::Send(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
