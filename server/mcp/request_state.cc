#include "server/mcp/request_state.h"

#include "engine/base/bytes.h"
#include "engine/base/hash.h"
#include "server/api/json.h"

namespace perdure {

std::string RequestState::Mac(std::string_view binding, std::string_view encoded) const {
  const Hash whose = Sha256(binding);
  std::string message(AsBytes(whose));
  message += encoded;
  const Hash mac = HmacSha256(key_, message);
  return HexEncode(AsBytes(mac));
}

std::string RequestState::Seal(std::string_view binding, const nlohmann::json& state) const {
  const std::string encoded = Base64UrlEncode(DumpJson(state));
  return encoded + "." + Mac(binding, encoded);
}

std::optional<nlohmann::json> RequestState::Open(std::string_view binding,
                                                 std::string_view sealed) const {
  const std::size_t dot = sealed.find('.');
  if (dot == sealed.npos) return std::nullopt;
  const std::string_view encoded = sealed.substr(0, dot);
  if (!ConstantTimeEqual(Mac(binding, encoded), sealed.substr(dot + 1))) return std::nullopt;
  const auto decoded = Base64UrlDecode(encoded);
  if (!decoded) return std::nullopt;
  auto state = ParseJson(*decoded);
  if (!state) return std::nullopt;
  return std::move(*state);
}

}  // namespace perdure
