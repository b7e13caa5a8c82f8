// mem0:      {"results": [ROW*]} or [ROW*]; ROW of "memory", "user_id", "agent_id", "run_id",
//            "categories", "metadata", "created_at"
// Memorizer: {"memories": [ROW*]} or [ROW*]; ROW of "text" or "content", "title", "type", "source",
//            "tags", "createdAt"
#include <fmt/format.h>

#include "server/api/json.h"
#include "tools/import/readers.h"

namespace perdure::readers {
namespace {

using Json = nlohmann::json;

Result<Json> RowsIn(const std::string& path, const char* member) {
  ASSIGN_OR_RETURN(const std::string text, WholeFile(path));
  ASSIGN_OR_RETURN(Json json, ParseJson(text));
  if (json.is_object() && json.contains(member)) json = Json(json[member]);
  if (json.is_array()) return json;
  return Fail(Code::kInvalidArgument,
              fmt::format("{} holds no list, nor one under \"{}\".", path, member), "file");
}

Json TagsOf(const Json& tags) {
  Json texts = Json::array();
  if (!tags.is_array()) return texts;
  for (const Json& tag : tags) {
    if (tag.is_string() && !tag.get_ref<const std::string&>().empty()) texts.push_back(tag);
  }
  return texts;
}

// A name that may stand in a scope, where ';', '=' and '/' have meanings.
std::string ScopeName(std::string name) {
  for (char& c : name) {
    if (c == ';' || c == '=' || c == '/' || c == '*') c = '-';
  }
  return name;
}

std::string ScopeOfIds(const Json& row) {
  std::string scope;
  for (const auto& [member, part] :
       {std::pair("user_id", "user"), std::pair("agent_id", "agent"), std::pair("run_id", "run")}) {
    const Json value = row.value(member, Json());
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) continue;
    scope += fmt::format(";{}={}", part, ScopeName(value.get<std::string>()));
  }
  return scope;
}

}  // namespace

Status Mem0(const std::string& path, const TakeRow& take) {
  ASSIGN_OR_RETURN(const Json rows, RowsIn(path, "results"));
  std::uint64_t number = 0;
  for (const Json& from : rows) {
    ++number;
    const Json text = from.is_object() ? from.value("memory", Json()) : Json();
    ImportRow row = text.is_string() ? NoteRow(number, text.get<std::string>())
                                     : Problem(number, "It has no text \"memory\".");
    if (row.problem.empty()) {
      row.arguments["source"] = "mem0";
      if (const Json tags = TagsOf(from.value("categories", Json())); !tags.empty()) {
        row.arguments["tags"] = tags;
      }
      if (from.value("metadata", Json()).is_object() && !from["metadata"].empty()) {
        row.arguments["metadata"] = from["metadata"];
      }
      if (const std::string scope = ScopeOfIds(from); !scope.empty()) {
        row.arguments["scope"] = scope;
      }
      SetTime(row.arguments, "reference_time", from, "created_at");
    }
    RETURN_IF_ERROR(take(std::move(row)));
  }
  return {};
}

Status Memorizer(const std::string& path, const TakeRow& take) {
  ASSIGN_OR_RETURN(const Json rows, RowsIn(path, "memories"));
  std::uint64_t number = 0;
  for (const Json& from : rows) {
    ++number;
    Json text = from.is_object() ? from.value("text", Json()) : Json();
    if (!text.is_string() && from.is_object()) text = from.value("content", Json());
    if (text.is_object()) text = DumpJson(text);
    ImportRow row = text.is_string() ? NoteRow(number, text.get<std::string>())
                                     : Problem(number, "It has neither \"text\" nor \"content\".");
    if (row.problem.empty()) {
      SetText(row.arguments, "title", from, "title");
      SetText(row.arguments, "type", from, "type");
      SetText(row.arguments, "source", from, "source");
      if (const Json tags = TagsOf(from.value("tags", Json())); !tags.empty()) {
        row.arguments["tags"] = tags;
      }
      SetTime(row.arguments, "reference_time", from, "createdAt");
      SetTime(row.arguments, "reference_time", from, "created_at");
    }
    RETURN_IF_ERROR(take(std::move(row)));
  }
  return {};
}

}  // namespace perdure::readers
