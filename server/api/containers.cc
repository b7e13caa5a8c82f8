// Where memories live: the tree of workspaces and projects, and who has memories there.
#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/read/tree.h"
#include "server/api/answers.h"
#include "server/api/json.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Json AnswerOf(const ContainerInfo& info) {
  Json answer = {{"container", FormatScope(info.path)},
                 {"kind", fb::EnumNameContainerKind(info.kind)},
                 {"memories", info.memories},
                 {"total", info.total}};
  if (info.kind == fb::ContainerKind::project || info.status != fb::ProjectStatus::active) {
    answer["status"] = fb::EnumNameProjectStatus(info.status);
  }
  PutText(answer, "description", info.description);
  PutText(answer, "conditions", info.conditions);
  return answer;
}

// Leaves out what the answer has no room for, and says so.
void PutNamed(Json& answer, const char* name, const std::vector<NamedPlace>& places) {
  if (places.empty()) return;
  for (const NamedPlace& place : places) {
    if (answer[name].size() == limits::kListLimitMax) {
      answer["truncated"] = true;
      return;
    }
    answer[name].push_back({{"name", place.name}, {"memories", place.memories}});
  }
}

Result<Json> List(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const auto scope, ScopeOf(arguments));
  ASSIGN_OR_RETURN(const ScopeTree tree, ReadTree(view, scope));
  const std::string query = TextOf(arguments, "query");
  Json answer = {{"containers", Json::array()}, {"memories", tree.memories}};
  std::size_t bytes = 0;
  for (const ContainerInfo& container : tree.containers) {
    ASSIGN_OR_RETURN(const bool wanted, Mentions(container, query));
    if (!wanted) continue;
    Json shown = AnswerOf(container);
    bytes += DumpJson(shown).size();
    if (bytes > limits::kAnswerBytesDefault && !answer["containers"].empty()) {
      answer["truncated"] = true;
      break;
    }
    answer["containers"].push_back(std::move(shown));
  }
  PutNamed(answer, "users", tree.users);
  PutNamed(answer, "agents", tree.agents);
  PutNamed(answer, "runs", tree.runs);
  PutNamed(answer, "stores", tree.stores);
  PutView(answer, view, arguments);
  return answer;
}

std::optional<fb::ContainerKind> KindOf(const Json& arguments) {
  if (!arguments.contains("kind")) return std::nullopt;
  return EnumOf(arguments["kind"], fb::EnumValuesContainerKind(), fb::EnumNameContainerKind);
}

std::optional<fb::ProjectStatus> StatusOf(const Json& arguments) {
  if (!arguments.contains("status")) return std::nullopt;
  return EnumOf(arguments["status"], fb::EnumValuesProjectStatus(), fb::EnumNameProjectStatus);
}

// The root is written as "/", since an empty text counts as none.
Result<ScopePath> ContainerOf(const Json& arguments, const char* name) {
  const std::string text = TextOf(arguments, name);
  return text == "/" ? ScopePath() : ParseScope(text, name);
}

Json ContainerAnswer(const WriteOutcome& outcome, const Json& arguments, const std::string& would) {
  Json answer = {{"container", arguments["container"]}};
  PutOutcome(answer, outcome, would);
  return answer;
}

Result<Json> Create(Engine& engine, const Principal& principal, const Json& arguments) {
  CreateContainer command;
  ASSIGN_OR_RETURN(command.container, ContainerOf(arguments, "container"));
  command.kind = KindOf(arguments);
  command.status = StatusOf(arguments);
  command.description = TextOf(arguments, "description");
  command.conditions = TextOf(arguments, "conditions");
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("container_create", arguments)));
  return ContainerAnswer(outcome, arguments, "make the container");
}

Result<Json> DescribeOne(Engine& engine, const Principal& principal, const Json& arguments) {
  DescribeContainer command;
  ASSIGN_OR_RETURN(command.container, ContainerOf(arguments, "container"));
  if (arguments.contains("name")) command.name = TextOf(arguments, "name");
  command.kind = KindOf(arguments);
  command.status = StatusOf(arguments);
  if (arguments.contains("description")) command.description = TextOf(arguments, "description");
  if (arguments.contains("conditions")) command.conditions = TextOf(arguments, "conditions");
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("container_describe", arguments)));
  return ContainerAnswer(outcome, arguments, "describe the container");
}

Result<Json> Move(Engine& engine, const Principal& principal, const Json& arguments) {
  MoveContainer command;
  ASSIGN_OR_RETURN(command.container, ContainerOf(arguments, "container"));
  ASSIGN_OR_RETURN(command.parent, ContainerOf(arguments, "parent"));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("container_move", arguments)));
  return ContainerAnswer(outcome, arguments, "move the container with all that lies in it");
}

Result<Json> Delete(Engine& engine, const Principal& principal, const Json& arguments) {
  DeleteContainer command;
  ASSIGN_OR_RETURN(command.container, ContainerOf(arguments, "container"));
  if (arguments.contains("move_to")) {
    ASSIGN_OR_RETURN(command.move_to, ContainerOf(arguments, "move_to"));
  }
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("container_delete", arguments)));
  const auto moved = outcome.memories.size();
  Json answer = ContainerAnswer(
      outcome, arguments,
      fmt::format("delete {} containers and move {} memories", outcome.containers, moved));
  answer["containers"] = outcome.containers;
  answer["moved"] = moved;
  return answer;
}

Json Container() { return s::WithExample(s::Text("Its path; \"/\" is the root"), "acme/website"); }

Json Kind() { return s::OneOf(s::ContainerKindNames(), "Default: workspace, below one project"); }
Json ProjectStatus() { return s::OneOf(s::ProjectStatusNames(), "Default: active"); }

Json KeepsEmpty(Json schema) {
  schema["x-keep-empty"] = true;
  return schema;
}

Operation MakeWrite(const char* name, const char* title, const char* description) {
  Operation operation;
  operation.name = name;
  operation.title = title;
  operation.description = description;
  operation.output_schema = s::Written({{"container", s::Text()}}, {"container"});
  operation.hints = kAdds;
  operation.mcp_tool = false;
  return operation;
}

}  // namespace

Operation ScopeList(Engine& engine) {
  Operation operation;
  operation.name = "scope_list";
  operation.title = "List scopes";
  operation.description =
      "The tree of workspaces and projects with their counts, and who has memories there. Use it "
      "to "
      "find the scope to store in.";
  operation.input_schema = s::Object({{"scope", s::Scope()},
                                      {"query", s::Text("Words of names and descriptions")},
                                      {"as_of", s::AsOf()}});
  const Json place =
      s::Object({{"name", s::Text()}, {"memories", s::Integer()}}, {"name", "memories"});
  Json container = s::WithQuiet(s::Object({{"container", s::Text()}, {"memories", s::Integer()}},
                                          {"container", "memories", "kind", "total"}),
                                {{"kind", s::Text()},
                                 {"status", s::Text()},
                                 {"total", s::Integer("Those below it, too")},
                                 {"description", s::Text()},
                                 {"conditions", s::Text("When a project is completed")}});
  operation.output_schema = s::WithQuiet(
      s::Read({{"containers", s::ListOf(std::move(container))}, {"memories", s::Integer()}},
              {"containers", "memories"}),
      {{"users", s::ListOf(place)},
       {"agents", s::ListOf(place)},
       {"runs", s::ListOf(place)},
       {"stores", s::ListOf(place)},
       {"truncated", s::Flag()}});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, Caller::kAnyone, {"GET", "/api/v1/scopes"}, engine, List);
  return operation;
}

Operation ContainerCreate(Engine& engine) {
  Operation operation = MakeWrite(
      "container_create", "Make a workspace or project",
      "Makes a container, and those above it where there are none. A deleted one is made again: "
      "its name means no other.");
  operation.input_schema = s::Write(s::Object({{"container", Container()},
                                               {"kind", Kind()},
                                               {"status", ProjectStatus()},
                                               {"description", s::Text()},
                                               {"conditions", s::Text("When it is completed")}},
                                              {"container"}));
  Serve(operation, kWriters, {"POST", "/api/v1/containers"}, engine, Create);
  return operation;
}

Operation ContainerDescribe(Engine& engine) {
  Operation operation =
      MakeWrite("container_describe", "Describe or rename a container",
                "Changes what is given: status, description, conditions, kind; for a reviewer the "
                "name, where the former one goes on meaning the container.");
  operation.input_schema =
      s::Write(s::Object({{"container", Container()},
                          {"name", s::Text("Reviewers: the new name")},
                          {"kind", s::OneOf(s::ContainerKindNames())},
                          {"status", s::OneOf(s::ProjectStatusNames())},
                          {"description", KeepsEmpty(s::Text())},
                          {"conditions", KeepsEmpty(s::Text("When it is completed"))}},
                         {"container"}));
  Serve(operation, kWriters, {"PATCH", "/api/v1/containers"}, engine, DescribeOne);
  return operation;
}

Operation ContainerMove(Engine& engine) {
  Operation operation =
      MakeWrite("container_move", "Move a container",
                "Puts a container with all that lies in it below another one. Tokens and "
                "rejections go on meaning what they meant, and its former path still finds it.");
  operation.input_schema = s::Write(
      s::Object({{"container", Container()}, {"parent", Container()}}, {"container", "parent"}));
  Serve(operation, kReviewers, {"POST", "/api/v1/containers/move"}, engine, Move);
  return operation;
}

Operation ContainerDelete(Engine& engine) {
  Operation operation =
      MakeWrite("container_delete", "Delete a container",
                "Deletes a container and all below it. Its memories go to move_to in the same "
                "instant; without move_to it is refused while there is one. Returns how many "
                "containers went and how many memories moved.");
  operation.input_schema =
      s::Write(s::Object({{"container", Container()}, {"move_to", Container()}}, {"container"}));
  operation.output_schema =
      s::Written({{"container", s::Text()}, {"containers", s::Integer()}, {"moved", s::Integer()}},
                 {"container", "containers", "moved"});
  operation.hints = kDestroys;
  Serve(operation, kReviewers, {"POST", "/api/v1/containers/delete"}, engine, Delete);
  return operation;
}

}  // namespace perdure::operations
