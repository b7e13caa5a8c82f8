// What an operation keeps from one round of questions to the next (MCP 2026-07-28, requestState).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

//   requestState := base64url(JSON) "." hex(HMAC-SHA256(key, SHA-256(binding) base64url(JSON)))
//
// The client carries it and may read it. Only what was sealed with the same key and binding opens:
// the binding says whose call it is, so that no state serves another caller or another call. It
// opens any number of times, as long as the key lives.
class RequestState {
 public:
  explicit RequestState(std::string key) : key_(std::move(key)) {}

  std::string Seal(std::string_view binding, const nlohmann::json& state) const;
  std::optional<nlohmann::json> Open(std::string_view binding, std::string_view sealed) const;

 private:
  std::string Mac(std::string_view binding, std::string_view encoded) const;

  std::string key_;
};

}  // namespace perdure
