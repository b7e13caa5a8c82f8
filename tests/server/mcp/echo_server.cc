// A server of the fixture's operations, for trying real MCP clients:
//   echo_server stdio          MCP on standard input and output, as an agent
//   echo_server http [PORT]    prints "port N", ends with standard input
#include <cstdlib>
#include <iostream>
#include <string>

#include "server/mcp/stdio.h"
#include "server/support/fixture.h"
#include "server/support/serve.h"

namespace perdure::testing {
namespace {

int ServeStdio(const Fixture& fixture) {
  const auto caller = fixture.tokens.Authenticate("agent-token");
  McpStdio(fixture.mcp, *caller, std::cin, std::cout).Run();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace perdure::testing

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  const perdure::testing::Fixture fixture;
  if (mode == "stdio") return perdure::testing::ServeStdio(fixture);
  if (mode == "http") {
    return perdure::testing::ServeHttp(fixture.tokens, fixture.catalogue, fixture.mcp,
                                       count > 2 ? std::stoi(arguments[2]) : 0);
  }
  std::cerr << "usage: echo_server stdio | http [PORT]\n";
  return 2;
}
