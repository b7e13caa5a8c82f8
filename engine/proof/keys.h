// A space's keys: files of their own under DIR/keys, backed up apart from the data.
//
//   DIR/keys/<space>.secret   32 bytes, the HMAC key of value keys
//   DIR/keys/<space>.ed25519  32 bytes, the seed of the key that signs tree heads
//
// Both have mode 0600 in a directory of mode 0700.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/proof/ed25519.h"

namespace perdure {

using Secret = std::array<std::uint8_t, 32>;

struct SpaceKeys {
  Secret secret{};
  SigningKey signing;
};

// Makes and durably writes the keys of a new space, with `secret` when it comes from an export.
// Never overwrites: kConflict when the space has a secret. The secret is written last, so after a
// crash the call can be repeated; a signing key that is already there is kept.
Result<SpaceKeys> CreateSpaceKeys(const std::filesystem::path& keys_dir, std::string_view space,
                                  Random& random, const std::optional<Secret>& secret = {});

// kNotFound without a file; kForbidden when group or others may touch it (the message says which
// chmod helps); kCorrupt when it has not 32 bytes.
Result<SpaceKeys> LoadSpaceKeys(const std::filesystem::path& keys_dir, std::string_view space);

// A keyed hash that stands for a value in the indexes: the first 16 bytes of
// HMAC-SHA-256(secret, byte(size of kind) || kind || canonical). `kind` ("tag", "scope", "fact")
// keeps equal texts of different kinds apart; at most 255 bytes.
using ValueKey = std::array<std::uint8_t, 16>;
ValueKey MakeValueKey(const Secret& secret, std::string_view kind, std::string_view canonical);

inline std::string_view AsBytes(const ValueKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

}  // namespace perdure
