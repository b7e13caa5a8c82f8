#include "engine/decide/scores.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/limits.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/fact_keys.h"

namespace perdure {

Result<float> BoundedScore(std::optional<float> wanted, float now, float moved,
                           std::string_view field) {
  if (!wanted) return now;
  if (!(*wanted >= limits::kScoreMin && *wanted <= limits::kScoreMax)) {
    return Refuse(Rule::kCap,
                  fmt::format("{} is {}; a pass may set it to {}..{}.", field, *wanted,
                              limits::kScoreMin, limits::kScoreMax),
                  std::string(field));
  }
  constexpr float kRounding = 1e-4f;
  const float step = std::abs(*wanted - now);
  if (step > limits::kScoreStepMax + kRounding) {
    return Refuse(Rule::kCap,
                  fmt::format("{} would move by {:.3f}; one call may move it by {}.", field, step,
                              limits::kScoreStepMax),
                  std::string(field));
  }
  if (moved + step > limits::kScorePassMax + kRounding) {
    return Refuse(Rule::kCap,
                  fmt::format("This pass has moved {} by {:.3f} and would move it by {:.3f} more; "
                              "it may move it by {} in all.",
                              field, moved, step, limits::kScorePassMax),
                  std::string(field));
  }
  return *wanted;
}

Status RequireMayScore(const fb::MemoryRecordT& record) {
  if (!IsProtected(record)) return {};
  return Refuse(Rule::kProtected, "A reviewer pinned or verified this memory: it is not scored.",
                "id");
}

std::string PassOfDescriptions(const Transaction& txn) {
  return "descriptions by " + ToString(txn.principal().id);
}

Status CheckImportanceBound(const Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record,
                            float importance) {
  if (txn.principal().Has(kReviewer | kOperator)) return {};
  RETURN_IF_ERROR(RequireMayScore(record));
  ASSIGN_OR_RETURN(const Moved moved, MovedBy(txn.state(), txn.space(),
                                              PassKey(txn.secret(), PassOfDescriptions(txn)), id));
  ASSIGN_OR_RETURN([[maybe_unused]] const float bounded,
                   BoundedScore(importance, record.importance, moved.importance, "importance"));
  return {};
}

}  // namespace perdure
