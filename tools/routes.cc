#include "tools/routes.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "server/api/json.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr auto kRoutes = std::to_array<Route>({
    {"memory_store", "POST", "/api/v1/memories"},
    {"memory_search", "POST", "/api/v1/search"},
    {"memory_get", "GET", "/api/v1/memories/{id}"},
    {"memory_edit", "PATCH", "/api/v1/memories/{id}/text"},
    {"memory_describe", "PATCH", "/api/v1/memories/{id}"},
    {"memory_list", "GET", "/api/v1/memories"},
    {"memory_history", "GET", "/api/v1/memories/{id}/history"},
    {"memory_archive", "POST", "/api/v1/memories/{id}/archive"},
    {"memory_restore", "POST", "/api/v1/memories/{id}/restore"},
    {"memory_forget", "POST", "/api/v1/memories/{id}/forget"},
    {"memory_revert", "POST", "/api/v1/memories/{id}/revert"},
    {"fact_assert", "POST", "/api/v1/facts"},
    {"fact_about", "GET", "/api/v1/facts"},
    {"candidate_propose", "POST", "/api/v1/candidates"},
    {"memory_context", "POST", "/api/v1/context"},
    {"memory_store_many", "POST", "/api/v1/memories:batch"},
    {"fact_assert_many", "POST", "/api/v1/facts:batch"},
    {"memory_score", "POST", "/api/v1/memories/{id}/score"},
    {"memory_merge", "POST", "/api/v1/memories:merge"},
    {"memory_unmerge", "POST", "/api/v1/memories/{id}/unmerge"},
    {"memory_diff", "GET", "/api/v1/memories/{id}/diff"},
    {"memory_contents", "GET", "/api/v1/contents"},
    {"memory_pin", "POST", "/api/v1/memories/{id}/pin"},
    {"memory_unpin", "POST", "/api/v1/memories/{id}/unpin"},
    {"review_list", "GET", "/api/v1/review"},
    {"review_decide", "POST", "/api/v1/candidates/{id}/decide"},
    {"review_undo", "POST", "/api/v1/review/undo"},
    {"review_dismiss", "POST", "/api/v1/review/dismiss"},
    {"suppression_list", "GET", "/api/v1/suppressions"},
    {"suppression_create", "POST", "/api/v1/suppressions"},
    {"suppression_lift", "POST", "/api/v1/suppressions/{suppression}/lift"},
    {"suppression_erase", "POST", "/api/v1/suppressions/{suppression}/erase"},
    {"memory_verify", "POST", "/api/v1/memories/{id}/verify"},
    {"genre_change", "POST", "/api/v1/memories/{id}/genre"},
    {"predicate_declare", "POST", "/api/v1/predicates"},
    {"policy_set", "PATCH", "/api/v1/policy"},
    {"policy_get", "GET", "/api/v1/policy"},
    {"scope_list", "GET", "/api/v1/scopes"},
    {"container_create", "POST", "/api/v1/containers"},
    {"container_describe", "PATCH", "/api/v1/containers"},
    {"container_move", "POST", "/api/v1/containers/move"},
    {"container_delete", "POST", "/api/v1/containers/delete"},
    {"link_add", "POST", "/api/v1/links"},
    {"link_remove", "POST", "/api/v1/links/remove"},
    {"link_list", "GET", "/api/v1/memories/{id}/links"},
    {"memory_forget_matching", "POST", "/api/v1/memories/forget_matching"},
    {"memory_erase_matching", "POST", "/api/v1/memories/erase_matching"},
    {"scope_rollback", "POST", "/api/v1/rollback"},
    {"snapshot_create", "POST", "/api/v1/snapshots"},
    {"snapshot_list", "GET", "/api/v1/snapshots"},
    {"log_query", "GET", "/api/v1/log"},
    {"log_entry", "GET", "/api/v1/log/{seq}"},
    {"log_proof", "GET", "/api/v1/proof"},
    {"memory_erase", "POST", "/api/v1/memories/{id}/erase"},
    {"source_add", "POST", "/api/v1/sources"},
    {"source_remove", "DELETE", "/api/v1/sources/{source}"},
    {"source_list", "GET", "/api/v1/sources"},
    {"source_files", "GET", "/api/v1/sources/{source}/files"},
    {"source_sync", "POST", "/api/v1/sources/{source}/sync"},
    {"token_issue", "POST", "/api/v1/tokens"},
    {"token_revoke", "DELETE", "/api/v1/tokens/{id}"},
    {"token_list", "GET", "/api/v1/tokens"},
    {"space_create", "POST", "/api/v1/spaces"},
    {"compact", "POST", "/api/v1/compact"},
    {"backup", "POST", "/api/v1/backup"},
    {"index_status", "GET", "/api/v1/index"},
    {"index_rebuild", "POST", "/api/v1/index/rebuild"},
    {"clock_confirm", "POST", "/api/v1/clock/confirm"},
    {"status", "GET", "/api/v1/status"},
});

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : DumpJson(value);
}

// Takes what stands in braces out of the arguments.
std::string FillPath(std::string_view path, Json& arguments) {
  std::string out;
  for (std::size_t open = path.find('{'); open != path.npos; open = path.find('{')) {
    const std::size_t close = path.find('}', open);
    const std::string name(path.substr(open + 1, close - open - 1));
    out += path.substr(0, open);
    out += PercentEncode(TextOf(arguments.value(name, Json(""))));
    arguments.erase(name);
    path.remove_prefix(close + 1);
  }
  return out += path;
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

const Route* FindRoute(std::string_view operation) {
  const auto at = std::ranges::find(kRoutes, operation, &Route::operation);
  return at == kRoutes.end() ? nullptr : &*at;
}

ClientRequest RequestFor(const Route& route, Json arguments) {
  ClientRequest request;
  request.method = route.method;
  request.target = FillPath(route.path, arguments);
  if (route.method != "GET") {
    request.body = DumpJson(arguments);
    return request;
  }
  char separator = '?';
  for (const auto& [name, value] : arguments.items()) {
    request.target += std::exchange(separator, '&') + name + '=' + PercentEncode(TextOf(value));
  }
  return request;
}

}  // namespace perdure
