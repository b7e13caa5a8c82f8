// What waits for a reviewer, and what was rejected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/apply/fact_fold.h"
#include "engine/read/read_view.h"

namespace perdure {

struct ReviewItem {
  std::optional<Memory> memory;  // the candidate, or the disputed memory
  std::optional<Memory> rival;   // of a candidate: the value in its place; of a refusal: the lapsed
  std::optional<LogLine> refusal;  // of the queue of refusals
  std::string because;             // the rule that made it a candidate; empty when proposed
};

struct ReviewPage {
  std::vector<ReviewItem> items;  // oldest first; refusals newest first
  std::uint64_t total = 0;        // in the caller's scope
};

// kForbidden unless the caller reviews, audits or operates.
Result<ReviewPage> ListReview(const ReadView& view, ReviewQueue queue, std::size_t limit);

struct SuppressionInfo {
  Seq seq = 0;
  Micros record_time = 0;
  Uuid reviewer;
  std::string text;  // of what was rejected; "[erased]" once it is gone
  std::string reason;
  ScopePath scope;
  std::optional<Uuid> memory;
  std::optional<Micros> expires_at;
  Seq lifted_seq = 0;
  std::uint64_t refused = 0;  // writes since
};
Result<std::vector<SuppressionInfo>> ListSuppressions(const ReadView& view);

}  // namespace perdure
