// Checks a log as it passes by, entry by entry, wherever it comes from: chain, payloads, tree.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/log/chain.h"
#include "engine/proof/merkle.h"

namespace perdure {

class LogAudit {
 public:
  explicit LogAudit(SpaceId space) : chain_(space) {}

  // The next entry and its payload row, if there is one. kCorrupt names what is wrong with it.
  Status Next(const std::string& entry, std::optional<std::string_view> payload);

  // After the last entry. kCorrupt when a payload is missing that no entry says was erased, or is
  // there although an entry says so.
  Status Finish() const;

  const LogHead& head() const { return chain_.head(); }
  Hash Root() const { return tree_.Root(); }
  Seq payloads() const { return payloads_; }
  Seq payloads_gone() const { return gone_.size(); }

 private:
  Chain chain_;
  TreeState tree_;
  Seq payloads_ = 0;
  std::vector<bool> present_;  // by seq - 1: whether the payload came
  std::set<Seq> gone_;         // those whose entry has a digest and that did not come
  std::set<Seq> covered_;      // those that entries say were erased
};

}  // namespace perdure
