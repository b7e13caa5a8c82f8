// SHA-256 (FIPS 180-4) and HMAC (RFC 2104).
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>

#include "engine/base/bytes.h"

namespace perdure {

Hash Sha256(std::string_view data);

// Of all parts one after another, without copying them together.
Hash Sha256Concat(std::initializer_list<std::string_view> parts);

// For data that comes in pieces. Not for use by two threads at once.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;
  Sha256Stream(Sha256Stream&&) noexcept;
  Sha256Stream& operator=(Sha256Stream&&) noexcept;

  void Update(std::string_view data);
  Hash Finish();  // the hash of all since construction or the last Finish; ready for the next

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Hash HmacSha256(std::string_view key, std::string_view data);

// In time that depends on the lengths only: for hashes of secrets.
bool ConstantTimeEqual(std::string_view a, std::string_view b);

}  // namespace perdure
