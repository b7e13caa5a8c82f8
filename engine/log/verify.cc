#include "engine/log/verify.h"

#include <fmt/format.h>

#include <map>

#include "engine/base/hash.h"
#include "engine/log/chain.h"
#include "engine/log/tail.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

constexpr Seq kProgressEvery = 10'000;

// Walks the log; stops at the first problem and leaves it in the report.
class Verifier {
 public:
  Verifier(const Store& store, SpaceId space, std::string_view origin, const PublicKey& key)
      : reader_(store, kLatest), space_(space), origin_(origin), key_(key), chain_(space) {}

  Status Run(const std::function<void(Seq)>& progress) {
    RETURN_IF_ERROR(ReadPayloadDigests());
    RETURN_IF_ERROR(ReadTreeHeads());
    const std::string prefix = Key().U32(space_).Take();
    RETURN_IF_ERROR(reader_.Scan(Family::kLog, prefix, PrefixEnd(prefix),
                                 [&](std::string_view key, std::string_view value) {
                                   Take(ReadBigEndian(key.substr(4)), std::string(value));
                                   if (progress && report_.entries % kProgressEvery == 0) {
                                     progress(report_.entries);
                                   }
                                   return report_.first_bad == 0;
                                 }));
    return Finish();
  }

  VerifyReport report() && { return std::move(report_); }

 private:
  void Bad(Seq seq, std::string problem) {
    if (report_.first_bad != 0) return;
    report_.first_bad = seq;
    report_.problem = std::move(problem);
  }

  Status ReadPayloadDigests() {
    const std::string prefix = Key().U32(space_).Take();
    return reader_.Scan(Family::kPayload, prefix, PrefixEnd(prefix),
                        [&](std::string_view key, std::string_view row) {
                          payloads_.emplace_hint(payloads_.end(), ReadBigEndian(key.substr(4)),
                                                 Sha256(row));
                          return true;
                        });
  }

  Status ReadTreeHeads() {
    const std::string prefix = tables::TreeHeadPrefix(space_);
    return reader_.Scan(Family::kMeta, prefix, PrefixEnd(prefix),
                        [&](std::string_view key, std::string_view note) {
                          tree_heads_.emplace(ReadBigEndian(key.substr(prefix.size())), note);
                          return true;
                        });
  }

  void Take(Seq seq, std::string bytes) {
    if (seq != chain_.head().seq + 1) {
      return Bad(chain_.head().seq + 1, fmt::format("Entry {} is missing.", chain_.head().seq + 1));
    }
    if (const Status next = chain_.Next(bytes); !next) return Bad(seq, next.error().message);
    CheckPayload(*flatbuffers::GetRoot<fb::Entry>(bytes.data()));
    for (const Tile& tile : tree_.Append(LeafHash(bytes))) CheckTile(seq, tile);
    if (const auto note = tree_heads_.find(seq); note != tree_heads_.end()) {
      CheckTreeHead(seq, note->second);
    }
    if (report_.first_bad == 0) report_.entries = seq;
  }

  void CheckPayload(const fb::Entry& entry) {
    const auto payload = payloads_.find(entry.seq());
    if (payload == payloads_.end()) {
      if (entry.payload_digest()) ++report_.payloads_gone;
      return;
    }
    if (!entry.payload_digest() || FromDigest(*entry.payload_digest()) != payload->second) {
      return Bad(entry.seq(), fmt::format("The payload of entry {} is not the one that was "
                                          "written.",
                                          entry.seq()));
    }
    ++report_.payloads;
  }

  void CheckTile(Seq seq, const Tile& tile) {
    const auto stored = StoredTiles(reader_, space_).ReadTile(tile.level, tile.index);
    if (!stored || *stored != tile.bytes) {
      Bad(seq, fmt::format("Tile {} of level {} of the tree differs from the entries.", tile.index,
                           tile.level));
    }
  }

  void CheckTreeHead(Seq seq, const std::string& note) {
    const Result<TreeHead> head = OpenTreeHead(note, origin_, key_);
    if (!head || head->size != seq || head->root != tree_.Root()) {
      return Bad(
          seq, fmt::format("The entries up to {} are not those whose tree head was signed.", seq));
    }
    ++report_.tree_heads;
  }

  Status Finish() {
    report_.head = chain_.head();
    report_.root = tree_.Root();
    ASSIGN_OR_RETURN(const auto stored, reader_.Get(Family::kMeta, tables::Head(space_)));
    LogHead head;
    if (stored) {
      ASSIGN_OR_RETURN(head, LogHead::Decode(*stored));
    }
    if (report_.first_bad == 0 &&
        (head.seq != chain_.head().seq || head.hash != chain_.head().hash)) {
      Bad(chain_.head().seq + 1, fmt::format("The log ends at entry {}, the projections say {}.",
                                             chain_.head().seq, head.seq));
    }
    return {};
  }

  StoreView reader_;
  SpaceId space_;
  std::string_view origin_;
  const PublicKey& key_;
  Chain chain_;
  TreeState tree_;
  std::map<Seq, Hash> payloads_;
  std::map<Seq, std::string> tree_heads_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> VerifyLog(const Store& store, SpaceId space, std::string_view origin,
                               const PublicKey& key, const std::function<void(Seq)>& progress) {
  Verifier verifier(store, space, origin, key);
  RETURN_IF_ERROR(verifier.Run(progress));
  return std::move(verifier).report();
}

}  // namespace perdure
