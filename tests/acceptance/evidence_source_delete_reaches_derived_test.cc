// evidence.source_delete_reaches_derived: deleting a source removes or marks everything that was
// made from it: summary, fact, link, chunk, vector. A sibling source and what was made from it
// survive.
#include "acceptance/facts.h"
#include "support/byte_scanner.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// A source with a summary, a fact and a fact of a summary made from it; all have one word.
struct Family {
  std::string source;
  std::string summary;
  std::string fact;
  std::string of_summary;
};

class SourceDeletion : public ::testing::Test {
 protected:
  Family Make(const std::string& word) {
    Family made;
    made.source = house_.Store(agent_, "The " + word + " blooms in May, wrote the gardener.");
    made.summary =
        house_.Store(agent_, "Summary of the gardener: " + word, {{"derived_from", {made.source}}});
    made.fact =
        Claimed(house_, agent_,
                Fact(word, "blooms in", "May", Quoted(word + " blooms in May", made.source)));
    made.of_summary =
        house_.Store(agent_, "Twice removed: " + word, {{"derived_from", {made.summary}}});
    return made;
  }
  SpaceIndexStatus Index() {
    house_.Settle();
    return house_.search().Status().spaces.at(0);
  }
  void ExpectMarked(const std::string& id) {
    const Json memory = house_.Get(agent_, id);
    EXPECT_EQ(memory.value("state", ""), "disputed") << memory;
  }
  // Of everything that has the word, as a search tells it.
  std::vector<std::string> States(const std::string& word) {
    std::vector<std::string> states;
    const Json found = house_.Must(agent_, "memory_search", {{"query", word}});
    for (const Json& hit : found["results"]) {
      if (hit["preview"].get<std::string>().contains(word)) states.push_back(hit["state"]);
    }
    return states;
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
  const Family rose_ = Make("rosebush");
  const Family lily_ = Make("lilypond");
};

TEST_F(SourceDeletion, ByErasureReachesEachKindAndSparesTheSibling) {
  ASSERT_EQ(Index().vectors, 8u);
  ASSERT_EQ(States("rosebush"), (std::vector<std::string>(4, "live")));
  house_.Must(house_.Operator(), "memory_erase", {{"id", rose_.source}});
  for (int look = 0; look < 2; ++look) {
    EXPECT_THAT(States("rosebush"), IsEmpty());
    EXPECT_THAT(Standing(house_, agent_, "rosebush", "blooms in"), IsEmpty());
    EXPECT_EQ(house_.Ask(agent_, "memory_get", {{"ids", {rose_.source}}}).code, "erased");
    for (const std::string& id : {rose_.summary, rose_.fact, rose_.of_summary}) ExpectMarked(id);
    EXPECT_EQ(States("lilypond"), (std::vector<std::string>(4, "live")));
    EXPECT_THAT(Standing(house_, agent_, "lilypond", "blooms in"), ElementsAre("May"));
    EXPECT_EQ(Index().vectors, 7u);
    house_.RebuildFromLog();
  }
}

TEST_F(SourceDeletion, ByErasureWithClosureLeavesNoByteOfWhatWasMade) {
  house_.Must(house_.Operator(), "memory_erase", {{"id", rose_.source}, {"closure", true}});
  for (const std::string& id : {rose_.source, rose_.summary, rose_.fact, rose_.of_summary}) {
    EXPECT_EQ(house_.Ask(agent_, "memory_get", {{"ids", {id}}}).code, "erased") << id;
  }
  EXPECT_EQ(Index().vectors, 4u);
  house_.Close();
  const ByteScanner files(house_.dir());
  EXPECT_THAT(files.FilesWith("rosebush"), IsEmpty());
  EXPECT_THAT(files.FilesWith("lilypond"), Not(IsEmpty()));
  house_.Open();
  EXPECT_EQ(States("lilypond"), (std::vector<std::string>(4, "live")));
}

TEST_F(SourceDeletion, ByForgettingMarksWhatRestsOnItAlone) {
  const std::string second = house_.Store(agent_, "Another gardener: the rosebush blooms in May!");
  Claim(house_, agent_,
        Fact("rosebush", "blooms in", "May", Quoted("the rosebush blooms in May", second)));
  house_.Must(agent_, "memory_forget", {{"id", rose_.source}});
  EXPECT_THAT(house_.Find(agent_, "rosebush"), Not(Contains(rose_.source)));
  ExpectMarked(rose_.summary);
  ExpectMarked(rose_.of_summary);
  // The fact has a second witness.
  EXPECT_THAT(Standing(house_, agent_, "rosebush", "blooms in"), ElementsAre("May"));
  EXPECT_EQ(house_.Get(agent_, rose_.fact)["state"], "live");
  EXPECT_EQ(States("lilypond"), (std::vector<std::string>(4, "live")));
}

}  // namespace
}  // namespace perdure::testing
