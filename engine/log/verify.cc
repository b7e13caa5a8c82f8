#include "engine/log/verify.h"

#include <fmt/format.h>

#include <limits>

#include "engine/base/hash.h"
#include "engine/log/tail.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

constexpr Seq kStepEntries = 1'024;
constexpr Seq kProgressEvery = 10'000;

Result<LogHead> StoredHead(const Store& store, SpaceId space) {
  ASSIGN_OR_RETURN(const auto bytes, store.Get(Family::kMeta, tables::Head(space), kLatest));
  return bytes ? LogHead::Decode(*bytes) : LogHead{};
}

Result<std::optional<std::string>> Read(const Store& store, Family family, const std::string& key) {
  return store.Get(family, key, kLatest);
}

}  // namespace

void LogVerifier::Bad(Seq seq, std::string problem) {
  if (report_.first_bad != 0) return;
  report_.first_bad = seq;
  report_.problem = std::move(problem);
}

Result<std::uint64_t> LogVerifier::Step(Seq last, Seq count) {
  const Seq from = chain_.head().seq + 1;
  if (report_.first_bad != 0 || from > last || count == 0) return 0;
  const Seq until = last - from < count ? last + 1 : from + count;
  std::uint64_t bytes = 0;
  ASSIGN_OR_RETURN(const Digests payloads, ReadPayloadDigests(from, until, bytes));
  if (report_.first_bad != 0) return bytes;
  Status taken;
  const Status scanned =
      store_.ScanOnce(Family::kLog, tables::LogEntry(space_, from), tables::LogEntry(space_, until),
                      [&](std::string_view key, std::string_view value) {
                        bytes += value.size();
                        taken = Take(ReadBigEndian(key.substr(4)), std::string(value), payloads);
                        return taken.has_value() && report_.first_bad == 0;
                      });
  RETURN_IF_ERROR(taken);
  if (!scanned && scanned.error().code == Code::kCorrupt) {
    Bad(chain_.head().seq + 1,
        fmt::format("Entry {} cannot be read: {}", chain_.head().seq + 1, scanned.error().message));
  } else {
    RETURN_IF_ERROR(scanned);
  }
  report_.head = chain_.head();
  const bool moved = chain_.head().seq >= from;
  return moved || report_.first_bad != 0 ? bytes : 0;
}

// The payloads of one step. Where a block of them cannot be read, each is asked for by itself, so
// that the first bad one is named.
Result<LogVerifier::Digests> LogVerifier::ReadPayloadDigests(Seq from, Seq until,
                                                             std::uint64_t& bytes) {
  Digests digests;
  const Status scanned = store_.ScanOnce(
      Family::kPayload, tables::PayloadOf(space_, from), tables::PayloadOf(space_, until),
      [&](std::string_view key, std::string_view row) {
        bytes += row.size();
        digests.emplace_hint(digests.end(), ReadBigEndian(key.substr(4)), Sha256(row));
        return true;
      });
  if (scanned) return digests;
  if (scanned.error().code != Code::kCorrupt) return std::unexpected(scanned.error());
  for (Seq seq = from; seq < until; ++seq) {
    const auto row = Read(store_, Family::kPayload, tables::PayloadOf(space_, seq));
    if (row) continue;
    Bad(seq, fmt::format("The payload of entry {} cannot be read: {}", seq, row.error().message));
    return digests;
  }
  return std::unexpected(scanned.error());
}

Status LogVerifier::Take(Seq seq, const std::string& bytes, const Digests& payloads) {
  if (const Seq next = chain_.head().seq + 1; seq != next) {
    Bad(next, fmt::format("Entry {} is missing.", next));
    return {};
  }
  if (const Status next = chain_.Next(bytes); !next) {
    const bool is_unlinked = seq > 1 && next.error().message.contains(kUnlinked);
    if (!is_unlinked || !WasTheOneBefore(seq, bytes)) {
      Bad(seq, next.error().message);
      return {};
    }
    report_.entries = seq - 2;
    Bad(seq - 1, fmt::format("Entry {} is not the one whose hash entry {} carries.", seq - 1, seq));
    return {};
  }
  const auto& entry = *flatbuffers::GetRoot<fb::Entry>(bytes.data());
  CheckPayload(entry, payloads);
  for (const Tile& tile : tree_.Append(LeafHash(bytes))) RETURN_IF_ERROR(CheckTile(seq, tile));
  origin_.Follow(entry);
  if (HasTreeHead(entry)) RETURN_IF_ERROR(CheckTreeHead(seq));
  if (report_.first_bad == 0) report_.entries = seq;
  return {};
}

bool LogVerifier::WasTheOneBefore(Seq seq, const std::string& bytes) const {
  const auto next = Read(store_, Family::kLog, tables::LogEntry(space_, seq + 1));
  const auto head = StoredHead(store_, space_);
  if (!next || !head) return false;
  return IsConfirmed(bytes, *next ? &**next : nullptr, *head);
}

void LogVerifier::CheckPayload(const fb::Entry& entry, const Digests& payloads) {
  const auto payload = payloads.find(entry.seq());
  if (const auto* covered = CoveredBy(entry)) {
    for (const Seq seq : *covered) report_.payloads_gone += unexplained_.erase(seq);
  }
  if (payload == payloads.end()) {
    if (entry.payload_digest()) unexplained_.insert(entry.seq());
    return;
  }
  if (!entry.payload_digest() || FromDigest(*entry.payload_digest()) != payload->second) {
    return Bad(entry.seq(), fmt::format("The payload of entry {} is not the one that was written.",
                                        entry.seq()));
  }
  ++report_.payloads;
}

Status LogVerifier::CheckTile(Seq seq, const Tile& tile) {
  const StoreView view(store_, kLatest);
  const auto stored = StoredTiles(view, space_).ReadTile(tile.level, tile.index);
  if (!stored && stored.error().code != Code::kCorrupt) return std::unexpected(stored.error());
  if (!stored || *stored != tile.bytes) {
    Bad(seq, fmt::format("Tile {} of level {} of the tree differs from the entries.", tile.index,
                         tile.level));
  }
  return {};
}

Status LogVerifier::CheckTreeHead(Seq seq) {
  const auto note = Read(store_, Family::kMeta, tables::TreeHeadAt(space_, seq));
  if (!note && note.error().code != Code::kCorrupt) return std::unexpected(note.error());
  const Result<TreeHead> head = OpenTreeHead(
      note && *note ? std::string_view(**note) : std::string_view(), origin_.now(), key_);
  if (!head || head->size != seq || head->root != tree_.Root()) {
    Bad(seq, fmt::format("The entries up to {} are not those whose tree head was signed.", seq));
    return {};
  }
  ++report_.tree_heads;
  return {};
}

Status LogVerifier::Finish(Seq last) {
  const LogHead& end = chain_.head();
  report_.head = end;
  report_.root = tree_.Root();
  if (!unexplained_.empty()) {
    const Seq missing = *unexplained_.begin();
    Bad(missing, fmt::format("The payload of entry {} is missing, and no entry says that it was "
                             "erased or compacted.",
                             missing));
  }
  ASSIGN_OR_RETURN(const LogHead stored, StoredHead(store_, space_));
  if (end.seq < last || stored.seq < end.seq) {
    Bad(end.seq + 1,
        fmt::format("The log ends at entry {}, the projections say {}.", end.seq, stored.seq));
  }
  if (stored.seq == end.seq && stored.hash != end.hash) {
    Bad(end.seq,
        fmt::format("Entry {} is not the one that the projections were folded up to.", end.seq));
  }
  return {};
}

Result<VerifyReport> VerifyLog(const Store& store, SpaceId space, std::string_view origin,
                               const PublicKey& key, const std::function<bool(Seq)>& progress) {
  LogVerifier verifier(store, space, std::string(origin), key);
  constexpr Seq kEnd = std::numeric_limits<Seq>::max() - kStepEntries;
  for (std::uint64_t bytes = 1; bytes != 0;) {
    ASSIGN_OR_RETURN(bytes, verifier.Step(kEnd, kStepEntries));
    const Seq done = verifier.report().entries;
    if (bytes != 0 && progress && done % kProgressEvery < kStepEntries && !progress(done)) {
      return verifier.report();
    }
  }
  ASSIGN_OR_RETURN(const LogHead stored, StoredHead(store, space));
  RETURN_IF_ERROR(verifier.Finish(stored.seq));
  return verifier.report();
}

}  // namespace perdure
