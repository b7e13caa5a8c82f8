#include "engine/base/secret_box.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "engine/base/hash.h"

namespace perdure {
namespace {

constexpr int kLogN = 15;
constexpr std::uint64_t kBlock = 8;
constexpr std::uint64_t kMemoryMax = 64ull << 20;
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kHeadBytes = 1 + kSaltBytes + kNonceBytes;
constexpr std::size_t kBoxBytes = kHeadBytes + sizeof(Secret) + kTagBytes;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::unexpected<Error> Failed() { return Fail(Code::kInternal, "OpenSSL failed."); }

Result<Secret> KeyOf(std::string_view passphrase, std::string_view salt) {
  Secret key{};
  const bool derived =
      EVP_PBE_scrypt(passphrase.data(), passphrase.size(), Bytes(salt), salt.size(),
                     std::uint64_t{1} << kLogN, kBlock, 1, kMemoryMax, key.data(), key.size()) == 1;
  if (!derived) return Failed();
  return key;
}

std::string Drawn(const Secret& secret, std::string_view what, std::size_t size) {
  const std::string_view key(reinterpret_cast<const char*>(secret.data()), secret.size());
  return std::string(AsBytes(HmacSha256(key, what)).substr(0, size));
}

}  // namespace

Result<std::string> WrapSecret(const Secret& secret, std::string_view passphrase,
                               std::string_view context) {
  if (passphrase.empty()) {
    return Fail(Code::kInvalidArgument, "The passphrase is empty.", "passphrase");
  }
  const std::string salt = Drawn(secret, "perdure salt 1", kSaltBytes);
  const std::string nonce =
      Drawn(secret, std::string("perdure nonce 1").append(context), kNonceBytes);
  ASSIGN_OR_RETURN(const Secret key, KeyOf(passphrase, salt));
  std::string text(sizeof(Secret), '\0');
  std::string tag(kTagBytes, '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  const bool sealed =
      cipher &&
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), Bytes(nonce)) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &size, Bytes(context),
                        static_cast<int>(context.size())) == 1 &&
      EVP_EncryptUpdate(cipher.get(), Bytes(text), &size, secret.data(),
                        static_cast<int>(secret.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), Bytes(text) + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1;
  if (!sealed) return Failed();
  return std::string(1, static_cast<char>(kLogN)) + salt + nonce + text + tag;
}

Result<Secret> UnwrapSecret(std::string_view box, std::string_view passphrase,
                            std::string_view context) {
  if (box.size() != kBoxBytes || box[0] != kLogN) {
    return Fail(Code::kCorrupt, "The export's secret is malformed.");
  }
  ASSIGN_OR_RETURN(const Secret key, KeyOf(passphrase, box.substr(1, kSaltBytes)));
  const std::string_view nonce = box.substr(1 + kSaltBytes, kNonceBytes);
  const std::string_view text = box.substr(kHeadBytes, sizeof(Secret));
  std::string tag(box.substr(kHeadBytes + sizeof(Secret)));
  Secret secret{};
  const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  const bool opened =
      cipher &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), Bytes(nonce)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &size, Bytes(context),
                        static_cast<int>(context.size())) == 1 &&
      EVP_DecryptUpdate(cipher.get(), secret.data(), &size, Bytes(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), secret.data() + size, &size) == 1;
  if (opened) return secret;
  return Fail(Code::kForbidden, "The passphrase does not open the export's secret.", "passphrase");
}

}  // namespace perdure
