// A house that a test lives in: engine, indexes, operations and the MCP endpoint in one process,
// asked as clients ask, by a token for each role and place.
//
// Each acceptance test shows an absence or a bound, and beside it a control in the same house: a
// house that answers nothing fails all of them.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "index/search/search_service.h"
#include "server/api/memory_resources.h"
#include "server/api/operation.h"
#include "server/mcp/endpoint.h"
#include "support/test_engine.h"

namespace perdure::testing {

using Json = nlohmann::json;

// What a call came to.
struct Said {
  bool ok = false;
  std::string code = "ok";  // else the error's
  Json body;                // the answer, or the error's object
  std::string text;         // what a model reads beside it
  std::string all;          // everything that was sent
};

class AcceptanceHouse {
 public:
  explicit AcceptanceHouse(std::uint64_t seed = 1);
  ~AcceptanceHouse();

  // Between the two the files belong to the test.
  void Close();
  void Open();
  void Restart();
  // Only the log and its payloads stay: indexes are deleted, every projection is folded anew.
  void RebuildFromLog();
  // Every pass in the background has done what there was to do: embedding, and all indexes.
  void Settle();
  std::string dir() const { return engine_.dir().path(); }
  TestEngine& engine() { return engine_; }
  SearchService& search() { return *search_; }
  const Catalogue& catalogue() const { return *catalogue_; }

  // Whoever a token of these roles, this scope and this space stands for; made when it is first
  // asked for, the space too.
  const Caller& As(Caller::RoleMask roles, const std::string& scope = "",
                   const std::string& space = "main");
  const Caller& Agent(const std::string& scope = "") { return As(Caller::kAgent, scope); }
  const Caller& Reviewer() { return As(Caller::kReviewer); }
  const Caller& Operator() { return As(Caller::kOperator); }

  // Through MCP, or, where it is no tool, through the table of operations.
  Said Ask(const Caller& caller, const std::string& operation, const Json& arguments);
  // The answer of a call that has to succeed.
  Json Must(const Caller& caller, const std::string& operation, const Json& arguments);
  // Of a command that has no operation.
  Result<WriteOutcome> Do(const Caller& caller, Command command, WriteOptions options = {});
  Said ReadResource(const Caller& caller, const std::string& uri);

  // Stores a memory and returns its id.
  std::string Store(const Caller& caller, const std::string& text, Json more = Json::object());
  // The ids that a search gives, best first.
  std::vector<std::string> Find(const Caller& caller, const std::string& query,
                                Json more = Json::object());
  // One memory, whole; an empty object when the caller may not read it.
  Json Get(const Caller& caller, const std::string& id);
  // All that every kind of read tells the caller about a memory and its words, in one string.
  std::string Probe(const Caller& caller, const std::string& id, const std::string& words);
  // The entries of the log with this event, newest first.
  Json Log(const std::string& event);
  // Writes that a gate turned down.
  std::size_t Refusals();

 private:
  Caller Bootstrap() const;
  Said Answered(const McpReply& reply) const;
  McpReply Send(const Caller& caller, const std::string& method, Json params) const;

  TestEngine engine_;
  std::unique_ptr<SearchService> search_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<MemoryResources> resources_;
  std::unique_ptr<McpEndpoint> mcp_;
  std::map<std::tuple<Caller::RoleMask, std::string, std::string>, Caller> callers_;
};

}  // namespace perdure::testing
