#include "acceptance/house.h"

#include <filesystem>

#include "engine/replay/repair.h"
#include "index/embed/feature_hasher.h"
#include "server/api/engine_authenticator.h"
#include "server/api/json.h"
#include "server/api/requests.h"
#include "server/api/service.h"
#include "server/api/status.h"
#include "support/temp_dir.h"

namespace perdure::testing {
namespace {

constexpr std::chrono::seconds kPatience{60};

Json RoleNamesOf(Caller::RoleMask roles) {
  Json names = Json::array();
  if ((roles & Caller::kAgent) != 0) names.push_back("agent");
  if ((roles & Caller::kReviewer) != 0) names.push_back("reviewer");
  if ((roles & Caller::kAuditor) != 0) names.push_back("auditor");
  if ((roles & Caller::kOperator) != 0) names.push_back("operator");
  return names;
}

}  // namespace

AcceptanceHouse::AcceptanceHouse(std::uint64_t seed) : engine_(seed, InMemory()) {
  engine_.Close();
  Open();
}
AcceptanceHouse::~AcceptanceHouse() { Close(); }

void AcceptanceHouse::Open() {
  engine_.Open();
  auto opened =
      SearchService::Open(*engine_, std::make_unique<FeatureHasher>(),
                          {.directory = dir() + "/index", .stand_in_reason = "the tests use none"});
  ASSERT_THAT(opened, IsOk());
  search_ = std::move(*opened);
  ASSERT_THAT(engine_->ResumeErasures(), IsOk());
  ASSERT_THAT(engine_->FinishCompaction(), IsOk());
  catalogue_ = std::make_unique<Catalogue>();
  AddOperations(*catalogue_, *engine_, *search_, [] { return std::nullopt; });
  resources_ = std::make_unique<MemoryResources>(*engine_);
  mcp_ = std::make_unique<McpEndpoint>(McpEndpoint::Options{.name = "perdure"}, catalogue_.get(),
                                       resources_.get(), nullptr);
}

void AcceptanceHouse::Close() {
  mcp_.reset();
  resources_.reset();
  catalogue_.reset();
  search_.reset();
  engine_.Close();
}

void AcceptanceHouse::Restart() {
  Close();
  Open();
}

void AcceptanceHouse::RebuildFromLog() {
  Close();
  std::filesystem::remove_all(dir() + "/index");
  const auto rebuilt = RebuildStore(dir(), std::nullopt);
  EXPECT_THAT(rebuilt, IsOk());
  Open();
}

void AcceptanceHouse::Settle() {
  for (const SpaceInfo& space : engine_->Spaces()) {
    if (space.id == kSystemSpace) continue;
    EXPECT_TRUE(search_->WaitUntilIndexed(space.id, kPatience)) << space.name;
  }
}

Caller AcceptanceHouse::Bootstrap() const {
  Caller caller;
  caller.principal_id = caller.token_id = ToString(Uuid{{1}});
  caller.space = "main";
  caller.roles = Caller::kOperator;
  caller.door = "cli";
  return caller;
}

const Caller& AcceptanceHouse::As(Caller::RoleMask roles, const std::string& scope,
                                  const std::string& space) {
  const auto key = std::tuple(roles, scope, space);
  if (const auto known = callers_.find(key); known != callers_.end()) return known->second;
  if (!engine_->SpaceByName(space)) Must(Bootstrap(), "space_create", {{"name", space}});
  Json wanted = {{"roles", RoleNamesOf(roles)}, {"space", space}};
  if (!scope.empty()) wanted["scope"] = scope;
  const Json issued = Must(Bootstrap(), "token_issue", wanted);
  auto caller = EngineAuthenticator(*engine_).Authenticate(issued.value("token", std::string()));
  EXPECT_THAT(caller, IsOk());
  caller->client = "acceptance/1";
  caller->door = "mcp-http";
  return callers_.emplace(key, std::move(*caller)).first->second;
}

McpReply AcceptanceHouse::Send(const Caller& caller, const std::string& method, Json params) const {
  return mcp_->Handle(
      caller,
      DumpJson({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}}),
      nullptr);
}

Said AcceptanceHouse::Answered(const McpReply& reply) const {
  Said said{.all = DumpJson(*reply.body)};
  if (reply.body->contains("error")) {
    said.body = (*reply.body)["error"];
    said.code = said.body.value("data", Json::object()).value("code", std::string("protocol"));
    return said;
  }
  const Json& result = (*reply.body)["result"];
  if (result.contains("content")) said.text = result["content"][0].value("text", std::string());
  if (result.contains("contents")) said.text = result["contents"][0].value("text", std::string());
  said.ok = !result.value("isError", false);
  said.body = said.ok ? result.value("structuredContent", Json::object()) : result["_meta"];
  if (!said.ok) said.code = said.body["code"];
  return said;
}

Said AcceptanceHouse::Ask(const Caller& caller, const std::string& name, const Json& arguments) {
  const Operation* operation = catalogue_->Find(name);
  if (operation == nullptr) {
    ADD_FAILURE() << "There is no operation " << name;
    return {};
  }
  if (operation->mcp_tool) {
    return Answered(Send(caller, "tools/call", {{"name", name}, {"arguments", arguments}}));
  }
  const auto result = catalogue_->Call(*operation, caller, arguments);
  Said said{.ok = result.has_value()};
  said.body = result ? *result : ErrorObject(result.error());
  if (!result) said.code = CodeName(result.error().code);
  said.all = said.text = DumpJson(said.body);
  return said;
}

Said AcceptanceHouse::ReadResource(const Caller& caller, const std::string& uri) {
  return Answered(Send(caller, "resources/read", {{"uri", uri}}));
}

Json AcceptanceHouse::Must(const Caller& caller, const std::string& operation,
                           const Json& arguments) {
  Said said = Ask(caller, operation, arguments);
  EXPECT_TRUE(said.ok) << operation << " " << arguments.dump().substr(0, 300) << ": "
                       << said.all.substr(0, 600);
  return said.ok ? std::move(said.body) : Json::object();
}

Result<WriteOutcome> AcceptanceHouse::Do(const Caller& caller, Command command,
                                         WriteOptions options) {
  ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(*engine_, caller));
  return engine_->Write(principal, std::move(command), std::move(options));
}

std::string AcceptanceHouse::Store(const Caller& caller, const std::string& text, Json more) {
  more["text"] = text;
  return Must(caller, "memory_store", more).value("id", std::string());
}

std::vector<std::string> AcceptanceHouse::Find(const Caller& caller, const std::string& query,
                                               Json more) {
  more["query"] = query;
  std::vector<std::string> ids;
  const Json answer = Must(caller, "memory_search", more);
  for (const Json& hit : answer.value("results", Json::array())) ids.push_back(hit["id"]);
  return ids;
}

Json AcceptanceHouse::Get(const Caller& caller, const std::string& id) {
  const Said said = Ask(caller, "memory_get", {{"ids", {id}}});
  return said.ok ? said.body["memories"][0] : Json::object();
}

std::string AcceptanceHouse::Probe(const Caller& caller, const std::string& id,
                                   const std::string& words) {
  std::string all;
  const std::pair<const char*, Json> reads[] = {
      {"memory_search", {{"query", words}, {"limit", 100}, {"explain", true}}},
      {"memory_list", {{"limit", 1000}}},
      {"memory_get", {{"ids", {id}}}},
      {"memory_history", {{"id", id}}},
      {"memory_diff", {{"id", id}}},
      {"memory_context", {{"tokens", 32000}, {"explain", true}}},
      {"memory_context", {{"query", words}, {"explain", true}}},
      {"memory_contents", Json::object()}};
  for (const auto& [operation, arguments] : reads) all += Ask(caller, operation, arguments).all;
  all += ReadResource(caller, "perdure://index").all;
  all += ReadResource(caller, "perdure://context").all;
  return all + ReadResource(caller, "perdure://memory/" + id).all;
}

Json AcceptanceHouse::Log(const std::string& event) {
  return Must(As(Caller::kAuditor), "log_query", {{"event", event}, {"limit", 1000}})
      .value("entries", Json::array());
}

std::size_t AcceptanceHouse::Refusals() {
  std::size_t count = 0;
  for (const Json& entry : Log("WriteRefused")) count += entry.value("count", 1U);
  return count;
}

}  // namespace perdure::testing
