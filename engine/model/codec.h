// FlatBuffers to bytes and back. The verifier is no integrity check: whoever reads stored bytes
// compares their hash first; Unpack only makes sure that reading them is safe.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "schema/entry_generated.h"

namespace perdure {

template <typename Native>
std::string Pack(const Native& native) {
  flatbuffers::FlatBufferBuilder builder(256);
  builder.Finish(Native::TableType::Pack(builder, &native));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// The table in `bytes`, readable in place as long as `bytes` lives; nullptr when it is malformed.
template <typename Table>
const Table* View(std::string_view bytes) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (!verifier.VerifyBuffer<Table>(nullptr)) return nullptr;
  return flatbuffers::GetRoot<Table>(bytes.data());
}

template <typename Native>
Result<Native> Unpack(std::string_view bytes) {
  const auto* table = View<typename Native::TableType>(bytes);
  if (!table) {
    return Fail(Code::kCorrupt,
                "A stored record is malformed. Run `perdure replay`, which rebuilds the records.");
  }
  Native native;
  table->UnPackTo(&native);
  return native;
}

inline fb::Id ToId(const Uuid& uuid) {
  const std::string_view bytes = AsBytes(uuid);
  return {ReadBigEndian(bytes.substr(0, 8)), ReadBigEndian(bytes.substr(8))};
}

inline Uuid FromId(const fb::Id& id) {
  return *UuidFromBytes(Key().U64(id.high()).U64(id.low()).Take());
}

inline fb::Id ToId(const ValueKey& key) {
  const std::string_view bytes = AsBytes(key);
  return {ReadBigEndian(bytes.substr(0, 8)), ReadBigEndian(bytes.substr(8))};
}

inline ValueKey ToKey(const fb::Id& id) { return std::bit_cast<ValueKey>(FromId(id).bytes); }

inline std::unique_ptr<fb::Id> ToIdPtr(const std::optional<Uuid>& id) {
  return id ? std::make_unique<fb::Id>(ToId(*id)) : nullptr;
}

inline std::optional<Uuid> FromIdPtr(const fb::Id* id) {
  return id ? std::optional<Uuid>(FromId(*id)) : std::nullopt;
}
inline std::optional<Uuid> FromIdPtr(const std::unique_ptr<fb::Id>& id) {
  return FromIdPtr(id.get());
}

inline fb::Digest ToDigest(const Hash& hash) { return fb::Digest(flatbuffers::make_span(hash)); }

inline Hash FromDigest(const fb::Digest& digest) {
  Hash hash;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hash[i] = digest.bytes()->Get(static_cast<flatbuffers::uoffset_t>(i));
  }
  return hash;
}

inline bool SameScope(const fb::ScopeRef& a, const fb::ScopeRef& b) {
  return a.container() == b.container() && a.user() == b.user() && a.agent() == b.agent() &&
         a.run() == b.run();
}

template <typename T>
std::optional<T> ToStd(const flatbuffers::Optional<T>& value) {
  return value ? std::optional<T>(*value) : std::nullopt;
}
template <typename T>
flatbuffers::Optional<T> ToFlat(const std::optional<T>& value) {
  return value ? flatbuffers::Optional<T>(*value) : flatbuffers::Optional<T>();
}

}  // namespace perdure
