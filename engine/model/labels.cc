#include "engine/model/labels.h"

#include "engine/base/canonical.h"
#include "engine/base/hash.h"

namespace perdure {
namespace {

void AppendTime(Key& key, const std::optional<std::int64_t>& value) {
  key.U8(value ? 1 : 0).U64(static_cast<std::uint64_t>(value.value_or(0)));
}

}  // namespace

ValueKey LabelKey(const Secret& secret, std::string_view kind, std::string_view label) {
  const Result<std::string> canonical = Canonical(label);
  return MakeValueKey(secret, kind, canonical ? std::string_view(*canonical) : label);
}

std::vector<ValueKey> LabelKeys(const Secret& secret, const fb::Payload& payload) {
  std::vector<ValueKey> keys;
  if (payload.tags()) {
    for (const auto* tag : *payload.tags()) {
      keys.push_back(LabelKey(secret, "tag", tag->string_view()));
    }
  }
  if (payload.type()) keys.push_back(LabelKey(secret, "type", payload.type()->string_view()));
  if (payload.theme()) keys.push_back(LabelKey(secret, "theme", payload.theme()->string_view()));
  return keys;
}

ValueKey ContentKey(const Secret& secret, const Content& content) {
  Key key;
  key.Bytes(AsBytes(Sha256(content.title))).Bytes(AsBytes(Sha256(content.text)));
  key.Bytes(AsBytes(Sha256(content.conversation)));
  AppendTime(key, content.position);
  AppendTime(key, content.reference_time);
  key.U64(content.scope.container()).U64(content.scope.user());
  key.U64(content.scope.agent()).U64(content.scope.run());
  if (content.store != 0) key.U64(content.store);
  return MakeValueKey(secret, "content", key.Take());
}

ValueKey LinkKey(const Secret& secret, const Uuid& from, const Uuid& to, std::string_view type) {
  const Result<std::string> canonical = Canonical(type);
  return MakeValueKey(secret, "link",
                      Key()
                          .Bytes(AsBytes(from))
                          .Bytes(AsBytes(to))
                          .Bytes(canonical ? std::string_view(*canonical) : type)
                          .Take());
}

ValueKey ScopeNameKey(const Secret& secret, fb::NodeClass node_class, Seq parent,
                      std::string_view name) {
  return MakeValueKey(
      secret, "scope",
      Key().U8(static_cast<std::uint8_t>(node_class)).U64(parent).Bytes(name).Take());
}

}  // namespace perdure
