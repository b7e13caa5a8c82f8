// MCP over standard input and output: one message a line.
#pragma once

#include <condition_variable>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "server/mcp/endpoint.h"

namespace perdure {

// Messages are answered in the order they come. Nothing but messages is written to `out`, each in
// one line. A line over limits::kBodyBytesMax is answered with a parse error and skipped.
class McpStdio {
 public:
  // What is referred to outlives this. `caller` is whoever started the program.
  McpStdio(const McpEndpoint& endpoint, Caller caller, std::istream& in, std::ostream& out);

  void Run();  // until the end of `in`, or until `out` takes no more

 private:
  struct Line {
    std::string text;
    bool is_too_long = false;
  };

  std::optional<Line> ReadLine();
  void Answer(const Line& line);
  void Open(std::unique_ptr<McpSubscription> subscription);
  void Cancel(const nlohmann::json& id);
  bool HasSomethingToPoll() const { return !subscriptions_.empty() || session_->IsWatching(); }
  void Poll(const std::stop_token& stop);
  void Write(const nlohmann::json& message);  // under mutex_

  const McpEndpoint& endpoint_;
  Caller caller_;
  std::istream& in_;
  std::ostream& out_;
  std::mutex mutex_;  // all below, and out_
  std::condition_variable_any opened_;
  std::vector<std::unique_ptr<McpSubscription>> subscriptions_;
  // The program's own life is a session, whether or not a legacy client says `initialize`.
  std::shared_ptr<McpSession> session_ = std::make_shared<McpSession>("");
};

}  // namespace perdure
