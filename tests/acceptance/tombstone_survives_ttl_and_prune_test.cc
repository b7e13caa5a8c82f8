// tombstone.survives_ttl_and_prune: what was rejected or superseded stays so after every expiry,
// decay, prune and compaction. An unrejected value of the same age is recalled.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::string DayNumber(int days) { return FormatTime(FakeClock().Now() + days * kDay); }

class Years : public ::testing::Test {
 protected:
  // Ten years go by; all that can be forgotten is.
  void Pass() {
    for (int month = 0; month < 120; ++month) house_.engine().clock().Advance(30 * kDay);
    house_.Store(agent_, "ten years later");
    house_.Must(house_.Operator(), "compact", {{"before", DayNumber(3500)}, {"payloads", true}});
    house_.RebuildFromLog();
    house_.Settle();
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
};

TEST_F(Years, LeaveARejectionInForceAndANeighbourStanding) {
  const Json expires = {{"expires_at", DayNumber(30)}};
  const std::string milk = Claimed(house_, agent_, Fact("Alice", "drinks", "milk", expires));
  const std::string note = house_.Store(agent_, "The key is under the mat", expires);
  const std::string bread = Claimed(house_, agent_, Fact("Alice", "eats", "bread"));
  const std::string kept = house_.Store(agent_, "The key hangs by the door");
  Reject(house_, milk);
  Reject(house_, note);
  Claimed(house_, agent_, Fact("Alice", "drinks", "tea"));
  Claimed(house_, agent_, Fact("Alice", "drinks", "oat milk"));
  Pass();
  EXPECT_EQ(
      Claim(house_, agent_, Fact("Alice", "drinks", "milk", Quoted("milk", "new", 3590)))["rule"],
      "suppressed");
  EXPECT_EQ(house_.Ask(agent_, "memory_store", {{"text", "The key is under the mat"}}).code,
            "refused");
  EXPECT_EQ(RejectionsOf(house_).in_force, 2u);
  EXPECT_THAT(Standing(house_, agent_, "Alice", "drinks"), ElementsAre("oat milk"));
  EXPECT_THAT(Standing(house_, agent_, "Alice", "eats"), ElementsAre("bread"));
  EXPECT_THAT(
      house_.Find(agent_, "key door mat"),
      ::testing::AllOf(::testing::Contains(kept), ::testing::Not(::testing::Contains(note))));
  EXPECT_THAT(house_.Find(agent_, "Alice eats bread"), Contains(bread));
}

TEST_F(Years, LeaveASupersededValueSuperseded) {
  Claimed(house_, agent_, Fact("Alice", "drinks", "milk", Quoted("milk", "monday", -9)));
  for (int day = -8; day < -4; ++day) {
    Claim(house_, agent_,
          Fact("Alice", "drinks", "oat milk", Quoted("oat", "day " + std::to_string(day), day)));
  }
  Pass();
  EXPECT_EQ(
      Claim(house_, agent_, Fact("Alice", "drinks", "milk", Quoted("milk", "monday", -9)))["rule"],
      "stale_evidence");
  EXPECT_THAT(Standing(house_, agent_, "Alice", "drinks"), ElementsAre("oat milk"));
  EXPECT_EQ(Claim(house_, agent_,
                  Fact("Alice", "drinks", "milk", Quoted("milk", "new", 3590)))["outcome"],
            "changed");
}

TEST_F(Years, EndARejectionThatWasMadeToEnd) {
  const std::string milk = Claimed(house_, agent_, Fact("Alice", "drinks", "milk"));
  house_.Must(house_.Reviewer(), "memory_forget",
              {{"id", milk}, {"refuse", true}, {"until", DayNumber(10)}});
  const Json again = Fact("Alice", "drinks", "milk", Quoted("milk", "new", 9));
  EXPECT_EQ(Claim(house_, agent_, again)["rule"], "suppressed");
  Pass();
  EXPECT_EQ(Claim(house_, agent_, again)["outcome"], "stored");
}

}  // namespace
}  // namespace perdure::testing
