#include "engine/proof/ed25519.h"

#include <sodium.h>

#include <algorithm>

#include "engine/base/check.h"

namespace perdure {
namespace {

const unsigned char* Unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

SigningKey SigningKeyFromSeed(const std::array<std::uint8_t, 32>& seed) {
  SigningKey key{seed, {}};
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> expanded{};
  PERDURE_CHECK(crypto_sign_seed_keypair(key.public_key.data(), expanded.data(), seed.data()) == 0);
  sodium_memzero(expanded.data(), expanded.size());
  return key;
}

Signature Sign(const SigningKey& key, std::string_view message) {
  // Sodium's secret key is the seed followed by the public key.
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> expanded{};
  std::ranges::copy(key.seed, expanded.begin());
  std::ranges::copy(key.public_key, expanded.begin() + key.seed.size());
  Signature signature;
  PERDURE_CHECK(crypto_sign_detached(signature.data(), nullptr, Unsigned(message), message.size(),
                                     expanded.data()) == 0);
  sodium_memzero(expanded.data(), expanded.size());
  return signature;
}

bool VerifySignature(const PublicKey& key, std::string_view message, std::string_view signature) {
  return signature.size() == crypto_sign_BYTES &&
         crypto_sign_verify_detached(Unsigned(signature), Unsigned(message), message.size(),
                                     key.data()) == 0;
}

}  // namespace perdure
