// The full check of a log: every entry, link, payload, tile and signed tree head.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/log/entry.h"
#include "engine/proof/ed25519.h"
#include "engine/storage/store.h"

namespace perdure {

struct VerifyReport {
  Seq entries = 0;        // that verified
  Seq payloads = 0;       // present, and the ones that were written
  Seq payloads_gone = 0;  // erased or compacted: their entries verify without them
  std::uint64_t tree_heads = 0;
  Hash root{};  // of the tree over the verified entries
  LogHead head;
  Seq first_bad = 0;    // 0 when all is well
  std::string problem;  // what is wrong with it, and what to do
};

// Reads the whole log of `space` once. A problem with the data stands in the report; an error
// means that it could not be read. `progress` gets the number of entries done so far.
Result<VerifyReport> VerifyLog(const Store& store, SpaceId space, std::string_view origin,
                               const PublicKey& key, const std::function<void(Seq)>& progress = {});

}  // namespace perdure
