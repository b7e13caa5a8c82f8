// Appends entries that were made elsewhere, verbatim: what the sequencer does for entries of its
// own, without deciding anything.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/log/chain.h"
#include "engine/log/origin.h"
#include "engine/log/tail.h"
#include "engine/proof/keys.h"
#include "engine/storage/store.h"

namespace perdure {

class LogTaker {
 public:
  // Continues the log of `space`, whose origin this is while it was never restored, where it ends,
  // in synced batches of `batch_entries`. `store`,
  // which nobody else writes to meanwhile, and `keys` must outlive it.
  static Result<std::unique_ptr<LogTaker>> Open(Store& store, SpaceId space, std::string origin,
                                                const SpaceKeys& keys, Seq batch_entries = 512);

  // The next entry, which must fit the chain, and its payload row, which the caller compared with
  // the entry's digest. Each batch that is written is a whole beginning of the log.
  Status Take(const std::string& entry, std::optional<std::string_view> payload);
  Status Flush();  // writes what is left

  const LogHead& head() const { return chain_.head(); }

  // Only Open can call it.
  class Passkey {
    friend class LogTaker;
    Passkey() {}
  };
  LogTaker(Passkey, Store& store, SpaceId space, OriginTrail origin, const SpaceKeys& keys);

 private:
  void PutTree(const Entry& entry);

  Store& store_;
  StoreView base_;
  const SpaceId space_;
  OriginTrail origin_;
  const SpaceKeys& keys_;
  Seq batch_entries_ = 0;
  Chain chain_;
  TreeState tree_;
  std::optional<Overlay> batch_;
  Seq batched_ = 0;
  std::size_t batched_bytes_ = 0;
};

}  // namespace perdure
