// What operations say and ask before they answer, and what is proposed while somebody types.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "server/api/api.h"
#include "server/api/memory_completions.h"

namespace perdure::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Writes down what is said, and answers every question alike.
class Listener final : public Dialogue {
 public:
  explicit Listener(std::optional<Json> answer = std::nullopt, bool can_ask = true)
      : answer_(std::move(answer)), can_ask_(can_ask) {}

  void Progress(double done, double total, const std::string&) override {
    progress.emplace_back(done, total);
  }
  void Log(LogLevel, const Json& data) override { logged.push_back(data); }
  bool CanAsk(std::string_view) const override { return can_ask_; }
  Result<std::optional<Json>> Ask(const std::string&, const Json& request) override {
    questions.push_back(request);
    return answer_;
  }
  const Json& Kept() const override { return kept_; }
  void Keep(Json) override {}

  std::vector<std::pair<double, double>> progress;
  std::vector<Json> logged;
  std::vector<Json> questions;

 private:
  const std::optional<Json> answer_;
  const bool can_ask_;
  const Json kept_;
};

Result<Json> CallTalking(Api& api, const std::string& name, const Json& arguments, Dialogue& talk) {
  return api.catalogue().Call(*api.catalogue().Find(name), Operator(), arguments, talk);
}

Json Accept(bool erase) { return {{"action", "accept"}, {"content", {{"erase", erase}}}}; }

TEST(EraseConfirmation, NothingIsErasedUnlessThePersonSaysYes) {
  Api api;
  const std::string id = api.Must("memory_store", {{"text", "a secret"}})["id"];
  Listener unanswered;
  EXPECT_THAT(CallTalking(api, "memory_erase", {{"id", id}}, unanswered), IsOk());
  ASSERT_THAT(unanswered.questions, SizeIs(1));
  EXPECT_EQ(unanswered.questions[0]["method"], "elicitation/create");
  EXPECT_EQ(api.Get(id)["text"], "a secret");
  for (const Json& no : {Accept(false), Json{{"action", "decline"}}, Json{{"action", "cancel"}}}) {
    Listener refusing(no);
    EXPECT_THAT(CallTalking(api, "memory_erase", {{"id", id}}, refusing),
                FailsWith(Code::kForbidden, HasSubstr("nothing is erased")));
    EXPECT_EQ(api.Get(id)["text"], "a secret");
  }
  Listener agreeing(Accept(true));
  const auto erased = CallTalking(api, "memory_erase", {{"id", id}}, agreeing);
  ASSERT_THAT(erased, IsOk());
  EXPECT_EQ((*erased)["erased"], Json::array({id}));
}

TEST(EraseConfirmation, ADryRunAndAClientWithoutAPersonAreNotAsked) {
  Api api;
  const std::string id = api.Must("memory_store", {{"text", "a secret"}})["id"];
  Listener dry;
  EXPECT_THAT(CallTalking(api, "memory_erase", {{"id", id}, {"dry_run", true}}, dry), IsOk());
  Listener alone(std::nullopt, false);
  EXPECT_THAT(CallTalking(api, "memory_erase", {{"id", id}}, alone), IsOk());
  EXPECT_THAT(dry.questions, IsEmpty());
  EXPECT_THAT(alone.questions, IsEmpty());
}

TEST(IndexRebuild, TellsHowFarItIs) {
  Api api;
  api.Must("memory_store", {{"text", "one"}});
  Listener listener;
  ASSERT_THAT(CallTalking(api, "index_rebuild", Json::object(), listener), IsOk());
  ASSERT_FALSE(listener.progress.empty());
  EXPECT_EQ(listener.progress[0].first, 0);
  EXPECT_GT(listener.progress[0].second, 0);
  EXPECT_THAT(listener.logged, SizeIs(1));
}

std::vector<std::string> Proposals(Api& api, const std::string& argument, const std::string& typed,
                                   const Caller& caller = Agent()) {
  CompletionTarget target;
  target.argument = argument;
  target.typed = typed;
  return MemoryCompletions(*api.engine()).Complete(caller, target).value();
}

TEST(Completions, OfScopesAreContainersThatTheCallerMaySee) {
  Api api;
  for (const char* scope : {"acme/website", "acme/app;user=alice", "beta"}) {
    api.Must("memory_store", {{"text", std::string("in ") + scope}, {"scope", scope}});
  }
  EXPECT_THAT(Proposals(api, "scope", ""), ElementsAre("acme", "acme/app", "acme/website", "beta"));
  EXPECT_THAT(Proposals(api, "scope", "acme/"), ElementsAre("acme/app", "acme/website"));
  EXPECT_THAT(Proposals(api, "scope", "x"), IsEmpty());
  EXPECT_THAT(Proposals(api, "scope", "", Agent("acme")),
              ElementsAre("acme", "acme/app", "acme/website"));
}

TEST(Completions, OfIdsAreMemoriesThatTheCallerMaySee) {
  Api api;
  const std::string id = api.Must("memory_store", {{"text", "a"}, {"scope", "acme"}})["id"];
  EXPECT_THAT(Proposals(api, "id", ""), ElementsAre(id));
  EXPECT_THAT(Proposals(api, "id", id.substr(0, 13)), ElementsAre(id));
  EXPECT_THAT(Proposals(api, "id", "zzz"), IsEmpty());
  EXPECT_THAT(Proposals(api, "id", "", Agent("beta")), IsEmpty());
}

TEST(Completions, OfTimesAreSnapshotsTheLatestFirst) {
  Api api;
  api.Must("memory_store", {{"text", "a"}});
  for (const char* name : {"before-import", "after-import", "before-release"}) {
    EXPECT_THAT(api.Call("snapshot_create", {{"name", name}}, Reviewer()), IsOk());
  }
  EXPECT_THAT(Proposals(api, "time", "before"), ElementsAre("before-release", "before-import"));
  EXPECT_THAT(Proposals(api, "n", ""), IsEmpty());
}

}  // namespace
}  // namespace perdure::testing
