// Storing and reading; what changes a memory is in memory_changes.cc.
#include <fmt/format.h>
#include <unistd.h>

#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintStored(const Json& answer) {
  if (PrintWould(answer)) return;
  Print(fmt::format("{} {}, version {} (seq {})\n",
                    answer["created"].get<bool>() ? "stored" : "was stored already as",
                    TextAt(answer, "id"), TextAt(answer, "version"), TextAt(answer, "seq")));
  if (answer.contains("rule")) {
    Print(fmt::format("  it waits for a reviewer: {}\n", TextAt(answer, "rule")));
  }
  for (const Json& name : answer["not_applied"]) {
    Print(fmt::format("  not applied: {}\n", name.get<std::string>()));
  }
}

struct Storing {
  const char* name;
  const char* description;
  const char* operation;
  Render render;
  const char* alias = nullptr;
};

void AddStore(CLI::App& group, Program& program, const Storing& storing) {
  CLI::App& verb = AddVerb(group, program, storing.name, storing.description);
  if (storing.alias) verb.alias(storing.alias);
  const Arguments arguments = NewArguments();
  const auto file = std::make_shared<std::string>();
  auto* text =
      TextOption(verb, arguments, "text", "text", "The text; - or nothing: --file, or stdin");
  verb.add_option("--file", *file, "Read the text from this file, byte for byte; - is stdin")
      ->excludes(text);
  TextOption(verb, arguments, "--title", "title", "One line that says what it is about");
  TextsOption(verb, arguments, "--tag", "tags", "A short label (repeat for more)");
  TextOption(verb, arguments, "--kind", "kind", "note, episode, procedure or observation");
  TextOption(verb, arguments, "--type", "type", "Your own classification");
  TextOption(verb, arguments, "--theme", "theme", "One short label for the table of contents");
  TextOption(verb, arguments, "--scope", "scope", "Place, e.g. acme/website;user=alice");
  TextOption(verb, arguments, "--source", "source", "Where it comes from");
  JsonOption(verb, arguments, "--metadata", "metadata", "A JSON object");
  TextOption(verb, arguments, "--genre", "genre", "factual (default), associative, personal, ...");
  TextsOption(verb, arguments, "--from", "derived_from", "A memory it was made from (repeat)");
  TextOption(verb, arguments, "--authorship", "authorship", "authored or reference");
  TextOption(verb, arguments, "--store", "store", "Which store keeps it (default: default)");
  TextOption(verb, arguments, "--class", "class", "document or communication");
  NumberOption(verb, arguments, "--importance", "importance", "0 to 1 (default: 0.5)");
  TextOption(verb, arguments, "--reference-time", "reference_time", "When the source said it");
  TextOption(verb, arguments, "--valid-from", "valid_from", "From when on it holds");
  TextOption(verb, arguments, "--valid-until", "valid_until", "Until when it holds");
  TextOption(verb, arguments, "--expires-at", "expires_at", "When to leave default reads");
  TextOption(verb, arguments, "--conversation", "conversation", "Episodes: which conversation");
  IntegerOption(verb, arguments, "--position", "position", "Episodes: the turn's number in it");
  TextOption(verb, arguments, "--speaker", "speaker", "Episodes: who said it");
  TextOption(verb, arguments, "--session", "session", "Episodes: which session of it");
  WriteOptionsFor(verb, arguments);
  OnPreparedCall(
      verb, program, storing.operation, arguments,
      [file](Json& call) -> Status {
        if (call.value("text", "-") != "-") return {};
        if (!call.contains("text") && file->empty() && IsTerminal(STDIN_FILENO)) {
          return Fail(
              Code::kInvalidArgument,
              "There is no text: give it as an argument, with --file, or on standard input.",
              "text");
        }
        ASSIGN_OR_RETURN(call["text"], ReadText(file->empty() ? "-" : *file));
        return {};
      },
      storing.render);
}

void PrintMemory(const Json& memory) {
  Print(fmt::format("id       {}\n", TextAt(memory, "id")));
  const auto line = [&](const char* name) {
    const std::string value = TextAt(memory, name);
    if (!value.empty()) Print(fmt::format("{:8} {}\n", name, OneLine(value, 200)));
  };
  for (const char* name : {"title", "subject", "predicate", "object", "version", "state", "trust",
                           "confidence", "kind", "genre", "type", "theme", "tags", "scope",
                           "source", "metadata", "predecessor", "successor"}) {
    line(name);
  }
  Print(fmt::format("created  {}\nupdated  {}\n", ShortTime(TextAt(memory, "created_time")),
                    ShortTime(TextAt(memory, "updated_time"))));
  const std::string text = TextAt(memory, "text");
  Print("\n" + text + (text.ends_with('\n') ? "" : "\n"));
}

// The route names the first id; the others go with it.
void SplitIds(Json& arguments) {
  arguments["id"] = arguments["ids"].front();
  arguments["ids"].erase(0);
  if (arguments["ids"].empty()) arguments.erase("ids");
}

// All of the memories asked for, however many answers they take.
Result<Json> GetAll(Session& session, Json arguments) {
  SplitIds(arguments);
  ASSIGN_OR_RETURN(Json answer, session.Call("memory_get", arguments));
  while (answer.contains("next_ids")) {
    arguments["ids"] = answer["next_ids"];
    SplitIds(arguments);
    // At the same moment, so that the parts belong together.
    arguments["as_of"] = answer["as_of"];
    ASSIGN_OR_RETURN(const Json more, session.Call("memory_get", arguments));
    answer.erase("next_ids");
    for (const Json& memory : more["memories"]) answer["memories"].push_back(memory);
    if (more.contains("errors")) {
      for (const Json& error : more["errors"]) answer["errors"].push_back(error);
    }
    if (more.contains("next_ids")) answer["next_ids"] = more["next_ids"];
  }
  answer["truncated"] = false;
  return answer;
}

int PrintGot(const Json& answer, bool text_only) {
  bool is_first = true;
  for (const Json& memory : answer["memories"]) {
    if (text_only) {
      Print(memory["text"].get_ref<const std::string&>());
      continue;
    }
    if (!is_first) Print("\n");
    is_first = false;
    PrintMemory(memory);
  }
  if (!answer.contains("errors")) return kExitOk;
  for (const Json& error : answer["errors"]) {
    const std::string line =
        fmt::format("perdure: {}: {}\n", TextAt(error, "id"), TextAt(error, "message"));
    std::fputs(line.c_str(), stderr);
  }
  return kExitFailed;
}

void AddGet(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "get", "Read memories whole");
  const Arguments arguments = NewArguments();
  const auto text_only = std::make_shared<bool>(false);
  TextsOption(verb, arguments, "ids", "ids", "Ids, or their first 8 or more characters")
      ->required()
      ->expected(1, -1);
  IntegerOption(verb, arguments, "--version", "version", "A past version of one memory");
  ReadOptionsFor(verb, arguments);
  verb.add_flag("--text", *text_only, "Print the text alone, byte for byte");
  OnRun(verb, program, [&program, arguments, text_only]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "memory get"));
    ASSIGN_OR_RETURN(const Json answer, GetAll(*session, *arguments));
    if (!program.json) return PrintGot(answer, *text_only);
    PrintJson(answer);
    return answer.contains("errors") ? kExitFailed : kExitOk;
  });
}

void AddList(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "list", "List memories, newest first");
  const Arguments arguments = NewArguments();
  FilterOptionsFor(verb, arguments);
  ReadOptionsFor(verb, arguments);
  IntegerOption(verb, arguments, "--limit", "limit", "At most so many (default: 50)");
  TextOption(verb, arguments, "--cursor", "cursor", "Of the page before");
  OnCall(verb, program, "memory_list", arguments, [](const Json& answer) {
    Table table({"id", "version", "state", "updated", "title", "tags", "scope"});
    for (const Json& memory : answer["memories"]) {
      const std::string state = TextAt(memory, "state");
      table.Add({TextAt(memory, "id"), TextAt(memory, "version"), state == "live" ? "" : state,
                 ShortTime(TextAt(memory, "updated_time")), TextAt(memory, "title"),
                 TextAt(memory, "tags"), TextAt(memory, "scope")});
    }
    table.Print();
    Print(fmt::format("{} of {}\n", answer["memories"].size(), TextAt(answer, "total")));
    if (answer.contains("cursor")) Print(fmt::format("--cursor {}\n", TextAt(answer, "cursor")));
  });
}

void AddHistory(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "history", "How a memory came to say what it says");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "id", "id", "Id, or its first 8 or more characters")->required();
  TextOption(verb, arguments, "--as-of", "as_of", "As it was then");
  IntegerOption(verb, arguments, "--limit", "limit", "At most so many entries (default: 100)");
  IntegerOption(verb, arguments, "--before", "before", "Only entries below this seq");
  OnCall(verb, program, "memory_history", arguments, [](const Json& answer) {
    Table versions({"version", "seq", "time", "event", "bytes", "title"});
    for (const Json& version : answer["versions"]) {
      versions.Add({TextAt(version, "version"), TextAt(version, "seq"),
                    ShortTime(TextAt(version, "record_time")), TextAt(version, "event"),
                    TextAt(version, "text_bytes"), TextAt(version, "title")});
    }
    versions.Print();
    Print("\n");
    PrintLogLines(answer["entries"]);
    if (answer.contains("next_before")) {
      Print(fmt::format("older ones: --before {}\n", TextAt(answer, "next_before")));
    }
  });
}

void AddDiff(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "diff", "What differs between two versions");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "id", "id", "Id, or its first 8 or more characters")->required();
  IntegerOption(verb, arguments, "from", "from", "Version (default: the one before)");
  IntegerOption(verb, arguments, "to", "to", "Version (default: the current one)");
  TextOption(verb, arguments, "--by", "by", "line or word (default: line)");
  TextOption(verb, arguments, "--as-of", "as_of", "As it was then");
  OnCall(verb, program, "memory_diff", arguments, [arguments](const Json& answer) {
    const bool by_word = arguments->value("by", "") == "word";
    for (const Json& field : answer.value("fields", Json::array())) {
      Print(fmt::format("{}: {} -> {}\n", TextAt(field, "field"), TextAt(field, "from"),
                        TextAt(field, "to")));
    }
    const std::string diff = TextAt(answer, by_word ? "words" : "unified");
    Print(diff + (diff.empty() || diff.ends_with('\n') ? "" : "\n"));
  });
}

}  // namespace

void AddMemory(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "memory", "Store, read, change and erase memories");
  AddStore(group, program,
           {"store", "Store a memory: text from the command line, a file or standard input",
            "memory_store", PrintStored, "add"});
  AddStore(group, program,
           {"propose", "Offer a memory to a reviewer, who lets it in or rejects it",
            "candidate_propose", PrintVerdict});
  AddGet(group, program);
  AddList(group, program);
  AddHistory(group, program);
  AddDiff(group, program);
  AddMemoryChanges(group, program);
  AddMemoryGovern(group, program);
  AddMemoryLinks(group, program);
}

}  // namespace perdure
