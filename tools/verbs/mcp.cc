#include <fmt/format.h>

#include <csignal>
#include <iostream>
#include <sstream>
#include <streambuf>

#include "server/mcp/stdio.h"
#include "tools/data_dir.h"
#include "tools/house.h"
#include "tools/mcp_proxy.h"
#include "tools/serving.h"
#include "tools/settings/effective.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

constexpr std::chrono::seconds kPatience{15};

// A line that was read already, then the rest of another buffer.
class PushedBack final : public std::streambuf {
 public:
  PushedBack(std::string line, std::streambuf& rest) : line_(std::move(line)), rest_(rest) {
    setg(line_.data(), line_.data(), line_.data() + line_.size());
  }

 private:
  int_type underflow() override {
    const int_type next = rest_.sbumpc();
    if (next == traits_type::eof()) return next;
    letter_ = traits_type::to_char_type(next);
    setg(&letter_, &letter_, &letter_ + 1);
    return next;
  }

  std::string line_;
  std::streambuf& rest_;
  char letter_ = 0;
};

Result<std::string> TokenFor(const std::string& data_dir) {
  if (auto token = Environment("PERDURE_TOKEN")) return *token;
  return ReadTokenFile(AgentTokenFile(data_dir));
}

// Answers from a store opened here, which other programs meanwhile reach through a port: a second
// client's `perdure mcp` on the same directory, or the verbs of the command line.
Result<int> AnswerHere(const Program& program, const std::string& data_dir, DirectoryLock lock,
                       std::optional<std::string> first) {
  ASSIGN_OR_RETURN(const std::string token, TokenFor(data_dir));
  ASSIGN_OR_RETURN(const Settings settings, SettingsOf(program, data_dir));
  ASSIGN_OR_RETURN(const auto house,
                   House::Open(HouseOptionsOf(settings, data_dir), std::move(lock)));
  ASSIGN_OR_RETURN(Caller caller, house->authenticator().Authenticate(token));
  Serving serving(*house, {}, std::cerr);
  RETURN_IF_ERROR(serving.Start());
  PushedBack buffer(first ? *first + "\n" : std::string(), *std::cin.rdbuf());
  std::istream in(&buffer);
  McpStdio(house->mcp(), std::move(caller), in, std::cout).Run();
  serving.Stop();
  return kExitOk;
}

Result<int> Mcp(const Program& program) {
  std::signal(SIGPIPE, SIG_IGN);
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  RETURN_IF_ERROR(MakeDataDir(data_dir));
  std::optional<std::string> pending;
  while (true) {
    ASSIGN_OR_RETURN(auto attempt, DirectoryLock::Acquire(data_dir, "mcp", kPatience));
    if (attempt.lock) {
      SystemClock clock;
      SystemRandom random;
      RETURN_IF_ERROR(FillDataDir(data_dir, clock, random));
      return AnswerHere(program, data_dir, std::move(*attempt.lock), std::move(pending));
    }
    if (!attempt.holder.TakesCalls()) {
      return Fail(Code::kUnavailable, fmt::format("{} has {} open and takes no calls.",
                                                  attempt.holder.Name(), data_dir));
    }
    McpProxy::Tokens tokens;
    ASSIGN_OR_RETURN(tokens.own, TokenFor(data_dir));
    tokens.operators = ReadTokenFile(OperatorTokenFile(data_dir)).value_or("");
    McpProxy proxy(attempt.holder, std::move(tokens), std::cin, std::cout);
    pending = proxy.Run(std::move(pending));
    if (!pending) return kExitOk;
    // The server ended: whoever has the directory now answers, or else this process.
  }
}

}  // namespace

void AddMcp(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "mcp",
                           "Speak MCP on standard input and output, through the running server "
                           "when there is one");
  OnRun(verb, program, [&program] {
    program.json = false;  // standard output is the protocol's alone
    return Mcp(program);
  });
}

}  // namespace perdure
