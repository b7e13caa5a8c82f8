#include <fmt/format.h>

#include "server/api/json.h"
#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void ClaimOptions(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "subject", "subject", "Whom or what it is about")->required();
  TextOption(verb, arguments, "predicate", "predicate", "E.g. drinks")->required();
  TextOption(verb, arguments, "object", "object", "The value")->required();
  TextOption(verb, arguments, "--quote", "/evidence/quote", "Evidence: the words that say so");
  TextOption(verb, arguments, "--source", "/evidence/source",
             "Evidence: the id of the memory that has them, or any name");
  TextOption(verb, arguments, "--reference-time", "/evidence/reference_time",
             "Evidence: when the source said it");
  TextOption(verb, arguments, "--trust", "trust", "verbatim: the quote must stand in its source");
  TextOption(verb, arguments, "--text", "text", "As it is shown (default: the three in words)");
  TextsOption(verb, arguments, "--tag", "tags", "A short label (repeat for more)");
  TextOption(verb, arguments, "--theme", "theme", "One short label for the table of contents");
  TextOption(verb, arguments, "--scope", "scope", "Place, e.g. acme/website;user=alice");
  JsonOption(verb, arguments, "--metadata", "metadata", "A JSON object");
  TextOption(verb, arguments, "--authorship", "authorship", "authored or reference");
  TextOption(verb, arguments, "--store", "store", "Which store keeps it (default: default)");
  TextOption(verb, arguments, "--class", "class", "document or communication");
  TextOption(verb, arguments, "--genre", "genre", "factual (default), associative, personal, ...");
  TextsOption(verb, arguments, "--from", "derived_from", "A memory it was made from (repeat)");
  NumberOption(verb, arguments, "--importance", "importance", "0 to 1 (default: 0.5)");
  NumberOption(verb, arguments, "--confidence", "confidence", "0 to 1 (default: by the policy)");
  TextOption(verb, arguments, "--valid-from", "valid_from", "From when on it holds");
  TextOption(verb, arguments, "--valid-until", "valid_until", "Until when it holds");
  TextOption(verb, arguments, "--expires-at", "expires_at", "When to leave default reads");
  WriteOptionsFor(verb, arguments);
}

void AddAssert(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "assert",
                           "Claim a value with its evidence; exit code 1 when it is refused");
  const Arguments arguments = NewArguments();
  ClaimOptions(verb, arguments);
  OnCall(verb, program, "fact_assert", arguments, PrintVerdict);
}

void AddPropose(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "propose",
                           "Offer a fact to a reviewer, who lets it in or rejects it");
  const Arguments arguments = NewArguments();
  (*arguments)["kind"] = "fact";
  ClaimOptions(verb, arguments);
  OnCall(verb, program, "candidate_propose", arguments, PrintVerdict);
}

// A JSON array of facts, or one fact a line.
Result<Json> FactsIn(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  if (auto whole = ParseJson(text); whole && whole->is_array()) return std::move(*whole);
  Json facts = Json::array();
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto fact = ParseJson(line);
    if (!fact) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("{} is neither an array of facts nor one fact a line: line {}: {}",
                              path, number, fact.error().message),
                  "file");
    }
    facts.push_back(std::move(*fact));
  }
  return facts;
}

int PrintResults(const Json& answer) {
  if (!PrintWould(answer)) {
    Table table({"outcome", "id", "rule", "reason"});
    for (const Json& result : answer["results"]) {
      const std::string wrong =
          result.contains("error") ? TextAt(result["error"], "message") : TextAt(result, "reason");
      table.Add({TextAt(result, "outcome"), TextAt(result, "id"), TextAt(result, "rule"), wrong});
    }
    table.Print();
  }
  for (const Json& result : answer["results"]) {
    if (result["outcome"] == "refused") return kExitFailed;
  }
  return kExitOk;
}

void AddAssertMany(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "assert-many",
                           "Claim the facts of a file: all, or none when one is refused");
  const Arguments arguments = NewArguments();
  const auto file = std::make_shared<std::string>();
  verb.add_option("file", *file, "A JSON array of facts, or one a line; - is stdin")->required();
  FlagOption(verb, arguments, "--partial", "partial", "Let in those that the gates let in");
  WriteOptionsFor(verb, arguments);
  OnRun(verb, program, [&program, arguments, file]() -> Result<int> {
    ASSIGN_OR_RETURN((*arguments)["facts"], FactsIn(*file));
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "fact assert-many"));
    ASSIGN_OR_RETURN(const Json answer, session->Call("fact_assert_many", *arguments));
    if (!program.json) return PrintResults(answer);
    PrintJson(answer);
    return kExitOk;
  });
}

void PrintFacts(const Json& facts) {
  Table table(
      {"id", "subject", "predicate", "object", "confidence", "state", "stands", "since", "scope"});
  for (const Json& fact : facts) {
    const std::string state = TextAt(fact, "state");
    table.Add({TextAt(fact, "id"), TextAt(fact, "subject"), TextAt(fact, "predicate"),
               TextAt(fact, "object"), TextAt(fact, "confidence"), state == "live" ? "" : state,
               fact["standing"].get<bool>() ? "yes" : "", ShortTime(TextAt(fact, "created_time")),
               TextAt(fact, "scope")});
  }
  table.Print();
}

void AddAbout(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "about", "What holds about a subject");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "subject", "subject", "Whom or what")->required();
  TextOption(verb, arguments, "predicate", "predicate", "Only this one (default: all)");
  FlagOption(verb, arguments, "--history", "history", "And every value that ever stood");
  TextOption(verb, arguments, "--scope", "scope", "Container or ;user=NAME");
  ReadOptionsFor(verb, arguments);
  OnCall(verb, program, "fact_about", arguments, [](const Json& answer) {
    PrintFacts(answer["facts"]);
    if (answer.contains("chain")) {
      Print("\nall that ever stood, oldest first:\n");
      PrintFacts(answer["chain"]);
    }
    if (answer.contains("truncated")) Print("there are more: name a predicate\n");
  });
}

}  // namespace

void AddFact(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "fact", "Claim facts with their evidence, and ask what holds");
  AddAssert(group, program);
  AddAssertMany(group, program);
  AddPropose(group, program);
  AddAbout(group, program);
}

}  // namespace perdure
