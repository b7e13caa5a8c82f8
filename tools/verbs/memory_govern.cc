// Trust, scores, genre, and merges: what is made of memories beside their text.
#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void IdOption(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "id", "id", "Id, or its first 8 or more characters")->required();
}

void AddVerify(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "verify",
                           "Vouch for a memory, with a reviewer's token (PERDURE_TOKEN)");
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  TextOption(verb, arguments, "--quote", "/evidence/quote", "The words that were checked");
  TextOption(verb, arguments, "--source", "/evidence/source", "Where: a memory's id or any name");
  TextOption(verb, arguments, "--reference-time", "/evidence/reference_time",
             "When the source said it");
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "memory_verify", arguments,
         [](const Json& answer) { PrintChange("verified", answer); });
}

void AddScore(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "score",
                           "Set importance or confidence, within the bounds of a call and a pass");
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  NumberOption(verb, arguments, "--importance", "importance", "0.05 to 0.95");
  NumberOption(verb, arguments, "--confidence", "confidence", "0.05 to 0.95");
  TextOption(verb, arguments, "--pass", "pass", "Name of the run that scores")->required();
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "memory_score", arguments,
         [](const Json& answer) { PrintChange("scored", answer); });
}

void AddGenre(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "genre", "Say what a memory is for");
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  TextOption(verb, arguments, "genre", "genre", "factual, associative, personal or random")
      ->required();
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "genre_change", arguments,
         [](const Json& answer) { PrintChange("changed", answer); });
}

void AddMerge(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "merge", "Make one memory of several; unmerge takes it back");
  const Arguments arguments = NewArguments();
  const auto file = std::make_shared<std::string>();
  TextsOption(verb, arguments, "parts", "parts", "Ids of 2 or more memories")
      ->required()
      ->expected(2, -1);
  verb.add_option("--file", *file, "The text of the whole from this file; - is stdin")->required();
  TextOption(verb, arguments, "--title", "title", "One line that says what it is about");
  TextsOption(verb, arguments, "--tag", "tags", "A short label (repeat for more)");
  TextOption(verb, arguments, "--scope", "scope", "Place, e.g. acme/website;user=alice");
  WriteOptionsFor(verb, arguments);
  OnPreparedCall(
      verb, program, "memory_merge", arguments,
      [file](Json& call) -> Status {
        ASSIGN_OR_RETURN(call["text"], ReadText(*file));
        return {};
      },
      [](const Json& answer) {
        if (PrintWould(answer)) return;
        Print(
            fmt::format("merged into {} (seq {})\n", TextAt(answer, "id"), TextAt(answer, "seq")));
      });
}

void AddUnmerge(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "unmerge", "Put the parts of a merged memory back to what they were");
  const Arguments arguments = NewArguments();
  IdOption(verb, arguments);
  ChangeOptionsFor(verb, arguments);
  OnCall(verb, program, "memory_unmerge", arguments, [](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(fmt::format("parted into {} (seq {})\n", TextAt(answer, "parts"), TextAt(answer, "seq")));
  });
}

}  // namespace

void AddMemoryGovern(CLI::App& memory, Program& program) {
  AddVerify(memory, program);
  AddScore(memory, program);
  AddGenre(memory, program);
  AddMerge(memory, program);
  AddUnmerge(memory, program);
}

}  // namespace perdure
