#include "engine/base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

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

Hash HmacSha256(std::string_view key, std::string_view data) {
  Hash hash;
  const unsigned char* const result =
      HMAC(Sha256Algorithm(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(data.data()), data.size(), hash.data(), nullptr);
  PERDURE_CHECK(result != nullptr);
  return hash;
}

bool ConstantTimeEqual(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace perdure
