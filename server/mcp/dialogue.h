// What an MCP request lets an operation say and ask while it runs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "server/api/dialogue.h"
#include "server/mcp/request.h"
#include "server/mcp/request_state.h"

namespace perdure {

// Takes a notification on its way to the client.
using McpSend = std::function<void(const nlohmann::json& message)>;

// "debug" to "emergency"; nullopt for anything else.
std::optional<LogLevel> LogLevelOf(const nlohmann::json& name);

// One round of one request. Progress goes to the request's progressToken. Log messages go out from
// a level on: the request's own in the stateless era, the session's in the legacy one. Questions
// are the stateless era's: they become the result of this round (SEP-2322), and the next round
// brings the answers.
class McpDialogue final : public Dialogue {
 public:
  // Fails for a malformed progressToken, logLevel, inputResponses or requestState, and for a state
  // that was not sealed for this caller and call. What is pointed to outlives this.
  static RpcResult<McpDialogue> Begin(const Caller& caller, const McpRequest& request,
                                      const RequestState* seal);

  void set_log_from(std::optional<LogLevel> level) { log_from_ = level; }
  void set_send(const McpSend* send) { send_ = send; }

  // Whether anything that is said reaches the client.
  bool IsHeard() const { return !progress_token_.is_null() || log_from_.has_value(); }

  void Progress(double done, double total, const std::string& message) override;
  void Log(LogLevel level, const Json& data) override;
  bool CanAsk(std::string_view method) const override;
  Result<std::optional<Json>> Ask(const std::string& key, const Json& request) override;
  const Json& Kept() const override { return kept_; }
  void Keep(Json state) override { keep_ = std::move(state); }

  // Once the operation has returned:
  bool IsWaiting() const { return !questions_.empty(); }
  Json InputRequired() const;  // the result of a round that waits
  // The client capabilities that questions needed and the client has not, e.g. {"sampling": {}}.
  const Json& missing() const { return missing_; }

 private:
  McpDialogue() = default;
  void Send(const char* method, Json params) const;

  const RequestState* seal_ = nullptr;
  std::string binding_;
  std::string logger_;
  bool may_ask_ = false;
  Json capabilities_;
  Json progress_token_;  // null: progress is not asked for
  std::optional<double> reported_;
  std::optional<LogLevel> log_from_;
  const McpSend* send_ = nullptr;
  Json answers_ = Json::object();
  Json kept_;
  Json keep_;
  Json questions_ = Json::object();
  Json missing_ = Json::object();
};

}  // namespace perdure
