// Checks a log as it passes by, entry by entry, wherever it comes from: chain, payloads, tree.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/log/chain.h"
#include "engine/log/origin.h"
#include "engine/proof/merkle.h"

namespace perdure {

class LogAudit {
 public:
  // `origin`: of tree heads of the log while it was never restored.
  LogAudit(SpaceId space, std::string origin) : chain_(space), origin_(std::move(origin)) {}

  // The next entry and its payload row, if there is one. kCorrupt names what is wrong with it.
  Status Next(const std::string& entry, std::optional<std::string_view> payload);

  // After the last entry. kCorrupt when a payload is missing that no entry says was erased, or is
  // there although an entry says so.
  Status Finish() const;

  const LogHead& head() const { return chain_.head(); }
  Hash Root() const { return tree_.Root(); }
  const std::string& origin() const { return origin_.now(); }  // of a tree head of what came so far
  // Seqs of the suppressions that were not lifted so far.
  std::vector<Seq> Suppressions() const { return {suppressions_.begin(), suppressions_.end()}; }
  Seq payloads() const { return payloads_; }
  Seq payloads_gone() const { return gone_.size(); }

 private:
  Chain chain_;
  TreeState tree_;
  OriginTrail origin_;
  Seq payloads_ = 0;
  std::vector<bool> present_;  // by seq - 1: whether the payload came
  std::set<Seq> gone_;         // those whose entry has a digest and that did not come
  std::set<Seq> suppressions_;
  std::set<Seq> covered_;  // those that entries say were erased
};

}  // namespace perdure
