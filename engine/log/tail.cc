#include "engine/log/tail.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/log/chain.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

Result<TreeState> LoadTree(const StateReader& reader, SpaceId space, Seq size) {
  std::vector<Hash> leaves;
  for (Seq seq = size - size % kTileHashes + 1; seq <= size; ++seq) {
    ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kLog, tables::LogEntry(space, seq)));
    if (!bytes) {
      return Fail(Code::kCorrupt, fmt::format("Entry {} is missing from the log.", seq));
    }
    leaves.push_back(LeafHash(*bytes));
  }
  return TreeState::Load(size, leaves, StoredTiles(reader, space));
}

Status CheckSignedRoot(const StateReader& reader, SpaceId space, Seq checkpoint,
                       std::string_view origin, const PublicKey& key, const TreeState& tree) {
  ASSIGN_OR_RETURN(const auto note,
                   reader.Get(Family::kMeta, tables::TreeHeadAt(space, checkpoint)));
  ASSIGN_OR_RETURN(const TreeHead head, OpenTreeHead(note.value_or(""), origin, key));
  const StoredTiles tiles(reader, space);
  ASSIGN_OR_RETURN(const Hash root, RootAt(checkpoint, {tree, tiles}));
  if (head.size != checkpoint || head.root != root) {
    return Fail(Code::kCorrupt,
                fmt::format("The log up to entry {} is not the one whose tree head was signed. "
                            "Run `perdure log verify`.",
                            checkpoint));
  }
  return {};
}

Status CheckEntries(const StateReader& reader, SpaceId space, Seq from, const LogHead& head) {
  Chain chain(space);
  if (from > 0) {
    ASSIGN_OR_RETURN(const Entry last, ReadEntry(reader, space, from));
    chain.StartAfter(*last, last.bytes());
  }
  for (Seq seq = from + 1; seq <= head.seq; ++seq) {
    ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kLog, tables::LogEntry(space, seq)));
    if (!bytes) return Fail(Code::kCorrupt, fmt::format("Entry {} is missing.", seq));
    RETURN_IF_ERROR(chain.Next(*bytes));
  }
  if (chain.head().hash != head.hash || chain.head().time != head.time) {
    return Fail(
        Code::kCorrupt,
        fmt::format("Entry {} is not the one that the projections were folded up to.", head.seq));
  }
  return {};
}

}  // namespace

Result<std::string> StoredTiles::ReadTile(std::uint32_t level, std::uint64_t index) const {
  ASSIGN_OR_RETURN(auto tile,
                   reader_.Get(Family::kTree,
                               tables::TreeTile(space_, static_cast<std::uint8_t>(level), index)));
  if (!tile) {
    return Fail(Code::kCorrupt,
                fmt::format("Tile {} of level {} of the tree is missing. Run `perdure log verify`.",
                            index, level));
  }
  return std::move(*tile);
}

Result<LogTail> ReadTail(const Store& store, SpaceId space, std::string_view origin,
                         const PublicKey& key, bool check) {
  const std::string entries = Key().U32(space).Take();
  const std::string heads = tables::TreeHeadPrefix(space);
  ASSIGN_OR_RETURN(const auto entry,
                   store.LastKey(Family::kLog, entries, PrefixEnd(entries), kLatest));
  ASSIGN_OR_RETURN(const auto head, store.LastKey(Family::kMeta, heads, PrefixEnd(heads), kLatest));
  LastSeqs last;
  if (entry) last.entry = ReadBigEndian(std::string_view(*entry).substr(entries.size()));
  if (head) last.tree_head = ReadBigEndian(std::string_view(*head).substr(heads.size()));
  return ReadTail(StoreView(store, kLatest), {space, origin, key}, last, check);
}

Result<LogTail> ReadTail(const StateReader& reader, const LogIdentity& log, const LastSeqs& last,
                         bool check) {
  LogTail tail;
  ASSIGN_OR_RETURN(const auto head, reader.Get(Family::kMeta, tables::Head(log.space)));
  if (!head) return tail;
  ASSIGN_OR_RETURN(tail.head, LogHead::Decode(*head));
  ASSIGN_OR_RETURN(tail.tree, LoadTree(reader, log.space, tail.head.seq));
  tail.checkpoint = last.tree_head;
  if (!check) return tail;
  if (tail.checkpoint > 0) {
    RETURN_IF_ERROR(
        CheckSignedRoot(reader, log.space, tail.checkpoint, log.origin, log.key, tail.tree));
  }
  RETURN_IF_ERROR(CheckEntries(reader, log.space, tail.checkpoint, tail.head));
  if (last.entry != tail.head.seq) {
    return Fail(Code::kCorrupt, fmt::format("The log ends at entry {}, the projections at {}.",
                                            last.entry, tail.head.seq));
  }
  return tail;
}

}  // namespace perdure
