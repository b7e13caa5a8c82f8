#include "engine/proof/tree_head.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/hash.h"

namespace perdure {
namespace {

constexpr std::string_view kSignatureStart = "\u2014 ";
constexpr std::string_view kEd25519("\x01", 1);  // signed-note's number of the algorithm
constexpr std::size_t kKeyIdBytes = 4;

std::string_view AsView(const PublicKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

std::string_view AsView(const Signature& signature) {
  return {reinterpret_cast<const char*>(signature.data()), signature.size()};
}

std::string KeyId(std::string_view name, const PublicKey& key) {
  const Hash hash = Sha256Concat({name, "\n", kEd25519, AsView(key)});
  return std::string(AsBytes(hash).substr(0, kKeyIdBytes));
}

bool IsKeyName(std::string_view name) {
  return !name.empty() && !FirstInvalidUtf8(name) && std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '+' || c == 0x7f;
  });
}

std::unexpected<Error> Malformed(std::string message) {
  return Fail(Code::kCorrupt, std::move(message));
}

// Takes a line off the front of `text`; nullopt unless it is complete and not empty.
std::optional<std::string_view> TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<std::uint64_t> ParseSize(std::string_view line) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  if (line.size() > 1 && line.front() == '0') return std::nullopt;
  return size;
}

struct NoteSignature {
  std::string_view name;
  std::string key_id;
  std::string signature;
};

std::optional<NoteSignature> ParseSignature(std::string_view line) {
  if (!line.starts_with(kSignatureStart)) return std::nullopt;
  line.remove_prefix(kSignatureStart.size());
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !IsKeyName(line.substr(0, space))) return std::nullopt;
  const auto bytes = Base64Decode(line.substr(space + 1));
  if (!bytes || bytes->size() <= kKeyIdBytes) return std::nullopt;
  return NoteSignature{line.substr(0, space), bytes->substr(0, kKeyIdBytes),
                       bytes->substr(kKeyIdBytes)};
}

}  // namespace

std::string FormatTreeHead(const TreeHead& head) {
  std::string body = head.origin + "\n" + std::to_string(head.size) + "\n" +
                     Base64Encode(AsBytes(head.root)) + "\n";
  for (const std::string& line : head.extensions) body += line + "\n";
  return body;
}

Result<TreeHead> ParseTreeHead(std::string_view body) {
  TreeHead head;
  const auto origin = TakeLine(body);
  if (!origin) return Malformed("The tree head has no origin on its first line.");
  head.origin = *origin;
  const auto size_line = TakeLine(body);
  const auto size = size_line ? ParseSize(*size_line) : std::nullopt;
  if (!size) return Malformed("The tree head has no size on its second line.");
  head.size = *size;
  const auto root_line = TakeLine(body);
  const auto root = root_line ? Base64Decode(*root_line) : std::nullopt;
  if (!root || root->size() != head.root.size()) {
    return Malformed("The tree head has no root hash on its third line.");
  }
  std::ranges::copy(*root, reinterpret_cast<char*>(head.root.data()));
  while (!body.empty()) {
    const auto line = TakeLine(body);
    if (!line) return Malformed("The tree head ends with a line that is empty or cut off.");
    head.extensions.emplace_back(*line);
  }
  return head;
}

std::string SignTreeHead(const TreeHead& head, const SigningKey& key) {
  PERDURE_CHECK(IsKeyName(head.origin));
  const std::string body = FormatTreeHead(head);
  const Signature signature = Sign(key, body);
  const std::string signed_bytes = KeyId(head.origin, key.public_key).append(AsView(signature));
  return body + "\n" + std::string(kSignatureStart) + head.origin + " " +
         Base64Encode(signed_bytes) + "\n";
}

Result<TreeHead> OpenTreeHead(std::string_view note, std::string_view origin,
                              const PublicKey& key) {
  const std::size_t blank_line = note.rfind("\n\n");
  if (blank_line == std::string_view::npos) return Malformed("The tree head is not signed.");
  const std::string_view body = note.substr(0, blank_line + 1);
  std::string_view signatures = note.substr(blank_line + 2);
  const std::string key_id = KeyId(origin, key);
  bool is_signed = false;
  while (!signatures.empty()) {
    const auto line = TakeLine(signatures);
    const auto signature = line ? ParseSignature(*line) : std::nullopt;
    if (!signature) return Malformed("A signature line of the tree head is malformed.");
    if (signature->name != origin || signature->key_id != key_id) continue;
    if (!VerifySignature(key, body, signature->signature)) {
      return Malformed("The signature of the tree head is wrong: it was altered.");
    }
    is_signed = true;
  }
  if (!is_signed) return Malformed("The tree head is not signed by the key of its space.");
  ASSIGN_OR_RETURN(TreeHead head, ParseTreeHead(body));
  if (head.origin != origin) return Malformed("The tree head is one of another log.");
  return head;
}

std::string FormatVerifierKey(std::string_view name, const PublicKey& key) {
  return std::string(name) + "+" + HexEncode(KeyId(name, key)) + "+" +
         Base64Encode(std::string(kEd25519).append(AsView(key)));
}

Result<VerifierKey> ParseVerifierKey(std::string_view text) {
  VerifierKey parsed;
  const std::size_t plus = text.find('+');
  const std::size_t second = plus == text.npos ? text.npos : text.find('+', plus + 1);
  if (second == text.npos) return Malformed("A verifier key has three parts, joined by \"+\".");
  parsed.name = text.substr(0, plus);
  const auto bytes = Base64Decode(text.substr(second + 1));
  if (!bytes || bytes->size() != kEd25519.size() + parsed.key.size() ||
      !bytes->starts_with(kEd25519)) {
    return Malformed("The last part of a verifier key is no Ed25519 key in base64.");
  }
  std::ranges::copy(bytes->substr(kEd25519.size()), reinterpret_cast<char*>(parsed.key.data()));
  if (FormatVerifierKey(parsed.name, parsed.key) != text || !IsKeyName(parsed.name)) {
    return Malformed("The name or the id in a verifier key is not that of its key.");
  }
  return parsed;
}

}  // namespace perdure
