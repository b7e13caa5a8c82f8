// correction.survives_reindex: a replacement, a change of polarity, a retraction, a partial
// supersession and a bounded validity, then a rebuild: recall answers with the corrected value.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::string DayNumber(int days) { return FormatTime(FakeClock().Now() + days * kDay); }

struct Corrected {
  explicit Corrected(AcceptanceHouse& opened) : house(opened) {
    const auto claim = [&](const Json& fact) { return Claimed(house, agent, fact); };
    // Replacement, twice.
    milk = claim(Fact("Alice", "drinks", "milk", Quoted("milk", "monday", -9)));
    tea = claim(Fact("Alice", "drinks", "tea", Quoted("tea", "tuesday", -8)));
    oat = claim(Fact("Alice", "drinks", "oat milk", Quoted("oat", "friday", -7)));
    // Polarity.
    likes = claim(Fact("Bob", "likes jazz", "yes", Quoted("I like jazz", "monday", -9)));
    dislikes = claim(Fact("Bob", "likes jazz", "no", Quoted("no jazz", "tuesday", -8)));
    // Retraction.
    retracted = claim(Fact("Carol", "works at", "Initech", Quoted("Initech", "monday", -9)));
    house.Must(agent, "memory_forget", {{"id", retracted}});
    // A part of a note.
    note = house.Store(agent, "Standup is at nine. Retro is on Friday.", {{"title", "meetings"}});
    house.Must(agent, "memory_edit", {{"id", note}, {"old_text", "nine"}, {"new_text", "ten"}});
    // Bounded validity.
    Json paris = Fact("Dora", "lives in", "Paris", Quoted("Paris", "monday", -9));
    paris.update({{"valid_from", DayNumber(-400)}, {"valid_until", DayNumber(-30)}});
    Json rome = Fact("Dora", "lives in", "Rome", Quoted("Rome", "monday", -9));
    rome["valid_from"] = DayNumber(-30);
    claim(paris);
    claim(rome);
  }

  void ExpectCorrectedValues(const std::string& after) {
    house.Settle();
    const auto standing = [&](const char* subject, const char* predicate) {
      return Standing(house, agent, subject, predicate);
    };
    EXPECT_THAT(standing("Alice", "drinks"), ElementsAre("oat milk")) << after;
    EXPECT_THAT(standing("Bob", "likes jazz"), ElementsAre("no")) << after;
    EXPECT_THAT(standing("Carol", "works at"), IsEmpty()) << after;
    EXPECT_THAT(standing("Dora", "lives in"), ElementsAre("Rome")) << after;
    EXPECT_THAT(house.Find(agent, "Alice drinks milk tea"),
                AllOf(Contains(oat), Not(Contains(milk)), Not(Contains(tea))))
        << after;
    EXPECT_THAT(house.Find(agent, "Bob likes jazz yes"),
                AllOf(Contains(dislikes), Not(Contains(likes))))
        << after;
    EXPECT_THAT(house.Find(agent, "Carol works at Initech"), Not(Contains(retracted))) << after;
    EXPECT_EQ(house.Get(agent, note)["text"], "Standup is at ten. Retro is on Friday.") << after;
    EXPECT_THAT(house.Must(agent, "memory_search", {{"query", "standup nine"}}).dump(),
                Not(HasSubstr("nine")))
        << after;
  }

  AcceptanceHouse& house;
  const Caller agent = house.Agent();
  std::string milk, tea, oat, likes, dislikes, retracted, note;
};

TEST(Corrections, OfEachKindSurviveARebuild) {
  AcceptanceHouse house;
  Corrected corrected(house);
  corrected.ExpectCorrectedValues("the corrections");
  ASSERT_THAT(house.search().Rebuild(kMainSpace), IsOk());
  corrected.ExpectCorrectedValues("a reindex");
  house.Restart();
  corrected.ExpectCorrectedValues("a restart");
  house.RebuildFromLog();
  corrected.ExpectCorrectedValues("a rebuild from the log");
  // What stood before is history, and answers for its own time.
  const Json chain = house.Must(corrected.agent, "fact_about",
                                {{"subject", "Alice"}, {"predicate", "drinks"}, {"history", true}});
  std::vector<std::string> stood;
  for (const Json& fact : chain["chain"]) stood.push_back(fact["object"]);
  EXPECT_THAT(stood, ElementsAre("milk", "tea", "oat milk"));
  const Json then = house.Must(corrected.agent, "fact_about",
                               {{"subject", "Dora"}, {"valid_at", DayNumber(-100)}});
  ASSERT_EQ(then["facts"].size(), 1u);
  EXPECT_EQ(then["facts"][0]["object"], "Paris");
}

}  // namespace
}  // namespace perdure::testing
