// An engine, an index and the operations by which folders become memories.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "index/embed/feature_hasher.h"
#include "index/search/search_service.h"
#include "server/api/operations.h"
#include "support/test_engine.h"

namespace perdure::testing {

using Json = nlohmann::json;

class SourceWorld {
 public:
  SourceWorld() {
    auto opened = SearchService::Open(
        *engine_, std::make_unique<FeatureHasher>(),
        {.directory = engine_.dir().path() + "/index", .stand_in_reason = "the tests use none"});
    EXPECT_THAT(opened, IsOk());
    search_ = std::move(*opened);
    namespace o = operations;
    for (auto* make :
         {o::MemoryStore, o::MemoryGet, o::MemoryEdit, o::MemoryDescribe, o::MemoryList,
          o::MemoryHistory, o::MemoryArchive, o::MemoryForget, o::SourceAdd, o::SourceRemove,
          o::SourceList, o::SourceFiles, o::SourceSync}) {
      catalogue_.Add(make(*engine_));
    }
    catalogue_.Add(o::MemorySearch(*engine_, *search_));
  }
  ~SourceWorld() { search_->Stop(); }

  // As an operator.
  Result<Json> Call(const std::string& name, const Json& arguments) {
    Caller caller;
    caller.principal_id = caller.token_id = "00000000-0000-7000-8000-000000000008";
    caller.space = "main";
    caller.roles = Caller::kOperator;
    caller.door = "rest";
    return catalogue_.Call(*catalogue_.Find(name), caller, arguments);
  }
  // The answer of a call that has to succeed.
  Json Must(const std::string& name, const Json& arguments) {
    Result<Json> answer = Call(name, arguments);
    EXPECT_THAT(answer, IsOk()) << name << " " << arguments.dump().substr(0, 200);
    return answer ? std::move(*answer) : Json::object();
  }
  std::string Store(const std::string& text, Json more = Json::object()) {
    more["text"] = text;
    return Must("memory_store", more).value("id", std::string());
  }
  Json Get(const std::string& id) { return Must("memory_get", {{"ids", {id}}})["memories"].at(0); }

 private:
  TestEngine engine_;
  std::unique_ptr<SearchService> search_;
  Catalogue catalogue_;
};

}  // namespace perdure::testing
