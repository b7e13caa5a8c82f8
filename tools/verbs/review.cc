#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/side_by_side.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintItems(const Json& answer) {
  Table table({"id", "seq", "time", "what", "because", "in place of", "scope"});
  for (const Json& item : answer["items"]) {
    const Json& shown = item.contains("memory") ? item["memory"] : item["rival"];
    const bool is_refusal = item.contains("refusal");
    const std::string rival =
        item.contains("rival") && !is_refusal ? TextAt(item["rival"], "text") : "";
    table.Add({TextAt(shown, "id"), is_refusal ? TextAt(item["refusal"], "seq") : "",
               ShortTime(is_refusal ? TextAt(item["refusal"], "record_time")
                                    : TextAt(shown, "record_time")),
               TextAt(shown, "text"), TextAt(item, "because"), rival, TextAt(shown, "scope")});
  }
  table.Print();
  Print(fmt::format("{} of {}\n", answer["items"].size(), TextAt(answer, "total")));
}

void AddList(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "list", "What waits for a reviewer, oldest first");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "queue", "queue", "candidates (default), disputes or refusals");
  IntegerOption(verb, arguments, "--limit", "limit", "At most so many (default: 20)");
  OnCall(verb, program, "review_list", arguments, PrintItems);
}

Result<Json> GetOne(Session& session, const std::string& id) {
  ASSIGN_OR_RETURN(const Json answer, session.Call("memory_get", {{"id", id}}));
  return answer["memories"].at(0);
}

std::vector<SideBySideRow> RowsOf(const Json& memory, const Json& rival) {
  std::vector<SideBySideRow> rows = {{"", TextAt(memory, "state"), TextAt(rival, "state")}};
  const auto add = [&](const char* label, const Json& left, const Json& right, const char* name) {
    const std::string one = TextAt(left, name);
    const std::string other = TextAt(right, name);
    if (!one.empty() || !other.empty()) rows.push_back({label, one, other});
  };
  for (const char* name : {"id", "title", "subject", "predicate", "object", "text", "trust",
                           "confidence", "importance", "genre", "tags", "scope", "source",
                           "valid_from", "valid_until", "created_time"}) {
    add(name, memory, rival, name);
  }
  const Json left = memory.value("evidence", Json::object());
  const Json right = rival.value("evidence", Json::object());
  add("quote", left, right, "quote");
  add("from", left, right, "source");
  add("said", memory, rival, "evidence_time");
  return rows;
}

void AddShow(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "show", "A candidate side by side with the value in its place");
  const auto id = std::make_shared<std::string>();
  verb.add_option("id", *id, "Id, or its first 8 or more characters")->required();
  OnRun(verb, program, [&program, id]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "review show"));
    Json shown = Json::object();
    ASSIGN_OR_RETURN(shown["memory"], GetOne(*session, *id));
    if (const std::string rival = TextAt(shown["memory"], "predecessor"); !rival.empty()) {
      // It may be gone by now, and the candidate is shown alone then.
      if (auto found = GetOne(*session, rival)) shown["rival"] = std::move(*found);
    }
    if (program.json) {
      PrintJson(shown);
    } else {
      Print(SideBySide(RowsOf(shown["memory"], shown.value("rival", Json::object())),
                       TerminalColumns()));
    }
    return kExitOk;
  });
}

void AddDecide(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "decide",
                           "Approve or reject a candidate; exit code 1 when a gate refuses it");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "id", "id", "Id, or its first 8 or more characters")->required();
  TextOption(verb, arguments, "decision", "decision", "approve or reject")->required();
  TextOption(verb, arguments, "--object", "object", "Approve a fact with this value instead");
  TextOption(verb, arguments, "--text", "text", "Approve a note with this text instead");
  RefusingOptionsFor(verb, arguments);
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "review_decide", arguments, PrintVerdict);
}

void AddUndo(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "undo", "Put everything back to what it was before a decision");
  const Arguments arguments = NewArguments();
  IntegerOption(verb, arguments, "decision", "decision", "Its seq, as decide prints it")
      ->required();
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "review_undo", arguments, [](const Json& answer) {
    if (PrintWould(answer)) return;
    for (const Json& memory : answer["memories"]) {
      Print(fmt::format("put back {}, now at version {}\n", TextAt(memory, "id"),
                        TextAt(memory, "version")));
    }
  });
}

void AddDismiss(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "dismiss", "Take refusals off their queue, once seen");
  const Arguments arguments = NewArguments();
  const auto seqs = std::make_shared<std::vector<std::uint64_t>>();
  verb.add_option("refusals", *seqs, "Their seqs, as list refusals prints them")->required();
  WriteOptionsFor(verb, arguments);
  OnRun(verb, program, [&program, arguments, seqs]() -> Result<int> {
    (*arguments)["refusals"] = *seqs;
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "review dismiss"));
    ASSIGN_OR_RETURN(const Json answer, session->Call("review_dismiss", *arguments));
    if (program.json) {
      PrintJson(answer);
    } else if (!PrintWould(answer)) {
      Print(fmt::format("dismissed {} (seq {})\n", TextAt(answer, "dismissed"),
                        TextAt(answer, "seq")));
    }
    return kExitOk;
  });
}

}  // namespace

void AddReview(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "review", "What waits for a reviewer, and rejected values");
  AddList(group, program);
  AddShow(group, program);
  AddDecide(group, program);
  AddUndo(group, program);
  AddDismiss(group, program);
  AddSuppressions(group, program);
}

}  // namespace perdure
