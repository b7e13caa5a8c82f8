#include <fmt/format.h>

#include <cstdio>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void AddIssue(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "issue", "Issue a token and print it alone; it is shown this once");
  const Arguments arguments = NewArguments();
  TextsOption(verb, arguments, "--role", "roles",
              "agent, reviewer, auditor or operator (repeat for more)")
      ->required();
  TextOption(verb, arguments, "--scope", "scope", "Calls with it reach nothing outside");
  TextOption(verb, arguments, "--space", "space", "Space that it is for (default: main)");
  TextOption(verb, arguments, "--label", "label", "Whose or what for");
  TextOption(verb, arguments, "--expires-at", "expires_at", "When it stops to work");
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "token_issue", arguments, [](const Json& answer) {
    if (answer.contains("token")) {
      Print(answer["token"].get<std::string>() + "\n");
    } else if (answer.contains("would")) {
      PrintWould(answer);
    } else {
      std::fputs("perdure: this key issued a token before; its text is not kept\n", stderr);
    }
  });
}

void AddRevoke(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "revoke", "Make a token useless from now on");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "id", "id", "Whole id, from `token list`")->required();
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "token_revoke", arguments, [](const Json& answer) {
    if (!PrintWould(answer)) Print(fmt::format("revoked {}\n", TextAt(answer, "id")));
  });
}

void AddList(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "list", "List tokens, never their secrets");
  OnCall(verb, program, "token_list", NewArguments(), [](const Json& answer) {
    Table table({"id", "roles", "space", "scope", "label", "revoked"});
    for (const Json& token : answer["tokens"]) {
      table.Add({TextAt(token, "id"), TextAt(token, "roles"), TextAt(token, "space"),
                 TextAt(token, "scope"), TextAt(token, "label"), TextAt(token, "revoked_at")});
    }
    table.Print();
  });
}

}  // namespace

void AddToken(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "token", "Issue, revoke and list tokens");
  AddIssue(group, program);
  AddRevoke(group, program);
  AddList(group, program);
}

}  // namespace perdure
