#include <fmt/format.h>

#include <csignal>
#include <iostream>
#include <memory>

#include "tools/data_dir.h"
#include "tools/house.h"
#include "tools/serving.h"
#include "tools/settings/effective.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

constexpr std::chrono::seconds kPatience{15};

// Blocks the signals that end a server in this thread and those it starts from now on.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a client that left is an error of its own write
  return signals;
}

Result<DirectoryLock> TakeDirectory(const std::string& data_dir) {
  RETURN_IF_ERROR(MakeDataDir(data_dir));
  ASSIGN_OR_RETURN(auto attempt, DirectoryLock::Acquire(data_dir, "serve", kPatience));
  if (attempt.lock) return std::move(*attempt.lock);
  auto refused =
      Fail(Code::kUnavailable,
           fmt::format("{} has {} open already. Use it, stop it, or give another --data.",
                       attempt.holder.Name(), data_dir));
  refused.error().details.emplace_back("pid", std::to_string(attempt.holder.pid));
  if (attempt.holder.TakesCalls()) {
    refused.error().details.emplace_back("address", attempt.holder.Address());
  }
  return refused;
}

void PrintWelcome(const Program& program, const std::string& address, const std::string& data_dir,
                  const std::string& stand_in) {
  if (program.json) {
    Print(nlohmann::json{{"address", address},
                         {"data", data_dir},
                         {"token_file", AgentTokenFile(data_dir)},
                         {"stand_in", !stand_in.empty()}}
              .dump() +
          "\n");
  } else {
    Print(fmt::format("Perdure {} serves {}\n", kProgramVersion, address));
    Print(fmt::format("  MCP    {}/mcp\n  REST   {}/api/v1\n", address, address));
    Print(fmt::format("  data   {}\n  token  {}\n", data_dir, AgentTokenFile(data_dir)));
    if (!stand_in.empty()) {
      Print(fmt::format("  note   semantic search is a stand-in: {}\n", stand_in));
    }
    Print("Ctrl-C stops it.\n");
  }
  std::fflush(stdout);
}

Result<int> Serve(const Program& program, const GivenSettings& given) {
  const sigset_t signals = BlockStopSignals();
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  ASSIGN_OR_RETURN(const Settings settings, SettingsOf(program, data_dir, given));
  ASSIGN_OR_RETURN(DirectoryLock lock, TakeDirectory(data_dir));
  SystemClock clock;
  SystemRandom random;
  RETURN_IF_ERROR(FillDataDir(data_dir, clock, random));
  ASSIGN_OR_RETURN(const auto house,
                   House::Open(HouseOptionsOf(settings, data_dir), std::move(lock)));
  Serving serving(*house,
                  {.host = settings.Text("server.host"),
                   .port = static_cast<int>(settings.Integer("server.port")),
                   .public_hosts = settings.Texts("server.public_hosts"),
                   .scrub_days = static_cast<int>(settings.Integer("store.scrub_days"))},
                  std::cerr);
  RETURN_IF_ERROR(serving.Start());
  PrintWelcome(program, serving.Address(), data_dir, house->stand_in_reason());
  int signal = 0;
  sigwait(&signals, &signal);
  serving.Stop();
  return kExitOk;
}

}  // namespace

void AddServe(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "serve", "Serve MCP and REST over HTTP until stopped");
  const auto given = std::make_shared<GivenSettings>();
  AddSettingOptions(verb, given);
  OnRun(verb, program, [&program, given] { return Serve(program, *given); });
}

}  // namespace perdure
