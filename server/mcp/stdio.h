// MCP over standard input and output: one message a line.
#pragma once

#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
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
  bool HasSomethingToPoll() const REQUIRES(mutex_) {
    return !subscriptions_.empty() || session_->IsWatching();
  }
  std::shared_ptr<McpSession> Session() EXCLUDES(mutex_);
  void Poll(const std::stop_token& stop);
  void Write(const nlohmann::json& message) REQUIRES(mutex_);

  const McpEndpoint& endpoint_;
  Caller caller_;
  std::istream& in_;
  Mutex mutex_;
  std::ostream& out_ GUARDED_BY(mutex_);
  StoppableCondVar opened_;
  std::vector<std::unique_ptr<McpSubscription>> subscriptions_ GUARDED_BY(mutex_);
  // The program's own life is a session, whether or not a legacy client says `initialize`.
  std::shared_ptr<McpSession> session_ GUARDED_BY(mutex_) = std::make_shared<McpSession>("");
};

}  // namespace perdure
