// {"type": "entity", "name", "entityType", "observations": [TEXT*]}
// {"type": "relation", "from", "to", "relationType"}
#include <fmt/format.h>

#include <set>
#include <vector>

#include "server/api/json.h"
#include "tools/import/readers.h"

namespace perdure::readers {
namespace {

using Json = nlohmann::json;

Status TakeEntity(std::uint64_t line, const Json& entity, const TakeRow& take) {
  const Json observations = entity.value("observations", Json::array());
  if (!observations.is_array() || observations.empty()) {
    return take(Problem(line, "The entity has no observations."));
  }
  for (const Json& observation : observations) {
    ImportRow row = observation.is_string() ? NoteRow(line, observation.get<std::string>())
                                            : Problem(line, "An observation is no text.");
    if (row.problem.empty()) {
      SetText(row.arguments, "title", entity, "name");
      SetText(row.arguments, "type", entity, "entityType");
      row.arguments["source"] = "server-memory";
    }
    RETURN_IF_ERROR(take(std::move(row)));
  }
  return {};
}

// As a sentence: one has many relations of a kind, where a fact's predicate has one value.
ImportRow RelationRow(std::uint64_t line, const Json& relation,
                      const std::set<std::string>& names) {
  const std::string from = relation.value("from", "");
  const std::string to = relation.value("to", "");
  for (const std::string& end : {from, to}) {
    if (!names.contains(end)) {
      return Problem(line, fmt::format("The relation names '{}', which is no entity.", end));
    }
  }
  const std::string kind = relation.value("relationType", "");
  ImportRow row = NoteRow(line, fmt::format("{} {} {}", from, kind, to));
  row.arguments["title"] = from;
  row.arguments["type"] = "relation";
  row.arguments["source"] = "server-memory";
  row.arguments["metadata"] = {{"from", from}, {"relation", kind}, {"to", to}};
  return row;
}

}  // namespace

Status ServerMemory(const std::string& path, const TakeRow& take) {
  std::set<std::string> names;
  std::vector<std::pair<std::uint64_t, Json>> relations;
  RETURN_IF_ERROR(EachLine(path, [&](std::uint64_t line, std::string_view text) -> Status {
    const auto json = ParseJson(text);
    if (!json || !json->is_object()) return take(Problem(line, "It is no JSON object."));
    const Json type = json->value("type", Json());
    if (type == "entity" && json->value("name", Json()).is_string()) {
      names.insert((*json)["name"].get<std::string>());
      return TakeEntity(line, *json, take);
    }
    const bool is_relation = type == "relation" && json->value("from", Json()).is_string() &&
                             json->value("to", Json()).is_string() &&
                             json->value("relationType", Json()).is_string();
    if (!is_relation) return take(Problem(line, "It is neither an entity nor a relation."));
    relations.emplace_back(line, *json);
    return {};
  }));
  for (const auto& [line, relation] : relations) {
    RETURN_IF_ERROR(take(RelationRow(line, relation, names)));
  }
  return {};
}

}  // namespace perdure::readers
