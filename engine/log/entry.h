// One entry of a space's log, and the chain that binds it to the one before.
//
//   entry  := FlatBuffer Entry of schema/entry.fbs, identifier "PDE1"
//   chain  : entry.prev_hash = SHA-256(bytes of the entry before), zeros for seq 1
//   payload row := salt(32) FlatBuffer Payload of schema/payload.fbs
//   entry.payload_digest = SHA-256(payload row)
//
// What is hashed is the stored bytes: packing an entry again may change them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/model/codec.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"

namespace perdure {

inline constexpr std::uint16_t kEntryFormat = 1;
inline constexpr std::size_t kSaltBytes = 32;

// Where a log ends.
struct LogHead {
  Seq seq = 0;
  Micros time = 0;
  Hash hash{};  // of the last entry's bytes

  std::string Encode() const;
  static Result<LogHead> Decode(std::string_view bytes);
};

std::string PackEntry(const fb::EntryT& entry);

// Bytes that hold a well-formed entry of a known format; owns them.
class Entry {
 public:
  // kCorrupt when malformed or of an unknown format.
  static Result<Entry> Parse(std::string bytes);

  const fb::Entry& operator*() const { return *flatbuffers::GetRoot<fb::Entry>(bytes_.data()); }
  const fb::Entry* operator->() const { return &**this; }
  const std::string& bytes() const { return bytes_; }

 private:
  explicit Entry(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

// A payload row whose digest was compared; owns its bytes.
class PayloadRow {
 public:
  static Result<PayloadRow> Parse(std::string row);
  const fb::Payload& operator*() const {
    return *flatbuffers::GetRoot<fb::Payload>(row_.data() + kSaltBytes);
  }
  const fb::Payload* operator->() const { return &**this; }

 private:
  explicit PayloadRow(std::string row) : row_(std::move(row)) {}
  std::string row_;
};

// kNotFound beyond the end, kCorrupt when the stored bytes are not entry `seq` of `space`.
Result<Entry> ReadEntry(const StateReader& reader, SpaceId space, Seq seq);

// The entries up to `last` of the command that entry `seq` belongs to.
Result<std::vector<Entry>> ReadPass(const StateReader& reader, SpaceId space, Seq seq, Seq last);

// nullopt when the entry has none, or it was erased. kCorrupt when the row is not what the entry's
// digest says.
Result<std::optional<PayloadRow>> ReadPayload(const StateReader& reader, const fb::Entry& entry);
// The same by seq, without comparing the digest: for the hot paths of reads.
Result<std::optional<PayloadRow>> ReadPayload(const StateReader& reader, SpaceId space, Seq seq);

// The memory an event is about, or nullptr.
const fb::Id* MemoryOf(const fb::Entry& entry);
// The seqs whose payloads are gone from this entry on; nullptr where none goes.
const flatbuffers::Vector<std::uint64_t>* CoveredBy(const fb::Entry& entry);
// When the evidence that the entry brought is from; nullopt without evidence or without a time.
std::optional<Micros> EvidenceTimeOf(const fb::Entry& entry);
// The version an event makes, or 0.
std::uint32_t VersionMadeBy(const fb::Entry& entry);

}  // namespace perdure
