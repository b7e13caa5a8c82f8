#include <fmt/format.h>

#include <algorithm>

#include "server/api/answers.h"
#include "server/api/json.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

constexpr const char* kEditExample =
    "Example: {\"id\":\"0190f3c2\",\"old_text\":\"Friday\",\"new_text\":\"Monday\"}";

Json KeepEmpty(Json schema) {
  schema["x-keep-empty"] = true;
  return schema;
}

// Exactly one of the three ways to change a text.
Result<EditMemory> EditOf(const Json& arguments) {
  const bool replaces = arguments.contains("old_text");
  const bool appends = arguments.contains("append");
  const bool writes = arguments.contains("text");
  if (replaces + appends + writes != 1) {
    return Fail(Code::kInvalidArgument,
                fmt::format("Give exactly one of \"old_text\" (with \"new_text\"), \"append\" and "
                            "\"text\". {}",
                            kEditExample),
                "old_text");
  }
  if (!replaces && (arguments.contains("new_text") || arguments.contains("replace_all"))) {
    return Fail(
        Code::kInvalidArgument,
        fmt::format("\"new_text\" and \"replace_all\" go with \"old_text\" only. {}", kEditExample),
        arguments.contains("new_text") ? "new_text" : "replace_all");
  }
  if (appends) return EditMemory{{}, AppendText{TextOf(arguments, "append")}};
  if (writes) return EditMemory{{}, WholeText{TextOf(arguments, "text")}};
  if (!arguments.contains("new_text")) {
    return Fail(Code::kInvalidArgument,
                fmt::format("\"new_text\" is required beside \"old_text\"; \"\" takes the passage "
                            "away. {}",
                            kEditExample),
                "new_text");
  }
  return EditMemory{{},
                    ReplaceText{TextOf(arguments, "old_text"), TextOf(arguments, "new_text"),
                                arguments.value("replace_all", false)}};
}

Result<Json> Edit(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(EditMemory command, EditOf(arguments));
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("memory_edit", arguments)));
  return ChangeAnswer(outcome, "revise");
}

Result<DescribeMemory> DescriptionOf(const Json& arguments) {
  DescribeMemory change;
  const auto text = [&](const char* name, std::optional<std::string>& to) {
    if (arguments.contains(name)) to = TextOf(arguments, name);
  };
  text("title", change.title);
  text("type", change.type);
  text("theme", change.theme);
  if (arguments.contains("tags")) change.tags = arguments["tags"].get<std::vector<std::string>>();
  if (arguments.contains("metadata")) change.metadata = DumpJson(arguments["metadata"]);
  if (arguments.contains("importance")) change.importance = arguments["importance"].get<float>();
  change.authorship = AuthorshipOf(arguments);
  text("store", change.store);
  change.memory_class = ClassOf(arguments);
  ASSIGN_OR_RETURN(change.expires_at, TimeOf(arguments, "expires_at"));
  ASSIGN_OR_RETURN(change.scope, ScopeOf(arguments));
  change.clear = arguments.value("clear", std::vector<std::string>());
  return change;
}

Json DescriptionSchema() {
  return s::Object(
      {{"id", s::Id()},
       {"title", s::Text()},
       {"tags", s::Texts("All, not only new ones")},
       {"type", s::Text()},
       {"theme", s::Text()},
       {"metadata", s::Open("The whole object")},
       {"importance", s::Brief(s::Share("0 to 1"))},
       {"authorship", s::Brief(s::OneOf(s::AuthorshipNames()))},
       {"expires_at", s::Brief(s::Time("When to leave default reads"))},
       {"scope", s::WithExample(s::Text("Moves the memory there"), "acme/website")},
       {"cross_scope", s::Brief(s::Flag("The move to another user, agent or run is meant"))},
       {"store", s::Brief(s::Text("Puts the memory there"))},
       {"class", s::Brief(s::OneOf(s::ClassNames()))},
       {"clear",
        s::ListOf(s::Brief(s::OneOf({"title", "tags", "type", "theme", "metadata", "expires_at"})),
                  "Fields to empty")}},
      {"id"});
}

Status CheckDescription(const Json& arguments) {
  const Json properties = DescriptionSchema()["properties"];
  const auto changes = [&](const auto& item) {
    return item.key() != "id" && item.key() != "cross_scope" && properties.contains(item.key());
  };
  const auto items = arguments.items();
  if (std::none_of(items.begin(), items.end(), changes)) {
    return Fail(Code::kInvalidArgument,
                "Nothing is to be changed. Give at least one field. Example: "
                "{\"id\":\"0190f3c2\",\"tags\":[\"decision\"]}. To empty one: "
                "{\"id\":\"0190f3c2\",\"clear\":[\"title\"]}",
                "title");
  }
  for (const Json& name : arguments.value("clear", Json::array())) {
    if (!arguments.contains(name.get_ref<const std::string&>())) continue;
    return Fail(
        Code::kInvalidArgument,
        fmt::format("{} is given a value and cleared in one call. Leave one out.", name.dump()),
        "clear");
  }
  return {};
}

Result<Json> Describe(Engine& engine, const Principal& principal, const Json& arguments) {
  RETURN_IF_ERROR(CheckDescription(arguments));
  ASSIGN_OR_RETURN(DescribeMemory command, DescriptionOf(arguments));
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("memory_describe", arguments)));
  return ChangeAnswer(outcome, "describe");
}

Result<Json> Revert(Engine& engine, const Principal& principal, const Json& arguments) {
  RevertMemory command;
  if (arguments.contains("version") == arguments.contains("as_of")) {
    return Fail(
        Code::kInvalidArgument,
        "Give either \"version\" or \"as_of\". Example: {\"id\":\"0190f3c2\",\"version\":2}",
        "version");
  }
  if (arguments.contains("version")) {
    command.version = VersionOf(arguments, "version");
  } else {
    ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
    command.as_of = view.as_of();
  }
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("memory_revert", arguments)));
  return ChangeAnswer(outcome, "revert");
}

}  // namespace

Operation MemoryEdit(Engine& engine) {
  Operation operation;
  operation.name = "memory_edit";
  operation.title = "Change a memory's text";
  operation.description =
      "Changes what a memory says, as a new version: a passage (old_text, new_text), an addition "
      "(append) or all of it (text). Read it with memory_get first and pass its version as "
      "expected_version, lest another's change be lost. Returns the new version; memory_revert "
      "takes it back.";
  operation.input_schema =
      s::Change(s::Object({{"id", s::Id()},
                           {"old_text", s::Text("Exact passage to replace; must stand there once")},
                           {"new_text", KeepEmpty(s::Text("Its replacement; may be empty"))},
                           {"replace_all", s::Brief(s::Flag("Replace every occurrence"))},
                           {"append", s::Brief(s::Text("Added at the end as it is"))},
                           {"text", s::Brief(s::Text("The whole new text"))}},
                          {"id"}));
  operation.output_schema = s::Changed();
  operation.hints = kAdds;
  Serve(operation, kWriters, {"PATCH", "/api/v1/memories/{id}/text"}, engine, Edit);
  return operation;
}

Operation MemoryDescribe(Engine& engine) {
  Operation operation;
  operation.name = "memory_describe";
  operation.title = "Describe a memory";
  operation.description =
      "Changes a memory's title, tags, place or other labels, as a new version. Only what is "
      "passed changes; the text stays. Returns the new version; memory_revert takes it back.";
  operation.input_schema = s::Change(DescriptionSchema());
  operation.output_schema = s::Changed();
  operation.hints = kSettles;
  Serve(operation, kWriters, {"PATCH", "/api/v1/memories/{id}"}, engine, Describe);
  return operation;
}

Operation MemoryRevert(Engine& engine) {
  Operation operation;
  operation.name = "memory_revert";
  operation.title = "Revert a memory";
  operation.description =
      "Brings back a past text and its labels, as a new version: by version (see memory_history), "
      "or as of a past time. Nothing is lost. Returns the new version.";
  operation.input_schema = s::Change(s::Object(
      {{"id", s::Id()}, {"version", s::Brief(s::Integer("", 1))}, {"as_of", s::AsOf()}}, {"id"}));
  operation.output_schema = s::Changed();
  operation.hints = kAdds;
  Serve(operation, kWriters, {"POST", "/api/v1/memories/{id}/revert"}, engine, Revert);
  return operation;
}

}  // namespace perdure::operations
