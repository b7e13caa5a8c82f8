#include "tools/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "server/api/status.h"

namespace perdure {

CLI::App& AddVerb(CLI::App& parent, Program& program, const std::string& name,
                  const std::string& description) {
  CLI::App& verb = *parent.add_subcommand(name, description);
  verb.add_option("--data", program.data,
                  "Data directory (default: PERDURE_DATA, then $XDG_DATA_HOME/perdure)");
  verb.add_option("--model", program.model,
                  "Directory of the embedding model (default: PERDURE_MODEL_DIR)");
  verb.add_flag("--json", program.json, "Print JSON");
  return verb;
}

CLI::App& AddGroup(CLI::App& parent, const std::string& name, const std::string& description) {
  CLI::App& group = *parent.add_subcommand(name, description);
  group.require_subcommand(1);
  return group;
}

void OnRun(CLI::App& verb, Program& program, std::function<Result<int>()> run) {
  verb.callback([&program, run = std::move(run)] { program.run = run; });
}

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void PrintJson(const nlohmann::json& json) {
  Print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

void PrintError(const Program& program, const Error& error) {
  if (program.json) {
    PrintJson(RestError(error));
    return;
  }
  std::string text = fmt::format("perdure: {}\n", error.message);
  for (const auto& [name, value] : error.details) text += fmt::format("  {}: {}\n", name, value);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool IsTerminal(int fd) { return isatty(fd) == 1; }

}  // namespace perdure
