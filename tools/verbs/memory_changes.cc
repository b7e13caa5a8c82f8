#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void IdOption(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "id", "id", "Id, or its first 8 or more characters")->required();
}

void AddEdit(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "edit", "Change a memory's text: a passage, an addition, or all");
  const Arguments arguments = NewArguments();
  const auto file = std::make_shared<std::string>();
  IdOption(verb, arguments);
  TextOption(verb, arguments, "--old", "old_text", "Passage to replace; must stand there once");
  TextOption(verb, arguments, "--new", "new_text", "Its replacement; may be empty");
  FlagOption(verb, arguments, "--replace-all", "replace_all", "Replace every occurrence");
  TextOption(verb, arguments, "--append", "append", "Added at the end as it is");
  TextOption(verb, arguments, "--text", "text", "The whole new text");
  verb.add_option("--file", *file, "The whole new text from this file; - is stdin");
  ChangeOptionsFor(verb, arguments);
  OnPreparedCall(
      verb, program, "memory_edit", arguments,
      [file](Json& call) -> Status {
        if (file->empty()) return {};
        ASSIGN_OR_RETURN(call["text"], ReadText(*file));
        return {};
      },
      [](const Json& answer) { PrintChange("edited", answer); });
}

void AddDescribe(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "describe",
                           "Change what is known about a memory; only what is given changes");
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  TextOption(verb, arguments, "--title", "title", "Title");
  TextsOption(verb, arguments, "--tag", "tags", "All of its tags from now on (repeat for more)");
  TextOption(verb, arguments, "--type", "type", "Your own classification");
  TextOption(verb, arguments, "--theme", "theme", "One short label");
  JsonOption(verb, arguments, "--metadata", "metadata",
             "A JSON object, instead of the present one");
  TextOption(verb, arguments, "--expires-at", "expires_at", "When to leave default reads");
  NumberOption(verb, arguments, "--importance", "importance", "0 to 1");
  TextOption(verb, arguments, "--authorship", "authorship", "authored or reference");
  TextOption(verb, arguments, "--store", "store", "Which store keeps it (default: default)");
  TextOption(verb, arguments, "--class", "class", "document or communication");
  TextOption(verb, arguments, "--scope", "scope", "Move it there");
  TextsOption(verb, arguments, "--clear", "clear",
              "Empty this: title, tags, type, theme, metadata or expires_at (repeat for more)");
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "memory_describe", arguments,
         [](const Json& answer) { PrintChange("described", answer); });
}

struct Move {
  const char* name;
  const char* done;
  const char* description;
  bool refuses = false;
};

void AddMove(CLI::App& group, Program& program, const Move& move) {
  CLI::App& verb = AddVerb(group, program, move.name, move.description);
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  ChangeOptionsFor(verb, arguments);
  if (move.refuses) {
    FlagOption(verb, arguments, "--refuse", "refuse", "Reviewers: its value may not come back");
    RefusingOptionsFor(verb, arguments);
  }
  OnCall(verb, program, fmt::format("memory_{}", move.name), arguments,
         [done = move.done](const Json& answer) {
           PrintChange(done, answer);
           PrintSuppression(answer);
         });
}

void AddRevert(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "revert", "Bring back an earlier version, as a new one");
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  auto* version = IntegerOption(verb, arguments, "--version", "version", "To this version");
  TextOption(verb, arguments, "--as-of", "as_of", "To what stood at this time, seq or snapshot")
      ->excludes(version);
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "memory_revert", arguments,
         [](const Json& answer) { PrintChange("reverted", answer); });
}

void PrintErased(const Json& answer) {
  if (PrintWould(answer)) return;
  for (const Json& id : answer["erased"]) Print(fmt::format("erased {}\n", id.get<std::string>()));
  for (const Json& id : answer.value("copies", Json::array())) {
    Print(fmt::format("says the same and stays: {}\n", id.get<std::string>()));
  }
  Print(fmt::format("{} payloads are gone; receipts: seq {}\n", TextAt(answer, "payloads"),
                    TextAt(answer, "receipts")));
}

void AddErase(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "erase",
                           "Destroy memories for good: nobody can bring their text back");
  const Arguments arguments = NewArguments();
  const auto sure = std::make_shared<bool>(false);
  TextsOption(verb, arguments, "ids", "ids", "Ids, or their first 8 or more characters")
      ->required()
      ->expected(1, -1);
  FlagOption(verb, arguments, "--closure", "closure", "Erase what was made from them, too");
  FlagOption(verb, arguments, "--copies", "copies", "And what says the same, in any scope");
  verb.add_flag("--yes", *sure, "Needed, as it cannot be undone");
  ChangeOptionsFor(verb, arguments);
  OnRun(verb, program, [&program, arguments, sure]() -> Result<int> {
    if (!*sure && !arguments->value("dry_run", false)) {
      PrintError(program,
                 Error{Code::kInvalidArgument,
                       "Erasing cannot be undone: say --yes, or look first with --dry-run.",
                       "yes",
                       {}});
      return kExitUsage;
    }
    // The route names the first; the others go with it in one write.
    Json call = *arguments;
    call["id"] = call["ids"].front();
    call["ids"].erase(0);
    if (call["ids"].empty()) call.erase("ids");
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "memory erase"));
    ASSIGN_OR_RETURN(const Json answer, session->Call("memory_erase", call));
    program.json ? PrintJson(answer) : PrintErased(answer);
    return kExitOk;
  });
}

}  // namespace

void AddMemoryChanges(CLI::App& memory, Program& program) {
  AddEdit(memory, program);
  AddDescribe(memory, program);
  AddRevert(memory, program);
  for (const Move& move : {
           Move{"archive", "archived", "Put a memory away: out of search and lists"},
           Move{"restore", "restored", "Bring an archived or forgotten memory back"},
           Move{"forget", "forgot", "Hide a memory from every read; restore undoes it", true},
           Move{"pin", "pinned", "Guarantee that a memory stays and ranks above its rivals"},
           Move{"unpin", "unpinned", "Take a memory's pin away"},
       }) {
    AddMove(memory, program, move);
  }
  AddErase(memory, program);
}

}  // namespace perdure
