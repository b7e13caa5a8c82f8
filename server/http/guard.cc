#include "server/http/guard.h"

#include <fmt/format.h>

#include <algorithm>

namespace perdure {
namespace {

char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, Lower, Lower);
}

// RFC 3986 section 3.2: host [ ":" port ], the host of an IPv6 address in brackets.
std::string_view HostOf(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  if (colon == authority.npos || authority.substr(colon).contains(']')) return authority;
  const std::string_view port = authority.substr(colon + 1);
  const bool is_port =
      std::ranges::all_of(port, [](char digit) { return digit >= '0' && digit <= '9'; });
  return is_port ? authority.substr(0, colon) : authority;
}

}  // namespace

std::vector<std::string> LoopbackNames() { return {"127.0.0.1", "localhost", "[::1]"}; }

bool IsLoopbackAddress(const std::string& host) {
  return host == "::1" || host == "localhost" || host.starts_with("127.");
}

bool Guard::IsAllowed(std::string_view authority) const {
  const std::string_view host = HostOf(authority);
  return std::ranges::any_of(host_names_, [&](const std::string& name) {
    return name == "*" || EqualIgnoringCase(name, host);
  });
}

Status Guard::CheckOrigin(const HttpRequest& request) const {
  const auto host = request.Header("Host");
  if (!host || !IsAllowed(*host)) {
    return Fail(Code::kForbidden,
                "the Host field names no host that this server answers for: reach it under an "
                "allowed name or allow this one in the settings");
  }
  if (!request.HasHeader("Origin")) return {};
  const std::string origin = request.Header("Origin").value_or("");
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme) && IsAllowed(std::string_view(origin).substr(scheme.size()))) {
      return {};
    }
  }
  return Fail(Code::kForbidden, "pages of this origin may not call this server");
}

Result<Caller> Guard::CheckToken(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string value = request.Header("Authorization").value_or("");
  if (value.size() <= kScheme.size() ||
      !EqualIgnoringCase(std::string_view(value).substr(0, kScheme.size()), kScheme)) {
    return Fail(Code::kUnauthenticated,
                "a token is needed: send the field \"Authorization: Bearer TOKEN\" once");
  }
  return authenticator_->Authenticate(std::string_view(value).substr(kScheme.size()));
}

bool Guard::VouchesForStdio(const HttpRequest& request) const {
  const auto token = request.Header(kStdioField);
  if (!token) return false;
  const auto voucher = authenticator_->Authenticate(*token);
  return voucher && voucher->HasAnyOf(Caller::kOperator) && voucher->space == "main" &&
         voucher->scope.empty();
}

}  // namespace perdure
