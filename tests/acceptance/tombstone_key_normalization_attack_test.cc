// tombstone.key_normalization_attack: look-alikes, case, white space and invisibles of a rejected
// value are refused. A paraphrase is stored; where the line runs stands in engine/base/canonical.h
// and docs/adr/0032-suppressions-by-two-keys.md.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;

const char* const kDisguises[] = {
    "ALICE DRINKS MILK",
    "  Alice \t drinks\n\nmilk  ",
    "Alice drinks m\u0456lk",                                 // Cyrillic i
    "\u0391lice drinks milk",                                 // Greek capital Alpha
    "\uff21\uff4c\uff49\uff43\uff45 drinks milk",             // full width
    "Alice drinks mi\u200blk",                                // zero width space
    "Alice drinks mi\u00adlk",                                // soft hyphen
    "Alice\u00a0drinks\u2003milk",                            // other spaces
    "\u202eAlice drinks milk\u202c",                          // right to left override
    "\ufeffAlice drinks milk",                                // byte order mark
    "Alice drinks \U0001d426\U0001d422\U0001d425\U0001d424",  // mathematical bold
    "Alice drinks \u24dc\u24d8\u24db\u24da",                  // circled
    "Alice dr\u200di\u200dnks milk\u2800",                    // joiners, braille blank
    "Alice drinks mil\u212a",                                 // Kelvin sign
};
const char* const kOthers[] = {
    "Alice has milk with her coffee",                        // a paraphrase
    "Milk is what Alice drinks",                             // the order of words
    "Alice drinks milk.",                                    // punctuation
    "Alice drinks m\u00edlk",                                // an accent
    "Alice drinks rnilk",                                    // ASCII that only looks alike
    "Today's diary: Alice drinks milk, as everybody knows",  // another, longer text
};

TEST(ADisguise, OfARejectedNoteIsRefusedAndAParaphraseStored) {
  AcceptanceHouse house;
  const Caller agent = house.Agent();
  Reject(house, house.Store(agent, "Alice drinks milk"));
  for (const char* text : kDisguises) {
    const Said said = house.Ask(agent, "memory_store", {{"text", text}});
    EXPECT_EQ(said.code, "refused") << text;
    EXPECT_EQ(said.body.value("rule", ""), "suppressed") << text;
  }
  EXPECT_EQ(RejectionsOf(house).refused, std::size(kDisguises));
  for (const char* text : kOthers) {
    const std::string id = house.Store(agent, text);
    EXPECT_THAT(house.Find(agent, text), Contains(id)) << text;
  }
}

TEST(ADisguise, OfARejectedFactIsRefusedInEachOfItsParts) {
  AcceptanceHouse house;
  const Caller agent = house.Agent();
  Reject(house, Claimed(house, agent, Fact("Alice", "drinks", "milk")));
  const Json disguised[] = {
      Fact("ALICE", "Drinks", "MILK"),
      Fact(" Alice ", "drinks\n", "\tmilk"),
      Fact("\u0391lice", "drinks", "milk"),
      Fact("Alice", "dr\u0456nks", "milk"),
      Fact("Alice", "drinks", "mi\u200blk"),
      Fact("Alice", "drinks", "milk", {{"text", "a harmless sentence"}}),
      Fact("A", "b", "c", {{"text", "Al\u0456ce drinks milk"}}),
  };
  for (const Json& fact : disguised) {
    EXPECT_EQ(Claim(house, agent, fact)["rule"], "suppressed") << fact;
    EXPECT_EQ(Propose(house, agent, fact)["rule"], "suppressed") << fact;
  }
  EXPECT_EQ(Claim(house, agent, Fact("Alice", "drinks", "goat milk"))["outcome"], "stored");
  EXPECT_EQ(Claim(house, agent, Fact("Alice", "buys", "milk"))["outcome"], "stored");
  EXPECT_THAT(Standing(house, agent, "Alice", "drinks"), ::testing::ElementsAre("goat milk"));
}

}  // namespace
}  // namespace perdure::testing
