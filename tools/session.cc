#include "tools/session.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/check.h"
#include "server/api/json.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/house.h"
#include "tools/routes.h"
#include "tools/settings/effective.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kPatience{15};
// A search of this process's own must not answer before the vectors of what a process before it
// wrote are there: a server would have had the time.
constexpr std::chrono::minutes kIndexPatience{5};

std::string ClientName() { return fmt::format("perdure-cli/{}", kProgramVersion); }

Result<std::string> TokenFor(const std::string& data_dir) {
  if (auto token = Environment("PERDURE_TOKEN")) return *token;
  return ReadTokenFile(OperatorTokenFile(data_dir));
}

Status CheckUtf8(const Json& json, const std::string& field) {
  if (json.is_structured()) {
    for (const auto& [name, value] : json.items()) {
      const std::string place = json.is_array() ? fmt::format("{}[{}]", field, name)
                                : field.empty() ? name
                                                : fmt::format("{}.{}", field, name);
      RETURN_IF_ERROR(CheckUtf8(value, place));
    }
    return {};
  }
  if (!json.is_string()) return {};
  const auto offset = FirstInvalidUtf8(json.get_ref<const std::string&>());
  if (!offset) return {};
  auto refused = Fail(Code::kInvalidArgument,
                      fmt::format("\"{}\" is not UTF-8: the byte at offset {} is out of place. "
                                  "Convert it first, for example with iconv.",
                                  field, *offset),
                      field);
  refused.error().details.emplace_back("offset", std::to_string(*offset));
  return refused;
}

class LocalSession final : public Session {
 public:
  LocalSession(std::unique_ptr<House> house, Caller caller)
      : house_(std::move(house)), caller_(std::move(caller)) {}

  bool IsRemote() const override { return false; }

 private:
  Result<Json> Run(const std::string& name, const Json& arguments) override {
    const Operation* operation = house_->catalogue().Find(name);
    PERDURE_CHECK(operation != nullptr);
    if (name == "memory_search") {
      const auto space = house_->engine().SpaceByName(caller_.space);
      if (space) house_->search().WaitUntilIndexed(*space, kIndexPatience);
    }
    return house_->catalogue().Call(*operation, caller_, arguments);
  }

  std::unique_ptr<House> house_;
  Caller caller_;
};

// The error in the body of a reply, as ErrorObject (server/api/status.h) wrote it.
Error ErrorFrom(const ClientReply& reply) {
  Error error{Code::kInternal, fmt::format("The server answered {}.", reply.status), {}, {}};
  const auto body = ParseJson(reply.body);
  if (!body || !body->is_object() || !body->contains("error")) return error;
  for (const auto& [name, value] : (*body)["error"].items()) {
    const auto add = [&](const Json& detail) {
      error.details.emplace_back(name,
                                 detail.is_string() ? detail.get<std::string>() : DumpJson(detail));
    };
    if (name == "code") {
      for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
        if (CodeName(static_cast<Code>(i)) == value) error.code = static_cast<Code>(i);
      }
    } else if (name == "message") {
      error.message = value.get<std::string>();
    } else if (name == "field") {
      error.field = value.get<std::string>();
    } else if (value.is_array()) {
      for (const Json& detail : value) add(detail);
    } else {
      add(value);
    }
  }
  return error;
}

class RemoteSession final : public Session {
 public:
  RemoteSession(const LockHolder& holder, std::string token)
      : client_({.host = holder.host, .port = holder.port}), token_(std::move(token)) {}

  bool IsRemote() const override { return true; }

 private:
  Result<Json> Run(const std::string& name, const Json& arguments) override {
    const Route* route = FindRoute(name);
    PERDURE_CHECK(route != nullptr);
    ClientRequest request = RequestFor(*route, arguments);
    request.headers = {{"Authorization", "Bearer " + token_}, {"User-Agent", ClientName()}};
    ASSIGN_OR_RETURN(const ClientReply reply, client_.Send(request));
    if (reply.status != 200) return std::unexpected(ErrorFrom(reply));
    return ParseJson(reply.body);
  }

  HttpClient client_;
  std::string token_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const Program& program, const std::string& verb) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  if (!HasStore(data_dir)) {
    return Fail(Code::kNotFound,
                fmt::format("There is no store in {}. `perdure init --data {}` makes one.",
                            data_dir, data_dir));
  }
  ASSIGN_OR_RETURN(std::string token, TokenFor(data_dir));
  ASSIGN_OR_RETURN(auto attempt, DirectoryLock::Acquire(data_dir, verb, kPatience));
  if (attempt.holder.TakesCalls()) {
    return std::make_unique<RemoteSession>(attempt.holder, std::move(token));
  }
  if (!attempt.lock) {
    return Fail(Code::kUnavailable,
                fmt::format("{} has {} open and takes no calls: try again when it is done.",
                            attempt.holder.Name(), data_dir));
  }
  ASSIGN_OR_RETURN(const Settings settings, SettingsOf(program, data_dir));
  ASSIGN_OR_RETURN(auto house,
                   House::Open(HouseOptionsOf(settings, data_dir), std::move(*attempt.lock)));
  ASSIGN_OR_RETURN(Caller caller, house->authenticator().Authenticate(token));
  caller.client = ClientName();
  caller.door = "cli";
  return std::make_unique<LocalSession>(std::move(house), std::move(caller));
}

Result<Json> Session::Call(const std::string& operation, const Json& arguments) {
  RETURN_IF_ERROR(CheckUtf8(arguments, ""));
  return Run(operation, arguments);
}

}  // namespace perdure
