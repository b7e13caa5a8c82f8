// A McpEndpoint over the small catalogue, asked in either era.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "engine/base/front_limits.h"
#include "server/api/json.h"
#include "server/mcp/endpoint.h"
#include "server/mcp/protocol.h"
#include "server/support/fixture.h"

namespace perdure {

using Json = nlohmann::json;

class McpEndpointTest : public ::testing::Test {
 protected:
  McpReply Send(const Json& message, const McpHeaders* headers = nullptr,
                const std::string& token = "agent-token") {
    return fixture_.mcp.Handle(fixture_.tokens.Authenticate(token).value(), DumpJson(message),
                               headers);
  }

  Json Legacy(const std::string& method, Json params = Json::object()) {
    return *Send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}).body;
  }

  static Json ModernMessage(const std::string& method, Json params = Json::object()) {
    params["_meta"] = {{mcp::kVersionKey, mcp::kModernVersion},
                       {mcp::kClientInfoKey, {{"name", "tester"}, {"version", "9"}}},
                       {mcp::kClientCapabilitiesKey, Json::object()}};
    return {{"jsonrpc", "2.0"}, {"id", "m"}, {"method", method}, {"params", params}};
  }

  Json Modern(const std::string& method, Json params = Json::object()) {
    return *Send(ModernMessage(method, std::move(params))).body;
  }

  static McpHeaders HeadersOf(const Json& message) {
    McpHeaders headers{std::string(mcp::kModernVersion), message["method"].get<std::string>(), {}};
    if (message["params"].contains("name")) headers.name = message["params"]["name"];
    if (message["params"].contains("uri")) headers.name = message["params"]["uri"];
    return headers;
  }

  testing::Fixture fixture_;
};

}  // namespace perdure
