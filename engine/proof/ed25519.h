// Ed25519 signatures (RFC 8032).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace perdure {

using PublicKey = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

struct SigningKey {
  std::array<std::uint8_t, 32> seed{};  // the private key of RFC 8032: secret
  PublicKey public_key{};
};

SigningKey SigningKeyFromSeed(const std::array<std::uint8_t, 32>& seed);
Signature Sign(const SigningKey& key, std::string_view message);
bool VerifySignature(const PublicKey& key, std::string_view message, std::string_view signature);

}  // namespace perdure
