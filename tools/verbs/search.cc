#include <fmt/format.h>

#include <cstdio>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintExplanation(const Json& hit) {
  if (!hit.contains("explanation")) return;
  const Json& why = hit["explanation"];
  std::string parts;
  for (const auto& [name, value] : why["parts"].items()) {
    parts += fmt::format(", {} {:.3f}", name, value.get<double>());
  }
  Print(fmt::format("    lexical rank {}, semantic rank {}{}\n", TextAt(why, "lexical_rank"),
                    TextAt(why, "semantic_rank"), parts));
}

void PrintHit(const Json& hit) {
  Print(fmt::format("{:.2f}  {}  {}\n", hit["score"].get<double>(), TextAt(hit, "id"),
                    OneLine(TextAt(hit, "title"), 80)));
  Print(fmt::format("    {}\n", OneLine(TextAt(hit, "preview"), 160)));
  PrintExplanation(hit);
}

void PrintHits(const Json& answer) {
  for (const Json& hit : answer["results"]) PrintHit(hit);
  if (answer["nothing_relevant"].get<bool>()) {
    Print(fmt::format("nothing relevant ({:.2f})\n", answer["relevance"].get<double>()));
  }
  if (answer.contains("nearest_miss")) {
    Print("the nearest miss:\n");
    PrintHit(answer["nearest_miss"]);
  }
  if (answer.contains("time_range")) {
    const Json& range = answer["time_range"];
    Print(fmt::format("time: \"{}\" was read as {} until {} (confidence {})\n",
                      TextAt(range, "words"), ShortTime(TextAt(range, "from")),
                      ShortTime(TextAt(range, "until")), TextAt(range, "confidence")));
  }
  for (const Json& arm : answer["arms"]) {
    if (TextAt(arm, "status") == "ok" && !arm.contains("note")) continue;
    const std::string note =
        fmt::format("note: the {} arm: {}{}{}\n", TextAt(arm, "name"), TextAt(arm, "status"),
                    arm.contains("note") ? ", " : "", TextAt(arm, "note"));
    std::fputs(note.c_str(), stderr);
  }
}

}  // namespace

void AddSearch(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "search", "Find memories by meaning and by words");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "query", "query", "Words or a question")->required();
  IntegerOption(verb, arguments, "--limit", "limit", "At most so many results (default: 10)");
  FilterOptionsFor(verb, arguments);
  ReadOptionsFor(verb, arguments);
  NumberOption(verb, arguments, "--min-relevance", "min_relevance",
               "Leave out results of a lower relevance, 0 to 1");
  FlagOption(verb, arguments, "--nearest-miss", "nearest_miss",
             "When --min-relevance leaves nothing, show the best of what it left out");
  TextOption(verb, arguments, "--mode", "mode",
             "fusion, or strict: by words alone, half of which must occur (default: fusion)");
  FlagOption(verb, arguments, "--prefer-recent", "prefer_recent",
             "Of what matches about as well, the newest first");
  FlagOption(verb, arguments, "--diverse", "diverse",
             "What says the same as a better result moves down");
  FlagOption(verb, arguments, "--use-time-range", "use_time_range",
             "Only what happened in the time that the query names");
  TextOption(verb, arguments, "--now", "now",
             "What \"yesterday\" in the query counts from (default: now)");
  FlagOption(verb, arguments, "--explain", "explain", "Show the terms of each score");
  OnCall(verb, program, "memory_search", arguments, PrintHits);
}

}  // namespace perdure
