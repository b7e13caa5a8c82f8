// gateway.no_bypass_path: the same forbidden write is refused and recorded at every entry point. An
// allowed one passes each of them.
//
// Entry points: the table of operations, MCP, REST, the command line; among the operations those
// that store, edit, move, bring back, merge, import many; the adoption of an export. Nothing
// ingests files, and nothing in the background stores.
#include <algorithm>
#include <fstream>

#include "acceptance/facts.h"
#include "engine/transfer/adopt.h"
#include "server/api/authorisation.h"
#include "tools/data_dir.h"
#include "tools/session.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRejected = "Alice drinks milk";
constexpr const char* kAllowed = "Alice drinks oat milk, and there is ";

class Doors : public ::testing::Test {
 protected:
  Doors() { Reject(house_, house_.Store(agent_, kRejected, {{"tags", {"old"}}})); }
  // Refused by the suppression, and written down.
  void ExpectRefused(const Json& error, std::size_t refusals, const std::string& door) {
    EXPECT_EQ(error["code"], "refused") << door << error;
    EXPECT_EQ(error["rule"], "suppressed") << door << error;
    EXPECT_EQ(house_.Refusals(), refusals + 1) << door;
    EXPECT_EQ(house_.Log("WriteRefused").front()["rule"], "suppressed") << door;
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
};

TEST_F(Doors, AllRefuseARejectedValueAndTakeAnother) {
  const Operation& store = *house_.catalogue().Find("memory_store");
  const Json forbidden = {{"text", kRejected}};
  for (const Caller& caller : {agent_, house_.Reviewer(), house_.Operator()}) {
    const std::size_t before = house_.Refusals();
    const auto answers = AskAllDoors(house_.catalogue(), store, caller, forbidden);
    ASSERT_EQ(answers.size(), 3u);  // the table itself, REST, MCP
    for (const DoorAnswer& answer : answers) {
      EXPECT_EQ(answer.code, "refused") << answer.door;
      EXPECT_EQ(answer.body["rule"], "suppressed") << answer.door;
    }
    EXPECT_EQ(house_.Refusals(), before + 3);
    for (const DoorAnswer& answer :
         AskAllDoors(house_.catalogue(), store, caller, {{"text", kAllowed + caller.token_id}})) {
      EXPECT_EQ(answer.code, "ok") << answer.door << answer.text;
    }
  }
}

TEST_F(Doors, OfTheCommandLineRefuseARejectedValueAndTakeAnother) {
  const std::size_t before = house_.Refusals();
  house_.Close();
  SystemClock clock;
  SystemRandom random;
  ASSERT_THAT(FillDataDir(house_.dir(), clock, random), IsOk());  // the operator's token
  {
    const Program program{
        .data = house_.dir(), .model = house_.dir() + "/none", .json = true, .run = {}};
    auto session = Session::Open(program, "memory");
    ASSERT_THAT(session, IsOk());
    EXPECT_THAT((*session)->Call("memory_store", {{"text", kRejected}}),
                FailsWith(Code::kRefused, HasSubstr("rejected")));
    EXPECT_THAT((*session)->Call("memory_store", {{"text", kAllowed}}), IsOk());
  }
  house_.engine().clock().Set(clock.Now());
  house_.Open();
  EXPECT_EQ(house_.Refusals(), before + 1);
  EXPECT_EQ(house_.Find(agent_, kAllowed).size(), 1u);
}

TEST_F(Doors, OfEveryOtherWriteRefuseARejectedValueAndTakeAnother) {
  const std::string other = house_.Store(agent_, "Alice drinks water");
  const std::string part = house_.Store(agent_, "Alice also eats bread");
  const auto calls = [&](const std::string& text) -> std::vector<std::pair<std::string, Json>> {
    return {
        {"memory_store", {{"text", text}, {"kind", "episode"}, {"title", "new"}}},
        {"memory_store_many", {{"memories", {{{"text", text}, {"theme", "t"}}}}}},
        {"memory_edit", {{"id", other}, {"text", text}}},
        {"memory_edit", {{"id", other}, {"old_text", "Alice drinks water"}, {"new_text", text}}},
        {"memory_merge", {{"parts", {other, part}}, {"text", text}}},
        {"candidate_propose", {{"text", text}}}};
  };
  for (const auto& [operation, arguments] : calls(kRejected)) {
    const std::size_t before = house_.Refusals();
    const Said said = house_.Ask(agent_, operation, arguments);
    if (operation == "candidate_propose") {
      EXPECT_EQ(said.body["outcome"], "refused");
      EXPECT_EQ(said.body["rule"], "suppressed");
      EXPECT_EQ(house_.Refusals(), before + 1);
    } else {
      ExpectRefused(said.body, before, operation);
    }
  }
  for (const auto& [operation, arguments] : calls("Alice drinks juice")) {
    if (arguments.contains("old_text")) continue;  // it was edited just before
    EXPECT_TRUE(house_.Ask(agent_, operation, arguments).ok) << operation;
  }
}

TEST_F(Doors, ThatBringBackOrMoveRefuseARejectedValueAndTakeAnother) {
  const Caller reviewer = house_.Reviewer();
  // In `a` a memory that said it once, in `b` one that says it.
  const auto make = [&](const std::string& text) {
    const std::string once = house_.Store(agent_, text, {{"scope", "a"}, {"title", "once"}});
    const std::string there = house_.Store(agent_, text, {{"scope", "b"}});
    house_.Must(agent_, "memory_edit", {{"id", once}, {"text", "no longer: " + text}});
    const Json history = house_.Must(reviewer, "memory_history", {{"id", once}});
    const Json& stored = history["entries"].front()["seq"];
    return std::vector<std::pair<std::string, Json>>{
        {"memory_revert", {{"id", once}, {"version", 1}}},
        {"memory_edit", {{"id", once}, {"text", "no longer, again: " + text}}},
        {"scope_rollback", {{"id", once}, {"to", stored}}},
        {"memory_describe", {{"id", there}, {"scope", "a"}}}};
  };
  const auto milk = make("Carol drinks milk");
  const auto tea = make("Carol drinks tea");
  Reject(house_, house_.Store(agent_, "Carol drinks milk", {{"scope", "a"}, {"title", "now"}}));
  for (const auto& [operation, arguments] : milk) {
    if (operation == "memory_edit") continue;
    const std::size_t before = house_.Refusals();
    ExpectRefused(house_.Ask(reviewer, operation, arguments).body, before, operation);
  }
  for (const auto& [operation, arguments] : tea) house_.Must(reviewer, operation, arguments);
  const auto found = house_.Find(agent_, "Carol drinks tea", {{"scope", "a"}});
  EXPECT_EQ(std::ranges::count_if(found,
                                  [&](const std::string& id) {
                                    return house_.Get(agent_, id)["text"] == "Carol drinks tea";
                                  }),
            2);
}

TEST_F(Doors, OfImportTakeNoLogIntoASpaceThatHasOne) {
  AcceptanceHouse source(2);
  source.Store(source.Agent(), kRejected);
  const std::string file = house_.dir() + "/export";
  {
    std::ofstream out(file, std::ios::binary);
    ASSERT_THAT(WriteExport(*source.engine(), kMainSpace, out), IsOk());
  }
  const auto adopt = [&](AcceptanceHouse& house) {
    house.Close();
    auto report = AdoptExport(house.dir(), file, house.engine().clock(), house.engine().random());
    house.Open();
    return report;
  };
  const std::size_t before = house_.Must(agent_, "memory_list", {})["total"];
  // An adoption is offline and all or nothing: there is no log to record its refusal in.
  EXPECT_THAT(adopt(house_), FailsWith(Code::kConflict, ::testing::_));
  EXPECT_EQ(house_.Must(agent_, "memory_list", {})["total"], before);
  AcceptanceHouse empty(3);
  EXPECT_THAT(adopt(empty), IsOk());
  EXPECT_EQ(empty.Find(empty.Agent(), kRejected).size(), 1u);
}

TEST_F(Doors, AllRefuseAnAuditorsWriteAndTakeAnAgents) {
  const Operation& store = *house_.catalogue().Find("memory_store");
  for (const DoorAnswer& answer :
       AskAllDoors(house_.catalogue(), store, house_.As(Caller::kAuditor), {{"text", "no"}})) {
    EXPECT_EQ(answer.code, "forbidden") << answer.door;
  }
  for (const DoorAnswer& answer :
       AskAllDoors(house_.catalogue(), store, agent_, {{"text", "yes"}})) {
    EXPECT_EQ(answer.code, "ok") << answer.door;
  }
}

}  // namespace
}  // namespace perdure::testing
