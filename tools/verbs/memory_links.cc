// Links between memories, and forgetting or erasing all that matches.
#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void EndOptions(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "from", "from", "Id, or its first 8 or more characters")->required();
  TextOption(verb, arguments, "to", "to", "Id, or its first 8 or more characters")->required();
  TextOption(verb, arguments, "type", "type", "How it relates, e.g. relates_to")->required();
}

void PrintLink(const Json& answer) {
  if (!PrintWould(answer)) Print(fmt::format("link {}\n", TextAt(answer, "link")));
}

void AddLinkVerb(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "link", "Say how one memory relates to another");
  const Arguments arguments = NewArguments();
  EndOptions(verb, arguments);
  FlagOption(verb, arguments, "--cross-scope", "cross_scope", "It is meant to cross scopes");
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "link_add", arguments, PrintLink);
}

void AddUnlinkVerb(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "unlink", "Take a link away");
  const Arguments arguments = NewArguments();
  EndOptions(verb, arguments);
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "link_remove", arguments, PrintLink);
}

void AddLinksVerb(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "links", "The links from and to a memory");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "id", "id", "Id, or its first 8 or more characters")->required();
  TextOption(verb, arguments, "--as-of", "as_of",
             "As it was then: a time, a seq of the log, or a snapshot's name");
  OnCall(verb, program, "link_list", arguments, [](const Json& answer) {
    Table table({"link", "from", "type", "to"});
    for (const Json& link : answer["links"]) {
      table.Add(
          {TextAt(link, "link"), TextAt(link, "from"), TextAt(link, "type"), TextAt(link, "to")});
    }
    table.Print();
  });
}

void MatchingOptions(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "--scope", "scope", "Container, ;user=NAME, ;agent= or ;run=");
  FlagOption(verb, arguments, "--scope-exact", "scope_exact", "Not what lies below it");
  TextOption(verb, arguments, "--store", "store", "Of this store");
  TextOption(verb, arguments, "--created-before", "created_before", "Older ones alone");
  FlagOption(verb, arguments, "--expired", "expired", "Only those whose time has run out");
  TextsOption(verb, arguments, "--tag", "tags", "With this tag (repeat: with all)");
  TextOption(verb, arguments, "--type", "type", "Of this type");
  WriteOptionsFor(verb, arguments);
}

void AddForgetMatching(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "forget-matching",
                           "Hide all memories that match; look first with --dry-run");
  const Arguments arguments = NewArguments();
  MatchingOptions(verb, arguments);
  OnCall(verb, program, "memory_forget_matching", arguments, [](const Json& answer) {
    if (!PrintWould(answer)) Print(fmt::format("{} forgotten\n", TextAt(answer, "forgotten")));
  });
}

void AddEraseMatching(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "erase-matching",
                           "Destroy all memories that match for good; needs --yes or --dry-run");
  const Arguments arguments = NewArguments();
  const auto yes = std::make_shared<bool>();
  MatchingOptions(verb, arguments);
  verb.add_flag("--yes", *yes, "Really; nobody can bring them back");
  OnPreparedCall(
      verb, program, "memory_erase_matching", arguments,
      [yes](Json& call) -> Status {
        if (*yes || call.value("dry_run", false)) return {};
        return Fail(Code::kInvalidArgument,
                    "Erasing cannot be undone. Look with --dry-run, then say --yes.");
      },
      [](const Json& answer) {
        if (!PrintWould(answer)) Print(fmt::format("{} erased\n", TextAt(answer, "erased")));
      });
}

}  // namespace

void AddMemoryLinks(CLI::App& memory, Program& program) {
  AddLinkVerb(memory, program);
  AddUnlinkVerb(memory, program);
  AddLinksVerb(memory, program);
  AddForgetMatching(memory, program);
  AddEraseMatching(memory, program);
}

}  // namespace perdure
