// tombstone.reextraction_stays_inactive: text that holds a rejected value V goes through
// extraction: no active V. Its other values become active.
//
// There is no chat model that extracts yet. What is shown is the door that an extraction comes
// through: the transcript is stored, and its claims are asserted in one batch with their quotes.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kTranscript =
    "Alice: I drink milk. I eat bread. My dog is called Rex. I live in Oslo.";

// What an extraction hands in for one transcript.
Json ClaimsOf(const std::string& transcript) {
  return {Fact("Alice", "drinks", "milk", Quoted("I drink milk", transcript)),
          Fact("Alice", "eats", "bread", Quoted("I eat bread", transcript)),
          Fact("Alice", "has a dog called", "Rex", Quoted("My dog is called Rex", transcript)),
          Fact("Alice", "lives in", "Oslo", Quoted("I live in Oslo", transcript))};
}

TEST(ReExtraction, LeavesARejectedValueInactiveAndTheOthersBecomeActive) {
  AcceptanceHouse house;
  const Caller agent = house.Agent();
  Reject(house, Claimed(house, agent, Fact("Alice", "drinks", "milk")));
  for (const char* said : {"on Monday. ", "on Tuesday. "}) {
    house.engine().clock().Advance(kDay);
    const std::string transcript = house.Store(agent, said + std::string(kTranscript));
    const Json results = ClaimAll(house, agent, ClaimsOf(transcript));
    ASSERT_EQ(results.size(), 4u);
    EXPECT_EQ(results[0]["outcome"], "refused");
    EXPECT_EQ(results[0]["rule"], "suppressed");
    for (int i = 1; i < 4; ++i) EXPECT_NE(results[i]["outcome"], "refused") << results[i];
  }
  EXPECT_THAT(Standing(house, agent, "Alice", "drinks"), IsEmpty());
  EXPECT_THAT(Standing(house, agent, "Alice", "eats"), ElementsAre("bread"));
  EXPECT_THAT(Standing(house, agent, "Alice", "has a dog called"), ElementsAre("Rex"));
  EXPECT_THAT(Standing(house, agent, "Alice", "lives in"), ElementsAre("Oslo"));
}

TEST(ReExtraction, ByAModelLeavesARejectedValueInactive) {
  GTEST_SKIP() << "no chat model extracts yet";
}

}  // namespace
}  // namespace perdure::testing
