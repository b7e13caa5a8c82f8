#include "engine/token.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/log/entry.h"
#include "engine/model/tables.h"
#include "schema/records_generated.h"

namespace perdure {
namespace {

constexpr std::string_view kPrefix = "perdure_";
constexpr std::size_t kIdDigits = 32;

std::unexpected<Error> Unknown() {
  return Fail(Code::kUnauthenticated,
              "This token is not known. The operator issues tokens with `perdure token issue`.");
}

}  // namespace

NewToken MakeToken(Clock& clock, Random& random) {
  std::array<std::uint8_t, 8> id_random{};
  std::array<std::uint8_t, 32> secret{};
  random.Fill(id_random);
  random.Fill(secret);
  const std::string secret_text =
      Base64UrlEncode({reinterpret_cast<const char*>(secret.data()), secret.size()});
  NewToken token;
  token.id = MakeUuidV7(std::max<Micros>(clock.Now(), 0), id_random);
  token.secret_digest = Sha256(secret_text);
  token.text = fmt::format("{}{}_{}", kPrefix, HexEncode(AsBytes(token.id)), secret_text);
  return token;
}

Result<Principal> AuthenticateToken(const StateReader& reader, std::string_view token, Micros now) {
  if (!token.starts_with(kPrefix)) return Unknown();
  token.remove_prefix(kPrefix.size());
  if (token.size() <= kIdDigits || token[kIdDigits] != '_') return Unknown();
  const auto id = ParseUuid(token.substr(0, kIdDigits));
  if (!id) return Unknown();
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Token(*id)));
  if (!bytes) return Unknown();
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::TokenRecordT>(*bytes));
  const Hash digest = Sha256(token.substr(kIdDigits + 1));
  const Hash expected = FromDigest(record.secret_digest);
  if (!ConstantTimeEqual(AsBytes(digest), AsBytes(expected))) return Unknown();
  if (record.revoked_at) return Fail(Code::kUnauthenticated, "This token was revoked.");
  if (record.expires_at && *record.expires_at <= now) {
    return Fail(Code::kUnauthenticated,
                fmt::format("This token expired at {}.", FormatTime(*record.expires_at)));
  }
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, kSystemSpace, record.label_seq));
  Principal principal;
  principal.id = *id;
  principal.roles = record.roles;
  principal.space = record.space;
  // The scope narrows: a token whose payload is missing must not become wider.
  if (!payload) return Unknown();
  if ((*payload)->scope()) {
    ASSIGN_OR_RETURN(principal.scope, ParseScope((*payload)->scope()->string_view(), "scope"));
  }
  return principal;
}

}  // namespace perdure
