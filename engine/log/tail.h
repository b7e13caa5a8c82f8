// Opening a log: its end is checked against its last signed checkpoint, in time independent of its
// length.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/log/entry.h"
#include "engine/proof/ed25519.h"
#include "engine/proof/merkle.h"
#include "engine/storage/store.h"

namespace perdure {

// The stored tiles of a space's tree. The reader must outlive it.
class StoredTiles final : public TileReader {
 public:
  StoredTiles(const StateReader& reader, SpaceId space) : reader_(reader), space_(space) {}
  Result<std::string> ReadTile(std::uint32_t level, std::uint64_t index) const override;

 private:
  const StateReader& reader_;
  SpaceId space_;
};

struct LogTail {
  LogHead head;
  TreeState tree;
  Seq checkpoint = 0;  // the seq of the last signed tree head, 0 for none
};

// Reads where the log of `space` ends. With `check`: the entries since the last checkpoint are
// dense, chained and in time order, the head says what they say, and the tree at the checkpoint
// has the root that was signed. kCorrupt names the first bad entry.
// Cost: at most limits::kCheckpointEntries entries and some hundred tiles.
Result<LogTail> ReadTail(const Store& store, SpaceId space, std::string_view origin,
                         const PublicKey& key, bool check);

// The same from any reader that holds a log, given the greatest seqs that it holds: of an entry
// and of a signed tree head, 0 for none.
struct LogIdentity {
  SpaceId space = kMainSpace;
  std::string_view origin;
  PublicKey key{};
};
struct LastSeqs {
  Seq entry = 0;
  Seq tree_head = 0;
};
Result<LogTail> ReadTail(const StateReader& reader, const LogIdentity& log, const LastSeqs& last,
                         bool check);

}  // namespace perdure
