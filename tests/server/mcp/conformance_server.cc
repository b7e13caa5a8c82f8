// A server of what the conformance suite calls by name (tests/conformance/):
//   conformance_server http [PORT]      prints "port N", ends with standard input
//   conformance_server flawed [PORT]    the same with a deliberate violation of the protocol
#include "server/mcp/conformance_tools.h"
#include "server/support/fixture.h"
#include "server/support/serve.h"

namespace perdure::testing {
namespace {

int Serve(bool is_flawed, int port) {
  Catalogue catalogue;
  AddConformanceTools(catalogue, is_flawed);
  AddConformanceQuestions(catalogue);
  const ConformanceResources resources;
  const ConformancePrompts prompts;
  const ConformanceCompletions completions;
  const McpEndpoint mcp({.name = "perdure-conformance",
                         .title = "Conformance",
                         .version = "0.0.1",
                         .instructions = {},
                         .state_key = "a key for tests"},
                        &catalogue, &resources, &prompts, &completions);
  return ServeHttp(FixedTokens(), catalogue, mcp, port);
}

}  // namespace
}  // namespace perdure::testing

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  if (mode != "http" && mode != "flawed") {
    std::cerr << "usage: conformance_server http|flawed [PORT]\n";
    return 2;
  }
  return perdure::testing::Serve(mode == "flawed", count > 2 ? std::stoi(arguments[2]) : 0);
}
