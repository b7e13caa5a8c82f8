#include "engine/base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"

namespace perdure {
namespace {

// OpenSSL 3 looks an algorithm up by name at every use unless it was fetched; the lookup costs more
// than hashing an entry.
const EVP_MD* Sha256Algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  PERDURE_CHECK(algorithm != nullptr);
  return algorithm;
}

using ContextPtr = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

ContextPtr NewContext() {
  ContextPtr context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  PERDURE_CHECK(context != nullptr);
  return context;
}

void Start(EVP_MD_CTX* context) {
  PERDURE_CHECK(EVP_DigestInit_ex2(context, Sha256Algorithm(), nullptr) == 1);
}

void Add(EVP_MD_CTX* context, std::string_view data) {
  PERDURE_CHECK(EVP_DigestUpdate(context, data.data(), data.size()) == 1);
}

Hash End(EVP_MD_CTX* context) {
  Hash hash;
  PERDURE_CHECK(EVP_DigestFinal_ex(context, hash.data(), nullptr) == 1);
  return hash;
}

}  // namespace

Hash Sha256(std::string_view data) { return Sha256Concat({data}); }

Hash Sha256Concat(std::initializer_list<std::string_view> parts) {
  // A context that is used again needs no allocation.
  thread_local const ContextPtr context = NewContext();
  Start(context.get());
  for (const std::string_view part : parts) Add(context.get(), part);
  return End(context.get());
}

struct Sha256Stream::Context {
  ContextPtr context = NewContext();
};

Sha256Stream::Sha256Stream() : context_(std::make_unique<Context>()) {
  Start(context_->context.get());
}
Sha256Stream::~Sha256Stream() = default;
Sha256Stream::Sha256Stream(Sha256Stream&&) noexcept = default;
Sha256Stream& Sha256Stream::operator=(Sha256Stream&&) noexcept = default;

void Sha256Stream::Update(std::string_view data) { Add(context_->context.get(), data); }

Hash Sha256Stream::Finish() {
  const Hash hash = End(context_->context.get());
  Start(context_->context.get());
  return hash;
}

// RFC 2104 by hand: OpenSSL's HMAC sets up its contexts at every call, which costs five times as
// much as hashing a short value does.
Hash HmacSha256(std::string_view key, std::string_view data) {
  constexpr std::size_t kBlock = 64;
  std::array<char, kBlock> inner{};
  if (key.size() > kBlock) {
    std::ranges::copy(AsBytes(Sha256(key)), inner.begin());
  } else {
    std::ranges::copy(key, inner.begin());
  }
  std::array<char, kBlock> outer = inner;
  for (char& byte : inner) byte = static_cast<char>(byte ^ 0x36);
  for (char& byte : outer) byte = static_cast<char>(byte ^ 0x5c);
  const Hash first = Sha256Concat({{inner.data(), kBlock}, data});
  return Sha256Concat({{outer.data(), kBlock}, AsBytes(first)});
}

bool ConstantTimeEqual(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace perdure
