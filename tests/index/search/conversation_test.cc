#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/labels.h"
#include "index/search/searchable_engine.h"
#include "support/byte_scanner.h"

namespace perdure {
namespace {

using testing::ByteScanner;
using ::testing::Contains;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::SearchableEngine;
using testing::With;

struct Said {
  std::string speaker;
  std::string text;
};

// Stores the turns of one session, in the order that `positions` says, and gives their ids by
// position.
std::vector<Uuid> StoreSession(SearchableEngine& engine, const std::string& conversation,
                               const std::string& session, const std::vector<Said>& turns,
                               std::vector<std::size_t> positions = {}) {
  if (positions.empty()) {
    for (std::size_t i = 0; i < turns.size(); ++i) positions.push_back(i);
  }
  std::vector<Uuid> ids(turns.size());
  for (const std::size_t i : positions) {
    NoteDraft draft = testing::Note(turns[i].text);
    draft.kind = fb::MemoryKind::episode;
    draft.conversation = conversation;
    draft.session = session;
    draft.speaker = turns[i].speaker;
    draft.position = static_cast<std::int64_t>(i);
    draft.scope = ScopePath{.containers = {conversation}};
    ids[i] = engine->Store(draft);
  }
  return ids;
}

const std::vector<Said> kTelescope = {{"Mara", "Something arrived this morning."},
                                      {"Jo", "Tell me about the telescope then."},
                                      {"Mara", "It stands on the balcony now."},
                                      {"Jo", "Facing which side?"},
                                      {"Mara", "South, of course."}};
const std::vector<Said> kBees = {{"Jo", "How did it go at the bank?"},
                                 {"Mara", "They keep bees on the roof."},
                                 {"Jo", "Really, on a roof?"},
                                 {"Mara", "Three hives, he said."},
                                 {"Jo", "Funny people."}};

std::size_t RankOf(const std::vector<Uuid>& found, const Uuid& id) {
  return static_cast<std::size_t>(std::ranges::find(found, id) - found.begin());
}

TEST(ConversationSearch, FindsATurnByTheWordsOfItsNeighbours) {
  SearchableEngine engine;
  const auto bees = StoreSession(engine, "c", "1", kBees);
  const auto telescope = StoreSession(engine, "c", "2", kTelescope);
  ASSERT_TRUE(engine.Settle());
  const auto found = engine.Find("telescope");
  // Its own words first, then the turns around it; the other session last.
  ASSERT_GE(found.size(), 5u);
  EXPECT_EQ(found[0], telescope[1]);
  EXPECT_LT(RankOf(found, telescope[2]), RankOf(found, bees[1]));
  EXPECT_LT(RankOf(found, telescope[0]), RankOf(found, bees[1]));
}

TEST(ConversationSearch, OrderIsByPositionHoweverTurnsArrived) {
  SearchableEngine in_order;
  SearchableEngine mixed;
  const auto first = StoreSession(in_order, "c", "1", kTelescope);
  const auto second = StoreSession(mixed, "c", "1", kTelescope, {3, 4, 1, 0, 2});
  ASSERT_TRUE(in_order.Settle() && mixed.Settle());
  const auto scores = [](SearchableEngine& engine, const std::vector<Uuid>& ids) {
    const auto answer = engine.Search({.query = "telescope", .explain = true});
    EXPECT_THAT(answer, IsOk());
    std::vector<float> by_position(ids.size());
    for (const SearchHit& hit : answer->hits) {
      by_position[RankOf(ids, hit.id)] = hit.explanation->lexical_score;
    }
    return by_position;
  };
  const auto expected = scores(in_order, first);
  EXPECT_EQ(scores(mixed, second), expected);
  EXPECT_GT(expected[1], expected[0]);
  EXPECT_GT(expected[0], 0);
  EXPECT_GT(expected[3], 0);  // two turns away
  EXPECT_EQ(expected[4], 0);  // three
  mixed.ReopenSearch();       // the order comes back from the files
  ASSERT_TRUE(mixed.Settle());
  EXPECT_EQ(scores(mixed, second), expected);
}

TEST(ConversationSearch, TheSpeakerWhomTheQueryNamesComesFirst) {
  SearchableEngine engine;
  const auto turns = StoreSession(engine, "c", "1",
                                  {{"Mara", "I bought red boots."},
                                   {"Jo", "Nice to hear about that."},
                                   {"Mara", "Nothing special today, only rain."},
                                   {"Jo", "Only rain here as well, always."},
                                   {"Jo", "I bought red boots."}});
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.Find("What boots did Jo buy?").at(0), turns[4]);
  EXPECT_EQ(engine.Find("What boots did Mara buy?").at(0), turns[0]);
}

TEST(ConversationSearch, AQuestionComesAfterWhatWasSaid) {
  SearchableEngine engine;
  const auto turns = StoreSession(engine, "c", "1",
                                  {{"Mara", "Bees on the roof?"},
                                   {"Jo", "Well."},
                                   {"Jo", "Well."},
                                   {"Jo", "Well."},
                                   {"Mara", "Bees on the roof."}});
  ASSERT_TRUE(engine.Settle());
  const auto found = engine.Find("bees on the roof");
  EXPECT_LT(RankOf(found, turns[4]), RankOf(found, turns[0]));
}

TEST(ConversationSearch, WhoAsksWhenFindsWhatSaysWhen) {
  SearchableEngine engine;
  const auto turns = StoreSession(engine, "c", "1",
                                  {{"Jo", "I bought boots again."},
                                   {"Jo", "Well."},
                                   {"Jo", "Well."},
                                   {"Jo", "Well."},
                                   {"Jo", "I bought boots yesterday."}});
  ASSERT_TRUE(engine.Settle());
  const auto found = engine.Find("When were boots bought?");
  EXPECT_LT(RankOf(found, turns[4]), RankOf(found, turns[0]));
}

TEST(ConversationSearch, ADateInTheQueryPrefersWhatWasSaidThen) {
  SearchableEngine engine;
  std::vector<Uuid> ids;
  for (const char* time :
       {"2023-01-10T10:00:00Z", "2023-05-20T10:00:00Z", "2023-09-10T10:00:00Z"}) {
    for (const char* text : {"Well.", "I bought boots.", "Well.", "Well."}) {
      NoteDraft draft = testing::Note(text);
      draft.kind = fb::MemoryKind::episode;
      draft.conversation = "c";
      draft.session = time;
      draft.position = static_cast<std::int64_t>(ids.size());
      draft.reference_time = *ParseTime(time, "time");
      ids.push_back(engine->Store(draft));
    }
  }
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.Find("boots bought in January").at(0), ids[1]);
  EXPECT_EQ(engine.Find("boots bought on 18 May 2023").at(0), ids[5]);
  EXPECT_EQ(engine.Find("boots bought in September 2023").at(0), ids[9]);
}

// Every hit's score for a query, by id, as a caller of that scope sees it.
std::vector<std::pair<Uuid, float>> ScoresOf(SearchableEngine& engine, const std::string& query,
                                             ReadAt at = {}, ScopePath scope = {}) {
  SearchRequest request{.query = query, .limit = 100};
  request.at = at;
  const auto answer = engine.Search(request, With(kAgent, std::move(scope)));
  EXPECT_THAT(answer, IsOk());
  std::vector<std::pair<Uuid, float>> scores;
  for (const SearchHit& hit : answer->hits) scores.emplace_back(hit.id, hit.score);
  return scores;
}

TEST(ConversationSearch, WordsOfAnErasedNeighbourLeaveNoTrace) {
  SearchableEngine engine;
  auto turns = kTelescope;
  const auto ids = StoreSession(engine, "c", "1", turns);
  ASSERT_TRUE(engine.Settle());
  EXPECT_GT(RankOf(engine.Find("telescope"), ids[4]), 0u);
  ASSERT_THAT((*engine)->Erase(With(kOperator), {{ids[1]}}, {}), IsOk());
  ASSERT_TRUE(engine.Settle());
  const auto answer = engine.Search({.query = "telescope", .explain = true});
  ASSERT_THAT(answer, IsOk());
  for (const SearchHit& hit : answer->hits) {
    EXPECT_NE(hit.id, ids[1]);
    EXPECT_EQ(hit.explanation->lexical_score, 0);
  }
  const auto before = ScoresOf(engine, "balcony");
  engine.ReopenSearch();
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(ScoresOf(engine, "balcony"), before);
}

TEST(ConversationSearch, TheKeysOfSessionAndSpeakerGoWithTheirLastTurn) {
  SearchableEngine engine;
  const auto gone = StoreSession(engine, "secret", "1", {{"Zoe", "Hush."}});
  StoreSession(engine, "open", "1", kBees);
  ASSERT_TRUE(engine.Settle());
  engine.ReopenSearch();
  ASSERT_TRUE(engine.Settle());
  const Secret& key = (*engine)->KeysOf(kMainSpace).secret;
  const auto bytes = [&](std::string_view kind, std::string_view label) {
    return std::string(AsBytes(LabelKey(key, kind, label)));
  };
  const std::vector<std::string> needles = {bytes("session", "secret\n1"), bytes("speaker", "Zoe")};
  const std::vector<std::string> controls = {bytes("session", "open\n1"), bytes("speaker", "Mara")};
  for (const auto& needle : needles) {
    EXPECT_THAT(ByteScanner(engine.index_dir()).FilesWith(needle), Not(IsEmpty()));
  }
  ASSERT_THAT((*engine)->Erase(With(kOperator), {{gone[0]}}, {}), IsOk());
  const ByteScanner scanner(engine.index_dir());
  for (const auto& needle : needles) EXPECT_THAT(scanner.FilesWith(needle), IsEmpty());
  for (const auto& control : controls) EXPECT_THAT(scanner.FilesWith(control), Not(IsEmpty()));
}

TEST(ConversationSearch, NothingOutOfSightMovesAScore) {
  SearchableEngine alone;
  SearchableEngine beside;
  const auto in_alone = StoreSession(alone, "mine", "1", kTelescope);
  // The same session's label in a scope that the caller does not reach, full of the query's words.
  const auto in_beside = StoreSession(beside, "mine", "1", kTelescope);
  for (int i = 0; i < 5; ++i) {
    NoteDraft draft = testing::Note("telescope, the telescope " + std::to_string(i));
    draft.kind = fb::MemoryKind::episode;
    draft.conversation = "mine";
    draft.session = "1";
    draft.speaker = "Telescope";
    draft.position = i;
    draft.scope = ScopePath{.containers = {"theirs"}};
    beside->Store(draft);
  }
  ASSERT_TRUE(alone.Settle() && beside.Settle());
  const ScopePath mine{.containers = {"mine"}};
  const auto expected = ScoresOf(alone, "telescope on the balcony", {}, mine);
  const auto found = ScoresOf(beside, "telescope on the balcony", {}, mine);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(RankOf(in_beside, found[i].first), RankOf(in_alone, expected[i].first));
  }
}

TEST(ConversationSearch, ThePastIsSearchedWithTheNeighboursOfThen) {
  SearchableEngine engine;
  const auto ids = StoreSession(engine, "c", "1", kTelescope);
  ASSERT_TRUE(engine.Settle());
  const Micros then = (*engine)->Visible(kMainSpace).time;
  const auto before = ScoresOf(engine, "telescope", {.time = then});
  engine->clock().Advance(1'000'000);
  ASSERT_THAT(engine->Do(EditMemory{ids[1], WholeText{"Tell me, what about the tuba?"}}), IsOk());
  ASSERT_THAT(engine->Do(MoveState{.id = ids[3], .transition = Transition::kArchive}), IsOk());
  ASSERT_TRUE(engine.Settle());
  std::vector<Uuid> of_then;
  for (const auto& [id, score] : ScoresOf(engine, "telescope", {.time = then})) {
    of_then.push_back(id);
  }
  std::vector<Uuid> of_before;
  for (const auto& [id, score] : before) of_before.push_back(id);
  EXPECT_EQ(of_then, of_before);
  const auto now = engine.Search({.query = "telescope", .explain = true});
  ASSERT_THAT(now, IsOk());
  for (const SearchHit& hit : now->hits) EXPECT_EQ(hit.explanation->lexical_score, 0);
}

TEST(ConversationSearch, TheSameQueryGivesTheSameAnswerInMemoryAndOnDisk) {
  SearchableEngine engine;
  StoreSession(engine, "c", "1", kBees);
  StoreSession(engine, "c", "2", kTelescope);
  ASSERT_TRUE(engine.Settle());
  const auto before = ScoresOf(engine, "Where does Mara keep the bees and the telescope?");
  EXPECT_THAT(before, Not(IsEmpty()));
  engine.ReopenSearch();
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(ScoresOf(engine, "Where does Mara keep the bees and the telescope?"), before);
}

}  // namespace
}  // namespace perdure
