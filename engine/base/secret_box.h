// A secret under a passphrase, to travel in an export.
//
//   box := log2 N(1) salt(16) nonce(12) ciphertext(32) tag(16)
//   key := scrypt(passphrase, salt, N, r 8, p 1)(32)       RFC 7914
//   ciphertext and tag: AES-256-GCM of the secret, `context` being authenticated with it
//   salt, nonce := the first bytes of HMAC-SHA-256(secret, "perdure salt 1" | "perdure nonce 1"
//                  context)
//
// Equal inputs give equal bytes: a key and nonce are only ever used for the one secret and context
// that they come from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

using Secret = std::array<std::uint8_t, 32>;

// Cost: 32 MiB of memory and some 100 ms, on purpose.
Result<std::string> WrapSecret(const Secret& secret, std::string_view passphrase,
                               std::string_view context);

// kForbidden when the passphrase is another one, or the box was changed; kCorrupt when it is none.
Result<Secret> UnwrapSecret(std::string_view box, std::string_view passphrase,
                            std::string_view context);

}  // namespace perdure
