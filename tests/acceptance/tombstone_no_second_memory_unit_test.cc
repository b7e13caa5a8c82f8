// tombstone.no_second_memory_unit: no new unit, active or candidate, carries a rejected value V;
// whether it was refused or absorbed is reported. The memories around it are recalled.
#include <set>

#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;

constexpr const char* kValue = "Alice drinks milk";

class Units : public ::testing::Test {
 protected:
  // Every unit in any state that says V, whatever it is.
  std::set<std::string> Carriers() {
    std::set<std::string> carriers;
    const Json states = {"live", "pending", "archived", "superseded", "rejected", "forgotten"};
    for (const Json& state : states) {
      const Json listed = house_.Must(house_.Operator(), "memory_list",
                                      {{"limit", 1000}, {"filter", {{"state", {state}}}}});
      for (const Json& memory : listed["memories"]) {
        const Json whole = house_.Get(house_.Operator(), memory["id"]);
        if (whole["text"] == kValue) carriers.insert(memory["id"]);
      }
    }
    return carriers;
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
};

TEST_F(Units, ThatCarryARejectedValueDoNotGrowInNumber) {
  const std::string first = Claimed(house_, agent_, Fact("Alice", "drinks", "milk"));
  const std::string around = house_.Store(agent_, "Alice has a cow that gives milk");
  Reject(house_, first);
  const std::set<std::string> before = Carriers();
  ASSERT_THAT(before, Contains(first));
  const std::string other = house_.Store(agent_, "Alice drinks water");
  const Json fact = Fact("Alice", "drinks", "milk", Quoted("milk!", "new", 1));
  const std::pair<const char*, Json> calls[] = {
      {"memory_store", {{"text", kValue}}},
      {"memory_store", {{"text", kValue}, {"kind", "episode"}, {"conversation", "c"}}},
      {"memory_store", {{"text", kValue}, {"derived_from", {around}}}},
      {"memory_store", {{"text", kValue}, {"scope", "below"}}},
      {"memory_store_many", {{"memories", {{{"text", kValue}}}}}},
      {"memory_edit", {{"id", other}, {"text", kValue}}},
      {"memory_merge", {{"parts", {other, around}}, {"text", kValue}}},
      {"candidate_propose", {{"text", kValue}}},
      {"fact_assert", fact},
      {"fact_assert_many", {{"facts", {fact}}}},
  };
  std::size_t refused = 0;
  for (const auto& [operation, arguments] : calls) {
    const Said said = house_.Ask(agent_, operation, arguments);
    if (!said.ok || said.body.value("outcome", "") == "refused") ++refused;
    EXPECT_EQ(Carriers(), before) << operation << " " << arguments;
  }
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("absorbed", static_cast<int>(std::size(calls) - refused));
  EXPECT_EQ(refused, std::size(calls));
  EXPECT_THAT(house_.Find(agent_, "cow gives milk"), Contains(around));
  EXPECT_THAT(house_.Find(agent_, "Alice drinks water"), Contains(other));
}

TEST_F(Units, ThatAReviewerRejectedAreNoSecondCandidate) {
  const Json draft = {{"text", kValue}};
  const std::string candidate = Propose(house_, agent_, draft)["id"];
  const std::string neighbour = Propose(house_, agent_, {{"text", "Alice drinks tea"}})["id"];
  house_.Must(house_.Reviewer(), "review_decide", {{"id", candidate}, {"decision", "reject"}});
  house_.Must(house_.Reviewer(), "review_decide", {{"id", neighbour}, {"decision", "approve"}});
  const std::set<std::string> before = Carriers();
  EXPECT_EQ(Propose(house_, agent_, draft)["rule"], "suppressed");
  EXPECT_EQ(house_.Ask(agent_, "memory_store", draft).code, "refused");
  EXPECT_EQ(Carriers(), before);
  EXPECT_THAT(house_.Find(agent_, "Alice drinks tea"), Contains(neighbour));
}

}  // namespace
}  // namespace perdure::testing
