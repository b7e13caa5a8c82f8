// correction.retraction_without_replacement: "I misspoke": the value is gone, and stays gone when
// its source is fed again. Everything else of that source is recalled.
//
// Facts come back on newer evidence alone, so that forgetting one is enough. A note has no
// evidence: whoever stores it again means it, unless a reviewer has rejected it.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What one transcript says.
Json ClaimsOf(const std::string& transcript) {
  return {Fact("Alice", "was born in", "Oslo", Quoted("born in Oslo", transcript)),
          Fact("Alice", "has", "two brothers", Quoted("two brothers", transcript)),
          Fact("Alice", "studied", "law", Quoted("I studied law", transcript))};
}

void FeedAgain(AcceptanceHouse& house, const Caller& agent, const std::string& transcript,
               const std::string& rule) {
  for (int again = 0; again < 3; ++again) {
    house.engine().clock().Advance(kDay);
    const Json results = ClaimAll(house, agent, ClaimsOf(transcript));
    EXPECT_EQ(results[0]["outcome"], "refused");
    EXPECT_EQ(results[0]["rule"], rule);
    house.RebuildFromLog();
  }
  EXPECT_THAT(Standing(house, agent, "Alice", "was born in"), IsEmpty());
  EXPECT_THAT(Standing(house, agent, "Alice", "has"), ElementsAre("two brothers"));
  EXPECT_THAT(Standing(house, agent, "Alice", "studied"), ElementsAre("law"));
  EXPECT_THAT(house.Find(agent, "Alice studied law"), Contains(transcript));
}

TEST(ARetraction, KeepsAForgottenFactGoneWhenItsSourceIsFedAgain) {
  AcceptanceHouse house;
  const Caller agent = house.Agent();
  const std::string transcript =
      house.Store(agent, "Alice: I was born in Oslo, have two brothers and I studied law");
  const Json results = ClaimAll(house, agent, ClaimsOf(transcript));
  EXPECT_THAT(Standing(house, agent, "Alice", "was born in"), ElementsAre("Oslo"));
  house.Must(agent, "memory_forget", {{"id", results[0]["id"]}, {"reason", "I misspoke"}});
  FeedAgain(house, agent, transcript, "stale_evidence");
  // A later witness is another matter.
  const Json later = Fact("Alice", "was born in", "Oslo", Quoted("Oslo, says her mother", "m", 9));
  house.engine().clock().Advance(30 * kDay);
  EXPECT_EQ(Claim(house, agent, later)["outcome"], "stored");
}

TEST(ARetraction, OfAReviewerKeepsItGoneWhateverIsFed) {
  AcceptanceHouse house;
  const Caller agent = house.Agent();
  const std::string transcript =
      house.Store(agent, "Alice: I was born in Oslo, have two brothers and I studied law");
  Reject(house, ClaimAll(house, agent, ClaimsOf(transcript))[0]["id"]);
  FeedAgain(house, agent, transcript, "suppressed");
  const Json later = Fact("Alice", "was born in", "Oslo", Quoted("Oslo, says her mother", "m", 2));
  EXPECT_EQ(Claim(house, agent, later)["rule"], "suppressed");
  const std::string note = house.Store(agent, "I was in Rome once");
  Reject(house, note);
  EXPECT_EQ(house.Ask(agent, "memory_store", {{"text", "I was in Rome once"}}).code, "refused");
  EXPECT_THAT(house.Find(agent, "Rome once"), ::testing::Not(Contains(note)));
}

}  // namespace
}  // namespace perdure::testing
