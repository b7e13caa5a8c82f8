// The whole table of operations over an engine and indexes of a test's own.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "index/embed/feature_hasher.h"
#include "server/api/requests.h"
#include "server/api/schema_check.h"
#include "server/api/schemas.h"
#include "server/api/service.h"
#include "support/test_engine.h"

namespace perdure::testing {

using Json = nlohmann::json;

inline Caller CallerWith(Caller::RoleMask roles, std::string scope = "") {
  Caller caller;
  Uuid id;
  id.bytes[0] = roles;
  id.bytes[1] = static_cast<std::uint8_t>(scope.size());
  caller.principal_id = caller.token_id = ToString(id);
  caller.space = "main";
  caller.roles = roles;
  caller.scope = std::move(scope);
  caller.client = "test/1";
  caller.door = "rest";
  return caller;
}
inline Caller Agent(std::string scope = "") { return CallerWith(Caller::kAgent, std::move(scope)); }
inline Caller Reviewer() { return CallerWith(Caller::kReviewer); }
inline Caller Auditor() { return CallerWith(Caller::kAuditor); }
inline Caller Operator() { return CallerWith(Caller::kOperator); }

class Api {
 public:
  Api() {
    auto opened = SearchService::Open(
        *engine_, std::make_unique<FeatureHasher>(),
        {.directory = engine_.dir().path() + "/index", .stand_in_reason = "the tests use none"});
    EXPECT_THAT(opened, IsOk());
    search_ = std::move(*opened);
    AddOperations(catalogue_, *engine_, *search_, [this] { return scrub_; });
  }
  ~Api() { search_->Stop(); }

  // Every answer is held against its schema.
  Result<Json> Call(const std::string& name, const Json& arguments,
                    const Caller& caller = Agent()) {
    const Operation* operation = catalogue_.Find(name);
    if (operation == nullptr) return Fail(Code::kInternal, "There is no operation " + name);
    Result<Json> answer = catalogue_.Call(*operation, caller, arguments);
    if (answer) {
      EXPECT_EQ(SchemaFaults(schemas::SpeltOut(operation->output_schema), *answer), "") << name;
    }
    return answer;
  }
  // The answer of a call that has to succeed.
  Json Must(const std::string& name, const Json& arguments, const Caller& caller = Agent()) {
    Result<Json> answer = Call(name, arguments, caller);
    EXPECT_THAT(answer, IsOk()) << name << " " << arguments.dump().substr(0, 200);
    return answer ? std::move(*answer) : Json::object();
  }
  // Stores a memory and returns its id.
  std::string Store(const std::string& text, Json more = Json::object(),
                    const Caller& caller = Agent()) {
    more["text"] = text;
    return Must("memory_store", more, caller).value("id", std::string());
  }
  // One memory, whole.
  Json Get(const std::string& id, Json more = Json::object(), const Caller& caller = Agent()) {
    more["ids"] = {id};
    const Json answer = Must("memory_get", more, caller);
    return answer.contains("memories") && answer["memories"].size() == 1 ? answer["memories"][0]
                                                                         : Json::object();
  }

  const Catalogue& catalogue() const { return catalogue_; }
  TestEngine& engine() { return engine_; }
  SearchService& search() { return *search_; }
  void SetScrub(ScrubStatus status) { scrub_ = std::move(status); }

 private:
  TestEngine engine_;
  std::unique_ptr<SearchService> search_;
  std::optional<ScrubStatus> scrub_;
  Catalogue catalogue_;
};

// EXPECT_THAT(result, FailsAt(Code::kInvalidArgument, "filter.tags[2]"));
MATCHER_P2(FailsAt, code, field, "fails at a field") {
  if (arg.has_value()) {
    *result_listener << "which holds " << arg->dump().substr(0, 300);
    return false;
  }
  *result_listener << arg.error();
  return arg.error().code == code && arg.error().field == field;
}

inline std::string DetailOf(const Error& error, const std::string& name) {
  for (const auto& [key, value] : error.details) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace perdure::testing
