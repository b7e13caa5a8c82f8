// Who may do what, written down apart from the operations (docs/SECURITY.md).
#include "server/api/authorisation.h"

namespace perdure::testing {
namespace {

constexpr Caller::RoleMask kAll = Caller::kAnyone;
constexpr Caller::RoleMask kWrite = Caller::kAgent | Caller::kReviewer | Caller::kOperator;
constexpr Caller::RoleMask kReview = Caller::kReviewer | Caller::kOperator;
constexpr Caller::RoleMask kAudit = Caller::kReviewer | Caller::kAuditor | Caller::kOperator;
constexpr Caller::RoleMask kOperate = Caller::kOperator;

using Arguments = std::function<Json(const Target&)>;

Arguments Fixed(Json arguments) {
  return [arguments = std::move(arguments)](const Target&) { return arguments; };
}

// Nothing is done, so that every cell meets the same world.
Arguments Dry(Arguments of) {
  return [of = std::move(of)](const Target& target) {
    Json arguments = of(target);
    arguments["dry_run"] = true;
    return arguments;
  };
}

Arguments ById(Json more = Json::object()) {
  return [more = std::move(more)](const Target& target) {
    Json arguments = more;
    arguments["id"] = target.id;
    return arguments;
  };
}

Arguments InScope(Json more = Json::object()) {
  return [more = std::move(more)](const Target& target) {
    Json arguments = more;
    if (!target.scope.empty()) arguments["scope"] = target.scope;
    return arguments;
  };
}

void AddReads(std::vector<Rule>& rules) {
  const Json any_state = {{"state", {"pending", "live", "archived", "forgotten", "erased"}}};
  rules.insert(
      rules.end(),
      {{"memory_get", About::kMemory, kAll, ById()},
       {"memory_get", About::kMemory, kAll, ById({{"version", 1}})},
       {"memory_get", About::kMemory, kAll,
        [](const Target& target) { return Json{{"id", target.id}, {"as_of", target.seq}}; }},
       {"memory_get", About::kMemory, kAll,
        [](const Target& target) {
          return Json{{"id", target.id.substr(0, 30)}};  // a prefix
        }},
       {"memory_get", About::kFilter, kAll,
        [](const Target& target) {
          return Json{{"ids", {target.id, "01800000-1111-7000-8000-00000000000f"}}};
        }},
       {"memory_history", About::kTrace, kAll, ById()},
       {"memory_diff", About::kMemory, kAll, ById()},
       {"memory_search", About::kScope, kAll,
        [](const Target& target) {
          return InScope({{"query", "alpha " + target.canary}, {"limit", 100}})(target);
        }},
       {"memory_search", About::kNothing, kAll,
        [any_state](const Target& target) {
          return Json{{"query", target.canary}, {"filter", any_state}, {"min_relevance", 0}};
        }},
       {"memory_list", About::kScope, kAll, InScope({{"filter", any_state}})},
       {"memory_list", About::kNothing, kAll,
        [any_state](const Target& target) {
          return Json{{"as_of", target.seq}, {"filter", any_state}};
        }},
       {"memory_contents", About::kNothing, kAll, Fixed(Json::object())},
       {"scope_list", About::kScope, kAll, InScope()},
       {"scope_list", About::kNothing, kAll,
        [](const Target& target) { return Json{{"as_of", target.seq}}; }},
       {"link_list", About::kMemory, kAll, ById()},
       {"memory_context", About::kScope, kAll, InScope({{"tokens", 32000}, {"explain", true}})},
       {"memory_context", About::kNothing, kAll,
        [](const Target& target) {
          return Json{{"query", "alpha " + target.canary}, {"explain", true}};
        }},
       {"memory_list", About::kScope, kAll,
        InScope({{"filter", {{"metadata", {{"canary", {{"exists", false}}}}}}}})}});
}

void AddWrites(std::vector<Rule>& rules) {
  rules.insert(
      rules.end(),
      {{"memory_store", About::kScope, kWrite, Dry(InScope({{"text", "new"}}))},
       {"memory_store_many", About::kScope, kWrite, Dry([](const Target& target) {
          return Json{{"memories", {InScope({{"text", "new"}})(target)}}};
        })},
       {"memory_edit", About::kMemory, kWrite, Dry(ById({{"append", "+"}}))},
       {"memory_describe", About::kMemory, kWrite, Dry(ById({{"title", "t"}}))},
       {"memory_archive", About::kMemory, kWrite, Dry(ById())},
       {"memory_restore", About::kMemory, kWrite, Dry(ById())},
       {"memory_forget", About::kMemory, kWrite, Dry(ById())},
       {"memory_revert", About::kMemory, kWrite, Dry(ById({{"version", 1}}))},
       {"memory_pin", About::kMemory, kReview, Dry(ById())},
       {"memory_unpin", About::kMemory, kReview, Dry(ById())},
       {"memory_erase", About::kMemory, kOperate, Dry(ById())},
       {"scope_rollback", About::kMemory, kReview, Dry(ById({{"to", "2030-01-01T00:00:00Z"}}))},
       {"scope_rollback", About::kScope, kReview, Dry([](const Target& target) {
          return Json{{"scope", target.scope.empty() ? "/" : target.scope}, {"to", "1"}};
        })},
       {"snapshot_create", About::kNothing, kReview, Dry(Fixed({{"name", "fresh"}}))}});
}

// Of places, and of all memories in one.
void AddPlaces(std::vector<Rule>& rules) {
  const auto link = [](const Target& target) {
    return Json{{"from", target.id}, {"to", target.twin}, {"type", "about"}};
  };
  const auto fresh = [](const Target& target) {
    return Json{{"container", target.scope.empty() ? "fresh" : target.scope + "/fresh"}};
  };
  const auto held = [](Json more) {
    return Dry([more = std::move(more)](const Target& target) {
      Json arguments = more;
      const bool is_none = target.scope.empty() || target.state == "absent";
      arguments["container"] = is_none ? "nowhere" : target.scope;
      return arguments;
    });
  };
  rules.insert(rules.end(),
               {{"container_create", About::kNewPlace, kWrite, Dry(fresh)},
                {"container_describe", About::kPlace, kWrite, held({{"description", "d"}})},
                {"container_describe", About::kPlace, kReview, held({{"name", "other"}})},
                {"container_move", About::kTopPlace, kReview, held({{"parent", "/"}})},
                {"container_delete", About::kTopPlace, kReview, held({{"move_to", "/"}})},
                {"link_add", About::kMemory, kWrite, Dry(link)},
                {"link_remove", About::kLink, kWrite, Dry(link)},
                {"memory_forget_matching", About::kScope, kReview,
                 Dry(InScope({{"created_before", "2040-01-01T00:00:00Z"}}))},
                {"memory_erase_matching", About::kScope, kOperate,
                 Dry(InScope({{"created_before", "2040-01-01T00:00:00Z"}}))}});
}

void AddFacts(std::vector<Rule>& rules) {
  const Json fact = {{"subject", "alpha"}, {"predicate", "likes"}, {"object", "tea"}};
  const Json proposal = {{"text", "perhaps"}};
  rules.insert(
      rules.end(),
      {{"fact_assert", About::kScope, kWrite, Dry(InScope(fact))},
       {"fact_assert", About::kFilter, kWrite, Dry([fact](const Target& target) {
          Json quoting = fact;
          quoting["trust"] = "verbatim";
          quoting["evidence"] = {{"quote", "alpha omega"}, {"source", target.id}};
          return quoting;
        })},
       {"fact_assert_many", About::kScope, kWrite,
        Dry([fact](const Target& target) { return Json{{"facts", {InScope(fact)(target)}}}; })},
       {"memory_store", About::kMemory, kWrite, Dry([](const Target& target) {
          return Json{{"text", "new"}, {"derived_from", {target.id}}};
        })},
       {"memory_score", About::kMemory, kWrite,
        Dry(ById({{"importance", 0.5}, {"pass", "one"}, {"reason", "try"}}))},
       {"memory_merge", About::kMemory, kWrite, Dry([](const Target& target) {
          return Json{{"text", "both"}, {"parts", {target.id, target.twin}}};
        })},
       {"memory_unmerge", About::kMerged, kWrite, Dry(ById())},
       {"fact_about", About::kScope, kAll, InScope({{"subject", "alpha"}, {"history", true}})},
       {"fact_about", About::kNothing, kAll, Fixed({{"subject", "alpha"}, {"predicate", "has"}})},
       {"candidate_propose", About::kScope, kWrite, Dry(InScope(proposal))}});
}

void AddReview(std::vector<Rule>& rules) {
  rules.insert(
      rules.end(),
      {{"review_list", About::kNothing, kAudit, Fixed(Json::object())},
       {"review_list", About::kNothing, kAudit, Fixed({{"queue", "disputes"}})},
       {"review_list", About::kNothing, kAudit, Fixed({{"queue", "refusals"}})},
       {"review_decide", About::kCandidate, kReview, Dry(ById({{"decision", "approve"}}))},
       {"review_decide", About::kCandidate, kReview, Dry(ById({{"decision", "reject"}}))},
       {"suppression_list", About::kNothing, kAudit, Fixed({{"all", true}})},
       {"suppression_create", About::kScope, kReview, Dry(InScope({{"text", "rejected"}}))},
       {"suppression_lift", About::kSuppression, kReview, Dry([](const Target& target) {
          return Json{{"suppression", target.suppression}, {"reason", "try"}};
        })},
       {"suppression_erase", About::kSuppression, kOperate,
        Dry([](const Target& target) { return Json{{"suppression", target.suppression}}; })},
       {"review_dismiss", About::kRefusal, kReview, Dry([](const Target& target) {
          Json refusals = Json::array({target.refusal});
          return Json{{"refusals", std::move(refusals)}};
        })},
       {"memory_verify", About::kMemory, Caller::kReviewer,
        Dry(ById({{"evidence", {{"quote", "seen"}}}}))},
       {"genre_change", About::kMemory, kReview, Dry(ById({{"genre", "personal"}}))},
       {"predicate_declare", About::kSpace, kReview, Dry(Fixed({{"name", "likes"}}))},
       {"policy_set", About::kSpace, kReview, Dry(Fixed({{"fade", 0.5}}))},
       {"policy_get", About::kNothing, kAudit, Fixed(Json::object())},
       {"review_undo", About::kDecision, kReview,
        Dry([](const Target& target) { return Json{{"decision", target.seq}}; })}});
}

void AddLogAndHouse(std::vector<Rule>& rules) {
  rules.insert(
      rules.end(),
      {{"snapshot_list", About::kNothing, kAudit, Fixed(Json::object())},
       {"log_query", About::kFilter, kAudit,
        [](const Target& target) { return Json{{"memory", target.id}}; }},
       {"log_query", About::kNothing, kAudit, Fixed({{"limit", 1000}})},
       {"log_query", About::kNothing, kAudit,
        [](const Target& target) { return Json{{"actor", target.token}}; }},
       {"log_entry", About::kEntry, kAudit,
        [](const Target& target) { return Json{{"seq", target.seq}}; }},
       {"log_proof", About::kNothing, kAudit, Fixed(Json::object())},
       {"index_status", About::kNothing, kAudit, Fixed(Json::object())},
       {"status", About::kNothing, kAudit, Fixed(Json::object())},
       {"token_issue", About::kScope, kOperate, Dry(InScope({{"roles", {"agent"}}}))},
       {"token_issue", About::kHouse, kOperate,
        Dry(Fixed({{"roles", {"agent"}}, {"space", "third"}}))},
       {"token_revoke", About::kToken, kOperate,
        Dry([](const Target& target) { return Json{{"id", target.token}}; })},
       {"token_list", About::kNothing, kOperate, Fixed(Json::object())},
       {"space_create", About::kHouse, kOperate, Dry(Fixed({{"name", "fourth"}}))},
       {"compact", About::kHouse, kOperate, Dry(Fixed({{"before", "1"}}))},
       {"backup", About::kHouse, kOperate, Dry(Fixed({{"directory", "/srv/backups"}}))},
       {"clock_confirm", About::kHouse, kOperate, Fixed(Json::object())},
       {"source_add", About::kSpace, kOperate,
        Dry(Fixed({{"store", "mirror"}, {"path", "/srv/notes"}}))},
       {"source_remove", About::kSource, kOperate, Dry(Fixed({{"source", 999'999}}))},
       {"source_files", About::kSource, kOperate, Fixed({{"source", 999'999}})},
       {"source_sync", About::kSource, kOperate,
        Dry(Fixed({{"source", 999'999}, {"changes", {{{"action", "store"}, {"path", "a.md"}}}}}))},
       {"source_list", About::kSpace, kOperate, Fixed(Json::object())},
       {"index_rebuild", About::kNothing, kOperate, Fixed(Json::object())}});
}

}  // namespace

std::vector<Rule> ProductRules() {
  std::vector<Rule> rules;
  AddReads(rules);
  AddWrites(rules);
  AddPlaces(rules);
  AddFacts(rules);
  AddReview(rules);
  AddLogAndHouse(rules);
  return rules;
}

}  // namespace perdure::testing
