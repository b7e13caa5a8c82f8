// Rejected values: the verbs of `perdure review` about them.
#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintRejected(const Json& answer) {
  Table table({"suppression", "since", "what", "scope", "refused", "until", "lifted", "reason"});
  for (const Json& rejected : answer["suppressions"]) {
    table.Add({TextAt(rejected, "suppression"), ShortTime(TextAt(rejected, "record_time")),
               TextAt(rejected, "text"), TextAt(rejected, "scope"), TextAt(rejected, "refused"),
               ShortTime(TextAt(rejected, "until")), TextAt(rejected, "lifted_seq"),
               TextAt(rejected, "reason")});
  }
  table.Print();
}

}  // namespace

void AddSuppressions(CLI::App& review, Program& program) {
  CLI::App& list = AddVerb(review, program, "rejected", "The values that may not be remembered");
  const Arguments listed = NewArguments();
  FlagOption(list, listed, "--all", "all", "Those that were lifted or are over, too");
  TextOption(list, listed, "--as-of", "as_of", "As it was then");
  OnCall(list, program, "suppression_list", listed, PrintRejected);

  CLI::App& reject = AddVerb(review, program, "reject", "Keep a value out, whoever has it now");
  const Arguments rejected = NewArguments();
  TextOption(reject, rejected, "subject", "subject", "Of a fact, like the next two");
  TextOption(reject, rejected, "predicate", "predicate", "");
  TextOption(reject, rejected, "object", "object", "");
  TextOption(reject, rejected, "--text", "text", "The whole text of a note, instead");
  TextOption(reject, rejected, "--scope", "scope", "Within this place (default: the token's)");
  TextOption(reject, rejected, "--until", "until", "When the rejection ends (default: never)");
  WriteOptionsFor(reject, rejected);
  OnCall(reject, program, "suppression_create", rejected, [](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(fmt::format("rejected (seq {})\n", TextAt(answer, "seq")));
    PrintSuppression(answer);
  });

  CLI::App& lift = AddVerb(review, program, "lift", "Let a rejected value in again");
  const Arguments lifted = NewArguments();
  IntegerOption(lift, lifted, "suppression", "suppression", "Its number, as rejected prints it")
      ->required();
  WriteOptionsFor(lift, lifted);
  OnCall(lift, program, "suppression_lift", lifted, [](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(
        fmt::format("lifted {} (seq {})\n", TextAt(answer, "suppression"), TextAt(answer, "seq")));
  });

  CLI::App& erase =
      AddVerb(review, program, "erase-words", "Destroy a rejected value's words for good");
  const Arguments erased = NewArguments();
  IntegerOption(erase, erased, "suppression", "suppression", "Its number, as rejected prints it")
      ->required();
  WriteOptionsFor(erase, erased);
  OnCall(erase, program, "suppression_erase", erased, [](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(fmt::format("the words of {} are gone; it goes on refusing (receipts: seq {})\n",
                      TextAt(answer, "suppression"), TextAt(answer, "receipts")));
  });
}

}  // namespace perdure
