#include "engine/log/key_check.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

std::string_view View(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unexpected<Error> Other(std::string_view name, std::string_view extension) {
  return Fail(
      Code::kCorrupt,
      fmt::format("The key file keys/{}{} is not the one that this store was made with: put "
                  "back your backup of it.",
                  name, extension));
}

}  // namespace

Mutation KeyDigestsOf(SpaceId space, const SpaceKeys& keys) {
  const Hash secret = Sha256Concat({"perdure secret 1", View(keys.secret)});
  const Hash key = Sha256(View(keys.signing.public_key));
  return {Family::kMeta, tables::KeyDigests(space),
          std::string(AsBytes(secret)).append(AsBytes(key)), 0};
}

Status CheckKeys(const Store& store, SpaceId space, std::string_view name, const SpaceKeys& keys) {
  ASSIGN_OR_RETURN(const auto known, store.Get(Family::kMeta, tables::KeyDigests(space), kLatest));
  if (!known) return {};
  const std::string digests = *KeyDigestsOf(space, keys).value;
  if (known->substr(0, sizeof(Hash)) != digests.substr(0, sizeof(Hash))) {
    return Other(name, ".secret");
  }
  if (*known != digests) return Other(name, ".ed25519");
  return {};
}

}  // namespace perdure
