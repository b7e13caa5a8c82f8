// Signed tree heads: a C2SP tlog-checkpoint in a C2SP signed-note, checkable by any tool of that
// family.
//
//   note       := body "\n" signature+
//   body       := origin "\n" size "\n" base64(root) "\n" (extension "\n")*
//   signature  := "— " key_name " " base64(key_id signature) "\n"      "—" is U+2014
//   key_id     := first 4 bytes of SHA-256(key_name "\n" 0x01 public_key)
//
// The origin of a space's log is also its key name, e.g. "perdure/main". Lines are not empty and
// size has no leading zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/proof/ed25519.h"

namespace perdure {

struct TreeHead {
  std::string origin;
  std::uint64_t size = 0;
  Hash root{};
  std::vector<std::string> extensions;  // opaque lines
  bool operator==(const TreeHead&) const = default;
};

std::string FormatTreeHead(const TreeHead& head);       // the body
Result<TreeHead> ParseTreeHead(std::string_view body);  // kCorrupt names the line at fault
std::string SignTreeHead(const TreeHead& head, const SigningKey& key);  // the whole note

// The head in `note` if `key` signed it under the name `origin` and that is its origin; signatures
// of other keys are ignored. kCorrupt otherwise.
Result<TreeHead> OpenTreeHead(std::string_view note, std::string_view origin, const PublicKey& key);

// "name+hex(key_id)+base64(0x01 public_key)", the verifier key of signed-note.
std::string FormatVerifierKey(std::string_view name, const PublicKey& key);
struct VerifierKey {
  std::string name;
  PublicKey key{};
};
Result<VerifierKey> ParseVerifierKey(std::string_view text);  // kCorrupt when malformed

}  // namespace perdure
