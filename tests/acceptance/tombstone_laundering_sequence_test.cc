// tombstone.laundering_sequence: V is rejected, superseded by W, then restated and corroborated. It
// stays inactive, its rejection intact. A neighbour that was never rejected is still recalled.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ARejectedValue, IsNotLaunderedByRestatingAndCorroboratingIt) {
  AcceptanceHouse house;
  const Caller agents[] = {house.Agent(), house.As(Caller::kAgent | Caller::kAuditor),
                           house.As(Caller::kAgent | Caller::kReviewer)};
  const Caller agent = agents[0];
  const std::string milk =
      Claimed(house, agent, Fact("Alice", "drinks", "milk", Quoted("milk", "monday", -9)));
  const std::string bread =
      Claimed(house, agent, Fact("Alice", "eats", "bread", Quoted("bread", "monday", -9)));
  Reject(house, milk);
  const std::string oat =
      Claimed(house, agent, Fact("Alice", "drinks", "oat milk", Quoted("oat", "tuesday", -8)));
  std::uint64_t tried = 0;
  for (int day = -7; day < 0; ++day) {
    for (const Caller& caller : agents) {
      const std::string source = "chat " + std::to_string(day) + caller.token_id;
      const Json fact = Fact("Alice", "drinks", "milk", Quoted("milk after all!", source, day));
      EXPECT_EQ(Claim(house, caller, fact)["rule"], "suppressed");
      EXPECT_EQ(Propose(house, caller, fact)["rule"], "suppressed");
      EXPECT_EQ(
          house.Ask(caller, "memory_store", {{"text", "Alice drinks milk"}, {"source", source}})
              .code,
          "refused");
      tried += 3;
    }
  }
  // A fact of another shape that reads the same is the same note.
  EXPECT_EQ(Claim(house, agent,
                  Fact("Alice drinks", "milk", "milk", {{"text", "Alice drinks milk"}}))["rule"],
            "suppressed");
  EXPECT_EQ(Claim(house, agent,
                  Fact("Alice", "drinks milk", "yes", {{"text", "ALICE drinks  milk"}}))["rule"],
            "suppressed");
  tried += 2;

  EXPECT_THAT(Standing(house, agent, "Alice", "drinks"), ElementsAre("oat milk"));
  EXPECT_EQ(house.Ask(agent, "memory_get", {{"ids", {milk}}}).code, "not_found");
  EXPECT_THAT(house.Find(agent, "Alice drinks milk"), Not(Contains(milk)));
  EXPECT_THAT(house.Find(agent, "Alice drinks milk"), Contains(oat));
  const Rejections rejections = RejectionsOf(house);
  EXPECT_EQ(rejections.in_force, 1u);
  EXPECT_EQ(rejections.refused, tried);
  EXPECT_THAT(house.Find(agent, "Alice eats bread"), Contains(bread));
  EXPECT_EQ(Claim(house, agent,
                  Fact("Alice", "eats", "bread", Quoted("bread!", "sunday", -1)))["outcome"],
            "reinforced");
}

TEST(ARejectedValue, IsNotBroughtBackByUndoingOthers) {
  AcceptanceHouse house;
  const Caller agent = house.Agent();
  const Caller reviewer = house.Reviewer();
  const Json begin = house.Must(agent, "memory_store", {{"text", "the beginning"}})["seq"];
  const std::string milk = Claimed(house, agent, Fact("Alice", "drinks", "milk"));
  const std::string bread = Claimed(house, agent, Fact("Alice", "eats", "bread"));
  const Json then = house.Must(agent, "memory_store", {{"text", "a moment"}})["seq"];
  Reject(house, milk);
  house.Must(agent, "memory_forget", {{"id", bread}});
  EXPECT_EQ(house.Ask(reviewer, "memory_restore", {{"id", milk}}).code, "refused");
  house.Must(reviewer, "scope_rollback", {{"scope", "/"}, {"to", then}});
  EXPECT_THAT(Standing(house, agent, "Alice", "drinks"), IsEmpty());
  EXPECT_THAT(Standing(house, agent, "Alice", "eats"), ElementsAre("bread"));
  EXPECT_EQ(RejectionsOf(house).in_force, 1u);
  EXPECT_GT(then, begin);
}

}  // namespace
}  // namespace perdure::testing
