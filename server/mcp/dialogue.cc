#include "server/mcp/dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "server/api/arguments.h"
#include "server/api/json.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 8> kLogLevels = {"debug", "info",     "notice", "warning",
                                                   "error", "critical", "alert",  "emergency"};

// An object's member, or null.
const Json& At(const Json& json, const char* name) {
  static const Json kNone;
  if (!json.is_object()) return kNone;
  const auto at = json.find(name);
  return at == json.end() ? kNone : *at;
}

// The client capability that a request of this method takes, or null.
const char* CapabilityFor(std::string_view method) {
  if (method == "elicitation/create") return "elicitation";
  if (method == "sampling/createMessage") return "sampling";
  if (method == "roots/list") return "roots";
  return nullptr;
}

// An elicitation capability that names its modes means these and no others.
bool TakesForms(const Json& elicitation) {
  return elicitation.empty() || elicitation.contains("form");
}

// `answer` as a result of `question`'s method, its form content read by the schema that was asked
// for; nullopt when it is none.
std::optional<Json> ReadAnswer(const Json& answer, const Json& question) {
  const Json& method = question["method"];
  if (method == "elicitation/create") {
    const Json& action = At(answer, "action");
    if (action == "decline" || action == "cancel") return answer;
    if (action != "accept") return std::nullopt;
    auto content = ReadArguments(question["params"]["requestedSchema"], At(answer, "content"));
    if (!content) return std::nullopt;
    return Json{{"action", "accept"}, {"content", std::move(*content)}};
  }
  const bool has_form = method == "roots/list"
                            ? At(answer, "roots").is_array()
                            : At(answer, "role").is_string() && At(answer, "model").is_string() &&
                                  At(answer, "content").is_structured();
  if (!has_form) return std::nullopt;
  return answer;
}

// Whose call it is: nothing that differs in any of these shares a state.
std::string BindingOf(const Caller& caller, const McpRequest& request) {
  return DumpJson(Json::array({caller.space, caller.principal_id, caller.scope, request.method,
                               At(request.params, "name"), At(request.params, "arguments")}));
}

}  // namespace

std::optional<LogLevel> LogLevelOf(const Json& name) {
  const auto found =
      std::ranges::find_if(kLogLevels, [&](const char* known) { return name == known; });
  if (found == kLogLevels.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLogLevels.begin());
}

RpcResult<McpDialogue> McpDialogue::Begin(const Caller& caller, const McpRequest& request,
                                          const RequestState* seal) {
  McpDialogue talk;
  talk.seal_ = seal;
  talk.binding_ = BindingOf(caller, request);
  talk.capabilities_ = request.capabilities;
  talk.may_ask_ = request.era == McpEra::kModern;
  if (const Json& name = At(request.params, "name"); name.is_string()) {
    talk.logger_ = name.get<std::string>();
  }
  const Json& meta = At(request.params, "_meta");
  talk.progress_token_ = At(meta, "progressToken");
  if (!talk.progress_token_.is_null() && !IsRequestId(talk.progress_token_)) {
    return RpcFail(mcp::kInvalidParams, "_meta.progressToken must be a string or a whole number");
  }
  if (!talk.may_ask_) return talk;

  if (const Json& level = At(meta, mcp::kLogLevelKey); !level.is_null()) {
    talk.log_from_ = LogLevelOf(level);
    if (!talk.log_from_) {
      return RpcFail(mcp::kInvalidParams,
                     fmt::format("_meta[\"{}\"] must be one of {}", mcp::kLogLevelKey,
                                 fmt::join(kLogLevels, ", ")));
    }
  }
  if (request.params.contains("inputResponses")) {
    talk.answers_ = request.params["inputResponses"];
    if (!talk.answers_.is_object()) {
      return RpcFail(mcp::kInvalidParams, "params.inputResponses must be an object");
    }
  }
  if (request.params.contains("requestState")) {
    const Json& sealed = request.params["requestState"];
    auto state = sealed.is_string()
                     ? seal->Open(talk.binding_, sealed.get_ref<const std::string&>())
                     : std::nullopt;
    if (!state) {
      return RpcFail(mcp::kInvalidParams,
                     "params.requestState is not one that this server gave for this call: begin "
                     "again without it");
    }
    talk.kept_ = std::move(*state);
  }
  return talk;
}

void McpDialogue::Send(const char* method, Json params) const {
  (*send_)({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

void McpDialogue::Progress(double done, double total, const std::string& message) {
  if (progress_token_.is_null() || send_ == nullptr) return;
  if (reported_ && done <= *reported_) return;  // the protocol wants growth
  reported_ = done;
  Json params = {{"progressToken", progress_token_}, {"progress", done}};
  if (total > 0) params["total"] = total;
  if (!message.empty()) params["message"] = message;
  Send("notifications/progress", std::move(params));
}

void McpDialogue::Log(LogLevel level, const Json& data) {
  if (!log_from_ || level < *log_from_ || send_ == nullptr) return;
  Json params = {{"level", kLogLevels.at(static_cast<std::size_t>(level))}, {"data", data}};
  if (!logger_.empty()) params["logger"] = logger_;
  Send("notifications/message", std::move(params));
}

bool McpDialogue::CanAsk(std::string_view method) const {
  const char* capability = CapabilityFor(method);
  if (!may_ask_ || capability == nullptr) return false;
  const Json& declared = At(capabilities_, capability);
  if (!declared.is_object()) return false;
  return method != "elicitation/create" || TakesForms(declared);
}

Result<std::optional<Json>> McpDialogue::Ask(const std::string& key, const Json& request) {
  const auto& method = request["method"].get_ref<const std::string&>();
  if (!CanAsk(method)) {
    if (const char* capability = CapabilityFor(method)) missing_[capability] = Json::object();
    return Fail(Code::kUnavailable,
                fmt::format("The client does not take {} in this call.", method));
  }
  if (auto answer = ReadAnswer(At(answers_, key.c_str()), request)) return answer;
  questions_[key] = request;
  return std::nullopt;
}

Json McpDialogue::InputRequired() const {
  Json result = {{"resultType", "input_required"}, {"inputRequests", questions_}};
  if (!keep_.is_null()) result["requestState"] = seal_->Seal(binding_, keep_);
  return result;
}

}  // namespace perdure
