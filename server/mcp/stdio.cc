#include "server/mcp/stdio.h"

#include <fmt/format.h>

#include <istream>
#include <ostream>
#include <thread>
#include <utility>

#include "engine/base/limits.h"
#include "server/api/json.h"
#include "server/mcp/protocol.h"

namespace perdure {

using Json = nlohmann::json;

McpStdio::McpStdio(const McpEndpoint& endpoint, Caller caller, std::istream& in, std::ostream& out)
    : endpoint_(endpoint), caller_(std::move(caller)), in_(in), out_(out) {
  caller_.door = "mcp-stdio";
}

void McpStdio::Run() {
  const std::jthread poller([this](const std::stop_token& stop) { Poll(stop); });
  while (auto line = ReadLine()) {
    if (line->text.find_first_not_of(" \t\r") == std::string::npos) continue;
    Answer(*line);
    const MutexLock lock(mutex_);
    if (!out_) return;
  }
}

std::optional<McpStdio::Line> McpStdio::ReadLine() {
  Line line;
  bool is_anything = false;
  for (int letter = in_.get(); in_; letter = in_.get()) {
    if (letter == '\n') return line;
    is_anything = true;
    if (line.text.size() < limits::kBodyBytesMax) {
      line.text += static_cast<char>(letter);
    } else {
      line.is_too_long = true;
    }
  }
  if (is_anything) return line;
  return std::nullopt;
}

void McpStdio::Answer(const Line& line) {
  if (line.is_too_long) {
    const std::string message =
        fmt::format("Parse error: a message has at most {} bytes", limits::kBodyBytesMax);
    const MutexLock lock(mutex_);
    Write({{"jsonrpc", "2.0"}, {"error", {{"code", mcp::kParseError}, {"message", message}}}});
    return;
  }
  McpReply reply = endpoint_.Handle(caller_, line.text, nullptr, Session().get());
  if (!reply.cancelled.is_null()) Cancel(reply.cancelled);
  if (reply.subscription) Open(std::move(reply.subscription));
  const auto send = [this](const Json& message) {
    const MutexLock lock(mutex_);
    Write(message);
  };
  if (reply.call) reply.body = reply.call(send);
  if (reply.body) send(*reply.body);
  const MutexLock lock(mutex_);
  if (reply.session) session_ = std::move(reply.session);
  opened_.NotifyOne();
}

std::shared_ptr<McpSession> McpStdio::Session() {
  const MutexLock lock(mutex_);
  return session_;
}

void McpStdio::Open(std::unique_ptr<McpSubscription> subscription) {
  constexpr std::size_t kSubscriptionsMax = limits::kHttpStreamsMax;
  const MutexLock lock(mutex_);
  if (subscriptions_.size() >= kSubscriptionsMax) {
    Write({{"jsonrpc", "2.0"},
           {"id", subscription->id()},
           {"error",
            {{"code", mcp::kInternalError}, {"message", "Too many subscriptions are open"}}}});
    return;
  }
  Write(subscription->Acknowledge());
  subscriptions_.push_back(std::move(subscription));
  opened_.NotifyOne();
}

void McpStdio::Cancel(const Json& id) {
  const MutexLock lock(mutex_);
  std::erase_if(subscriptions_, [&](const auto& open) { return open->id() == id; });
}

void McpStdio::Poll(const std::stop_token& stop) {
  const ResourceProvider* watchable = endpoint_.watchable();
  const MutexLock lock(mutex_);
  while (opened_.Wait(mutex_, stop, [&]() REQUIRES(mutex_) { return HasSomethingToPoll(); })) {
    for (const auto& subscription : subscriptions_) {
      for (const Json& notification : subscription->Poll()) Write(notification);
    }
    if (watchable != nullptr) {
      for (const Json& notification : session_->Poll(*watchable, caller_)) Write(notification);
    }
    opened_.Sleep(mutex_, stop, kSubscriptionPoll);
    if (stop.stop_requested()) return;
  }
}

void McpStdio::Write(const Json& message) { out_ << DumpJson(message) << '\n' << std::flush; }

}  // namespace perdure
