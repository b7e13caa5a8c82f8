#include <fmt/format.h>

#include <csignal>
#include <iostream>
#include <map>
#include <memory>

#include "server/api/openapi.h"
#include "tools/data_dir.h"
#include "tools/house.h"
#include "tools/serving.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

constexpr int kDefaultPort = 7411;
constexpr std::chrono::seconds kPatience{15};

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = kDefaultPort;
  std::vector<std::string> public_hosts;
  WritePolicy writes = WritePolicy::kAlways;
  SyncPolicy sync;
  int scrub_days = 7;
};

void AddOptions(CLI::App& verb, const std::shared_ptr<ServeOptions>& options) {
  verb.add_option("--host", options->host, "Address to listen on")->capture_default_str();
  verb.add_option("--port", options->port, "Port to listen on; 0: any free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  verb.add_option("--public-host", options->public_hosts,
                  "Name under which clients reach this server, beside the loopback names (repeat "
                  "for more)")
      ->expected(1)
      ->take_all();
  const std::map<std::string, WritePolicy> policies = {{"always", WritePolicy::kAlways},
                                                       {"stdio", WritePolicy::kStdio},
                                                       {"never", WritePolicy::kNever}};
  verb.add_option("--writes", options->writes,
                  "Whose writes are taken: everyone's, those over stdio, or an operator's only")
      ->transform(CLI::CheckedTransformer(policies).description("always|stdio|never"));
  const std::map<std::string, SyncMode> modes = {{"always", SyncMode::kAlways},
                                                 {"interval", SyncMode::kInterval},
                                                 {"never", SyncMode::kNever}};
  verb.add_option("--sync", options->sync.mode,
                  "When an answered write is on disk: at once, within the interval, or whenever "
                  "the system likes")
      ->transform(CLI::CheckedTransformer(modes).description("always|interval|never"));
  verb.add_option("--sync-interval-ms", options->sync.interval_ms, "For --sync interval")
      ->capture_default_str()
      ->check(CLI::Range(1, 60'000));
  verb.add_option("--scrub-days", options->scrub_days,
                  "Check the whole log and its payloads in the background once in so many days; 0: "
                  "never")
      ->capture_default_str()
      ->check(CLI::Range(0, 365));
}

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

Result<int> Serve(const Program& program, const ServeOptions& options) {
  const sigset_t signals = BlockStopSignals();
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  ASSIGN_OR_RETURN(DirectoryLock lock, TakeDirectory(data_dir));
  SystemClock clock;
  SystemRandom random;
  RETURN_IF_ERROR(FillDataDir(data_dir, clock, random));
  ASSIGN_OR_RETURN(const auto house, House::Open({.data_dir = data_dir,
                                                  .model_dir = ModelDirOf(program),
                                                  .sync = options.sync,
                                                  .writes = options.writes},
                                                 std::move(lock)));
  Serving serving(*house,
                  {.host = options.host,
                   .port = options.port,
                   .public_hosts = options.public_hosts,
                   .scrub_days = options.scrub_days},
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
  const auto options = std::make_shared<ServeOptions>();
  AddOptions(verb, options);
  OnRun(verb, program, [&program, options] { return Serve(program, *options); });
}

}  // namespace perdure
