#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void ContainerOption(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "container", "container", "Its path, e.g. acme/website")->required();
}

void DescriptionOptions(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "--kind", "kind", "folder, workspace or project");
  TextOption(verb, arguments, "--status", "status", "draft, active, paused, completed or archived");
  TextOption(verb, arguments, "--description", "description", "What it is about");
  TextOption(verb, arguments, "--conditions", "conditions", "When it is completed");
}

void PrintPlaces(const Json& answer, const char* name) {
  for (const Json& place : answer.value(name, Json::array())) {
    Print(fmt::format("{}  {}  {} memories\n", name, OneLine(TextAt(place, "name"), 60),
                      TextAt(place, "memories")));
  }
}

void PrintTree(const Json& answer) {
  Table table({"container", "kind", "status", "memories", "with those below", "description"});
  for (const Json& container : answer["containers"]) {
    table.Add({TextAt(container, "container"), TextAt(container, "kind"),
               TextAt(container, "status"), TextAt(container, "memories"),
               TextAt(container, "total"), OneLine(TextAt(container, "description"), 60)});
  }
  table.Print();
  for (const char* name : {"users", "agents", "runs", "stores"}) PrintPlaces(answer, name);
  Print(fmt::format("{} memories\n", TextAt(answer, "memories")));
}

Render PrintDone(const char* verb) {
  return [verb](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(
        fmt::format("{} {} (seq {})\n", verb, TextAt(answer, "container"), TextAt(answer, "seq")));
  };
}

void PrintDeleted(const Json& answer) {
  if (PrintWould(answer)) return;
  Print(fmt::format("deleted {}: {} containers, {} memories moved (seq {})\n",
                    TextAt(answer, "container"), TextAt(answer, "containers"),
                    TextAt(answer, "moved"), TextAt(answer, "seq")));
}

void AddTree(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "list", "The tree of containers, and users, agents, runs and stores");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "--scope", "scope", "Only what lies below it");
  TextOption(verb, arguments, "--query", "query", "With these words in name or description");
  TextOption(verb, arguments, "--as-of", "as_of",
             "As it was then: a time, a seq of the log, or a snapshot's name");
  OnCall(verb, program, "scope_list", arguments, PrintTree);
}

void AddCreate(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "create", "Make a workspace or project");
  const Arguments arguments = NewArguments();
  ContainerOption(verb, arguments);
  DescriptionOptions(verb, arguments);
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "container_create", arguments, PrintDone("made"));
}

void AddDescribe(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "describe",
                           "Change what is given: status, description, name and so on");
  const Arguments arguments = NewArguments();
  ContainerOption(verb, arguments);
  TextOption(verb, arguments, "--name", "name", "A new name; the former one still finds it");
  DescriptionOptions(verb, arguments);
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "container_describe", arguments, PrintDone("described"));
}

void AddMove(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "move", "Put a container below another one");
  const Arguments arguments = NewArguments();
  ContainerOption(verb, arguments);
  TextOption(verb, arguments, "parent", "parent", "The container above it then; / is the root")
      ->required();
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "container_move", arguments, PrintDone("moved"));
}

void AddDelete(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "delete",
                           "Delete a container with all below it; look first with --dry-run");
  const Arguments arguments = NewArguments();
  ContainerOption(verb, arguments);
  TextOption(verb, arguments, "--move-to", "move_to",
             "The container that takes its memories; without it, it has to be empty");
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "container_delete", arguments, PrintDeleted);
}

}  // namespace

void AddWorkspace(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "workspace", "The tree of containers that memories lie in");
  AddTree(group, program);
  AddCreate(group, program);
  AddDescribe(group, program);
  AddMove(group, program);
  AddDelete(group, program);
}

}  // namespace perdure
