// The full check of a log: every entry, link, payload, tile and signed tree head; at once, or in
// steps with pauses between them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/log/chain.h"
#include "engine/log/entry.h"
#include "engine/log/origin.h"
#include "engine/proof/ed25519.h"
#include "engine/proof/merkle.h"
#include "engine/storage/store.h"

namespace perdure {

struct VerifyReport {
  Seq entries = 0;        // that verified
  Seq payloads = 0;       // present, and the ones that were written
  Seq payloads_gone = 0;  // that an entry says were erased or compacted
  std::uint64_t tree_heads = 0;
  Hash root{};  // of the tree over the verified entries
  LogHead head;
  Seq first_bad = 0;    // 0 when all is well
  std::string problem;  // what is wrong with it
};

// Walks the log of one space. Between two steps it holds no view of the store, so that nothing that
// was erased meanwhile is kept on disk for its sake. After the first bad entry steps do nothing.
class LogVerifier {
 public:
  // `origin`: of the log while it was never restored. `store` and `key` must outlive it.
  LogVerifier(const Store& store, SpaceId space, std::string origin, const PublicKey& key)
      : store_(store), space_(space), origin_(std::move(origin)), key_(key), chain_(space) {}

  // Checks the next entries, at most `count` and up to entry `last`. Returns how many bytes it
  // read, 0 when there is nothing left. A problem with the data stands in the report; an error
  // means that it could not be read.
  Result<std::uint64_t> Step(Seq last, Seq count);

  // After the last step: the log reaches entry `last` at least, every missing payload was accounted
  // for, and the stored head is not another one.
  Status Finish(Seq last);

  // Whether payloads are missing that no entry so far says were erased or compacted.
  bool HasUnexplained() const { return !unexplained_.empty(); }
  const VerifyReport& report() const { return report_; }

 private:
  using Digests = std::map<Seq, Hash>;
  void Bad(Seq seq, std::string problem);
  Result<Digests> ReadPayloadDigests(Seq from, Seq until, std::uint64_t& bytes);
  Status Take(Seq seq, const std::string& bytes, const Digests& payloads);
  bool WasTheOneBefore(Seq seq, const std::string& bytes) const;
  void CheckPayload(const fb::Entry& entry, const Digests& payloads);
  Status CheckTile(Seq seq, const Tile& tile);
  Status CheckTreeHead(Seq seq);

  const Store& store_;
  SpaceId space_;
  OriginTrail origin_;
  const PublicKey& key_;
  Chain chain_;
  TreeState tree_;
  std::set<Seq> unexplained_;
  VerifyReport report_;
};

// Reads the whole log of `space` once. `progress` gets the number of entries done so far and
// returns whether to go on; the report of a check that was stopped covers those.
Result<VerifyReport> VerifyLog(const Store& store, SpaceId space, std::string_view origin,
                               const PublicKey& key, const std::function<bool(Seq)>& progress = {});

}  // namespace perdure
