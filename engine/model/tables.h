// The keys of every record, by table. The grammar of the families stands in engine/storage/keys.h.
//
//   state  1 memory(16)              -> MemoryRecord
//          2 memory(16) seq(8)       -> HistoryRecord
//          3 node(8)                 -> ScopeNodeRecord
//          4 seq(8)                  -> SnapshotRecord
//          5 token(16)               -> TokenRecord        (system space)
//          6 space(4)                -> SpaceRecord        (system space)
//          7 seq(8)                  -> ErasureRecord
//          8                         -> CompactionRecord
//          9 queue(1) memory(16)     -> nothing            (a memory that waits for review)
//          9 queue(1) seq(8)         -> nothing            (a refusal worth one)
//         10 seq(8)                  -> SuppressionRecord
//         11                         -> PolicyRecord
//         12 memory(16) memory(16)   -> nothing            (a source, what was made from it)
//         13                         -> BranchRecord       (of a log that was restored)
//         14 seq(8)                  -> SourceRecord
//         15 memory(16) seq(8)       -> LinkRecord         (under each of its ends)
//   rows   1 value key(16) memory(16) number(8) -> nothing, or of a fact's words every scope(32) in
//                                       which it said them; number is the label_seq of a label's
//                                       value, the version of a content value, the text_seq of a
//                                       fact's words, the seq of an entry that brought evidence
//          2 value key(16)           -> node(8)            (scope names)
//          3 value key(16)           -> seq(8)             (snapshot names)
//          4 principal(16) value key(16) -> first seq(8) request key(16)   (idempotency)
//          5 value key(16)           -> seq(8)             (declared predicates)
//          6 value key(16) memory(16) -> nothing           (live facts of a slot)
//          7 value key(16)           -> seq(8) ...         (suppressions of a value; of the
//                                       zero key: there is one)
//          8 value key(16) memory(16) -> importance moved(4) confidence moved(4), in thousandths
//                                       (by a scoring pass)
//          9 value key(16)           -> seq(8)             (links)
//   meta   0                         -> format version(4)
//          1 space(4)                -> head: seq(8) record time(8) entry hash(32)
//          2 space(4) seq(8)         -> signed tree head
//          3                         -> history horizon(8)
//          4 space(4)                -> digests of the keys: secret(32) public key(32)
//          5                         -> horizon up to which history is trimmed(8)
//          6 space(4) size(8)        -> seal of an adopted export: verifier key "\n" tree head
#pragma once

#include <string>
#include <string_view>

#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"

namespace perdure {

inline constexpr std::uint32_t kStoreFormat = 1;

namespace tables {

inline std::string MemoryPrefix(SpaceId space) { return Key().U8(1).U32(space).Take(); }
inline std::string Memory(SpaceId space, const Uuid& id) {
  return Key().U8(1).U32(space).Bytes(AsBytes(id)).Take();
}
inline std::string HistoryPrefix(SpaceId space, const Uuid& id) {
  return Key().U8(2).U32(space).Bytes(AsBytes(id)).Take();
}
inline std::string History(SpaceId space, const Uuid& id, Seq seq) {
  return Key().U8(2).U32(space).Bytes(AsBytes(id)).U64(seq).Take();
}
inline std::string ScopeNode(SpaceId space, Seq node) {
  return Key().U8(3).U32(space).U64(node).Take();
}
inline std::string ScopeNodePrefix(SpaceId space) { return Key().U8(3).U32(space).Take(); }
inline std::string Snapshot(SpaceId space, Seq seq) {
  return Key().U8(4).U32(space).U64(seq).Take();
}
inline std::string SnapshotPrefix(SpaceId space) { return Key().U8(4).U32(space).Take(); }
inline std::string Token(const Uuid& id) {
  return Key().U8(5).U32(kSystemSpace).Bytes(AsBytes(id)).Take();
}
inline std::string TokenPrefix() { return Key().U8(5).U32(kSystemSpace).Take(); }
inline std::string Space(SpaceId space) { return Key().U8(6).U32(kSystemSpace).U32(space).Take(); }
inline std::string SpacePrefix() { return Key().U8(6).U32(kSystemSpace).Take(); }
inline std::string Erasure(SpaceId space, Seq seq) {
  return Key().U8(7).U32(space).U64(seq).Take();
}
inline std::string ErasurePrefix(SpaceId space) { return Key().U8(7).U32(space).Take(); }
inline std::string Compaction(SpaceId space) { return Key().U8(8).U32(space).Take(); }
inline std::string QueuePrefix(SpaceId space, std::uint8_t queue) {
  return Key().U8(9).U32(space).U8(queue).Take();
}
inline std::string Suppression(SpaceId space, Seq seq) {
  return Key().U8(10).U32(space).U64(seq).Take();
}
inline std::string SuppressionPrefix(SpaceId space) { return Key().U8(10).U32(space).Take(); }
inline std::string Policy(SpaceId space) { return Key().U8(11).U32(space).Take(); }
inline std::string Branch(SpaceId space) { return Key().U8(13).U32(space).Take(); }
inline std::string Source(SpaceId space, Seq seq) {
  return Key().U8(14).U32(space).U64(seq).Take();
}
inline std::string SourcePrefix(SpaceId space) { return Key().U8(14).U32(space).Take(); }
inline std::string LinkPrefix(SpaceId space, const Uuid& end) {
  return Key().U8(15).U32(space).Bytes(AsBytes(end)).Take();
}
inline std::string Link(SpaceId space, const Uuid& end, Seq seq) {
  return Key().U8(15).U32(space).Bytes(AsBytes(end)).U64(seq).Take();
}
inline std::string DerivedPrefix(SpaceId space, const Uuid& source) {
  return Key().U8(12).U32(space).Bytes(AsBytes(source)).Take();
}
inline std::string Derived(SpaceId space, const Uuid& source, const Uuid& id) {
  return Key().U8(12).U32(space).Bytes(AsBytes(source)).Bytes(AsBytes(id)).Take();
}

inline std::string ValuePrefix(SpaceId space, const ValueKey& value) {
  return Key().U8(1).U32(space).Bytes(AsBytes(value)).Take();
}
inline std::string Value(SpaceId space, const ValueKey& value, const Uuid& id, std::uint64_t n) {
  return Key().U8(1).U32(space).Bytes(AsBytes(value)).Bytes(AsBytes(id)).U64(n).Take();
}
inline std::string ScopeName(SpaceId space, const ValueKey& value) {
  return Key().U8(2).U32(space).Bytes(AsBytes(value)).Take();
}
inline std::string SnapshotName(SpaceId space, const ValueKey& value) {
  return Key().U8(3).U32(space).Bytes(AsBytes(value)).Take();
}
inline std::string Idempotency(SpaceId space, const Uuid& principal, const ValueKey& value) {
  return Key().U8(4).U32(space).Bytes(AsBytes(principal)).Bytes(AsBytes(value)).Take();
}
inline std::string Predicate(SpaceId space, const ValueKey& name) {
  return Key().U8(5).U32(space).Bytes(AsBytes(name)).Take();
}
inline std::string SlotPrefix(SpaceId space, const ValueKey& slot) {
  return Key().U8(6).U32(space).Bytes(AsBytes(slot)).Take();
}
inline std::string Slot(SpaceId space, const ValueKey& slot, const Uuid& id) {
  return Key().U8(6).U32(space).Bytes(AsBytes(slot)).Bytes(AsBytes(id)).Take();
}
inline std::string Suppressed(SpaceId space, const ValueKey& value) {
  return Key().U8(7).U32(space).Bytes(AsBytes(value)).Take();
}
inline std::string Scored(SpaceId space, const ValueKey& pass, const Uuid& id) {
  return Key().U8(8).U32(space).Bytes(AsBytes(pass)).Bytes(AsBytes(id)).Take();
}

inline std::string LinkName(SpaceId space, const ValueKey& value) {
  return Key().U8(9).U32(space).Bytes(AsBytes(value)).Take();
}

inline std::string LogEntry(SpaceId space, Seq seq) { return Key().U32(space).U64(seq).Take(); }
inline std::string PayloadOf(SpaceId space, Seq seq) { return Key().U32(space).U64(seq).Take(); }
inline std::string TreeTile(SpaceId space, std::uint8_t level, std::uint64_t index) {
  return Key().U32(space).U8(level).U64(index).Take();
}

inline std::string Format() { return Key().U8(0).Take(); }
inline std::string Head(SpaceId space) { return Key().U8(1).U32(space).Take(); }
inline std::string TreeHeadAt(SpaceId space, Seq seq) {
  return Key().U8(2).U32(space).U64(seq).Take();
}
inline std::string TreeHeadPrefix(SpaceId space) { return Key().U8(2).U32(space).Take(); }
inline std::string Horizon() { return Key().U8(3).Take(); }
inline std::string AdoptedSeal(SpaceId space, Seq size) {
  return Key().U8(6).U32(space).U64(size).Take();
}
inline std::string Trimmed() { return Key().U8(5).Take(); }
inline std::string KeyDigests(SpaceId space) { return Key().U8(4).U32(space).Take(); }

}  // namespace tables
}  // namespace perdure
