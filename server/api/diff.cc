#include <fmt/format.h>

#include "engine/base/limits.h"
#include "server/api/answers.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"
#include "server/api/text_diff.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

constexpr const char* kDescribed[] = {"title",      "tags",  "type",       "theme",     "metadata",
                                      "importance", "scope", "authorship", "expires_at"};

// The members of the description that differ, each with its value before and after.
Json FieldChanges(const Memory& old_memory, const Memory& new_memory) {
  const Json a = AnswerOf(old_memory, schemas::Detail::kWhole);
  const Json b = AnswerOf(new_memory, schemas::Detail::kWhole);
  Json changes = Json::array();
  for (const char* name : kDescribed) {
    const Json from = a.value(name, Json());
    const Json to = b.value(name, Json());
    if (from == to) continue;
    Json& change = changes.emplace_back(Json{{"field", name}});
    if (!from.is_null()) change["from"] = from.is_string() ? from : Json(from.dump());
    if (!to.is_null()) change["to"] = to.is_string() ? to : Json(to.dump());
  }
  return changes;
}

void PutCut(Json& answer, const char* name, const std::string& diff) {
  const std::string_view shown = CutAtGrapheme(diff, limits::kAnswerBytesDefault);
  answer[name] = shown;
  if (shown.size() < diff.size()) answer["truncated"] = true;
}

Result<Json> Diff(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const Uuid id, view.Resolve(TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(const Memory current, view.Get(id));
  const std::uint32_t to =
      arguments.contains("to") ? VersionOf(arguments, "to") : current.record.version;
  const std::uint32_t from =
      arguments.contains("from") ? VersionOf(arguments, "from") : std::max(to, 2U) - 1;
  ASSIGN_OR_RETURN(const Memory old_memory, view.GetVersion(id, from));
  ASSIGN_OR_RETURN(const Memory new_memory, view.GetVersion(id, to));
  Json answer = {{"id", ToString(id)},
                 {"from", from},
                 {"to", to},
                 {"text_changed", old_memory.text != new_memory.text},
                 {"fields", FieldChanges(old_memory, new_memory)},
                 {"truncated", false}};
  const std::string by = TextOf(arguments, "by");
  if (by != "word") {
    PutCut(answer, "unified",
           UnifiedDiff(old_memory.text, new_memory.text,
                       {fmt::format("version {}", from), fmt::format("version {}", to)}));
  }
  if (by != "line") PutCut(answer, "words", WordDiff(old_memory.text, new_memory.text));
  PutView(answer, view, arguments);
  return answer;
}

}  // namespace

Operation MemoryDiff(Engine& engine) {
  Operation operation;
  operation.name = "memory_diff";
  operation.title = "Compare two versions";
  operation.description =
      "Shows what changed between any two versions of a memory: its text as a unified diff by "
      "line and as a diff by word, and each field of its description. Without from and to: what "
      "the latest version changed.";
  operation.input_schema = s::Object({{"id", s::Id()},
                                      {"from", s::Integer("Version", 1)},
                                      {"to", s::Integer("Version", 1)},
                                      {"by", s::OneOf({"line", "word"}, "Default: both")},
                                      {"as_of", s::AsOf()}},
                                     {"id"});
  Json field = s::Object({{"field", s::Text()}, {"from", s::Text()}, {"to", s::Text()}}, {"field"});
  operation.output_schema = s::Read({{"id", s::Text()},
                                     {"from", s::Integer()},
                                     {"to", s::Integer()},
                                     {"text_changed", s::Flag()},
                                     {"unified", s::Text()},
                                     {"words", s::Text()},
                                     {"fields", s::ListOf(std::move(field))},
                                     {"truncated", s::Flag()}},
                                    {"id", "from", "to", "text_changed", "fields", "truncated"});
  operation.hints = kReads;
  operation.mcp_tool = false;
  Serve(operation, Caller::kAnyone, {"GET", "/api/v1/memories/{id}/diff"}, engine, Diff);
  return operation;
}

}  // namespace perdure::operations
