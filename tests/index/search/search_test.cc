#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "engine/base/limits.h"
#include "index/search/searchable_engine.h"

namespace perdure {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::Note;
using testing::SearchableEngine;
using ::testing::UnorderedElementsAre;
using testing::With;

ScopePath Container(std::vector<std::string> names) {
  ScopePath scope;
  scope.containers = std::move(names);
  return scope;
}

TEST(Search, FindsAMemoryAsSoonAsItsWriteReturned) {
  SearchableEngine engine;
  for (int i = 0; i < 200; ++i) {
    const std::string word = "needle" + std::to_string(i);
    const Uuid id = engine->Store(Note("hay and a " + word + " in it"));
    ASSERT_THAT(engine.Find(word), Contains(id));
  }
}

TEST(Search, FindsAMemoryAtOnceWhileOthersWrite) {
  SearchableEngine engine;
  std::atomic<bool> stop{false};
  std::thread others([&] {
    for (int i = 0; !stop; ++i) engine->Store(Note("hay number " + std::to_string(i)));
  });
  for (int i = 0; i < 100; ++i) {
    const std::string word = "needle" + std::to_string(i);
    const Uuid id = engine->Store(Note("a " + word));
    EXPECT_THAT(engine.FindBy({.query = word, .limit = 1}), ElementsAre(id));
  }
  stop = true;
  others.join();
}

TEST(Search, AnswersWhatTheMemoryIs) {
  SearchableEngine engine;
  NoteDraft draft = Note("The grinder needs a new burr.", "Coffee");
  draft.tags = {"kitchen"};
  draft.type = "todo";
  draft.theme = "home";
  draft.scope = Container({"house"});
  draft.importance = .75F;
  const Uuid id = engine->Store(draft);
  const auto answer = engine.Search({.query = "grinder burr", .explain = true});
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->hits.size(), 1u);
  const SearchHit& hit = answer->hits[0];
  EXPECT_EQ(hit.id, id);
  EXPECT_EQ(hit.memory.title, "Coffee");
  EXPECT_EQ(hit.preview, "The grinder needs a new burr.");
  EXPECT_GT(hit.score, 0);
  EXPECT_LE(hit.score, 1);
  EXPECT_EQ(hit.memory.record.version, 1u);
  EXPECT_EQ(hit.memory.record.state, fb::MemoryState::live);
  EXPECT_THAT(hit.memory.tags, ElementsAre("kitchen"));
  EXPECT_EQ(hit.memory.type, "todo");
  EXPECT_EQ(hit.memory.theme, "home");
  EXPECT_EQ(FormatScope(hit.memory.scope), "house");
  EXPECT_FLOAT_EQ(hit.memory.record.importance, .75F);
  EXPECT_EQ(hit.memory.record.record_time, hit.memory.record.created_time);
  ASSERT_TRUE(hit.explanation);
  EXPECT_EQ(hit.explanation->lexical_rank, 1u);
  EXPECT_GT(hit.explanation->lexical_score, 0);
  EXPECT_FALSE(answer->nothing_relevant);
  ASSERT_EQ(answer->arms.size(), 2u);
  EXPECT_EQ(answer->arms[0].name, "lexical");
  EXPECT_EQ(answer->arms[0].status, ArmStatus::kOk);
  EXPECT_EQ(answer->arms[0].indexed_seq, (*engine)->Visible(kMainSpace).seq);
  EXPECT_EQ(answer->as_of, (*engine)->Visible(kMainSpace).time);
}

TEST(Search, MeaningAloneFindsWhatSharesNoTerm) {
  SearchableEngine engine;
  // The text index drops the stop words that the fake model counts as meaning.
  const Uuid id = engine->Store(Note("who is it that we were with"));
  engine->Store(Note("unrelated words entirely"));
  ASSERT_TRUE(engine.Settle());
  const auto answer = engine.Search({.query = "that we were missing", .explain = true});
  ASSERT_THAT(answer, IsOk());
  ASSERT_FALSE(answer->hits.empty());
  EXPECT_EQ(answer->hits[0].id, id);
  EXPECT_EQ(answer->hits[0].explanation->lexical_rank, 0u);
  EXPECT_EQ(answer->hits[0].explanation->semantic_rank, 1u);
}

TEST(Search, OfThePastFindsWhatWasWrittenThen) {
  SearchableEngine engine;
  const Uuid id = engine->Store(Note("the meeting is on tuesday"));
  const Micros before = (*engine)->Visible(kMainSpace).time;
  engine->clock().Advance(1'000'000);
  ASSERT_THAT(engine->Do(EditMemory{id, ReplaceText{"tuesday", "friday"}}), IsOk());

  const SearchRequest then{.query = "tuesday", .at = {.time = before}};
  const auto answer = engine.Search(then);
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->hits.size(), 1u);
  EXPECT_EQ(answer->hits[0].memory.record.version, 1u);
  EXPECT_EQ(answer->hits[0].preview, "the meeting is on tuesday");
  EXPECT_EQ(answer->as_of, before);
  const auto now = engine.Search({.query = "friday"});
  ASSERT_EQ(now->hits.size(), 1u);
  EXPECT_EQ(now->hits[0].memory.record.version, 2u);
  const auto early = engine.Search({.query = "meeting", .at = {.time = before - 1}});
  ASSERT_THAT(early, IsOk());
  EXPECT_THAT(early->hits, IsEmpty());
  EXPECT_TRUE(early->nothing_relevant);
  // Old versions are no longer found now.
  const auto found = engine.Search({.query = "tuesday", .explain = true});
  for (const SearchHit& hit : found->hits) {
    EXPECT_EQ(hit.explanation->lexical_rank, 0u);
  }
}

TEST(Search, ATokenSeesItsScopeOnlyAndAScopeFilterMatchesThen) {
  SearchableEngine engine;
  NoteDraft mine = Note("shared word alpha");
  mine.scope = Container({"acme", "web"});
  NoteDraft other = Note("shared word beta");
  other.scope = Container({"zeta"});
  const Uuid in_acme = engine->Store(mine);
  const Uuid in_zeta = engine->Store(other);

  EXPECT_THAT(engine.Find("shared"), UnorderedElementsAre(in_acme, in_zeta));
  EXPECT_THAT(engine.Find("shared", With(kAgent, Container({"acme"}))), ElementsAre(in_acme));
  EXPECT_THAT(engine.Find("shared", With(kAgent, Container({"zeta"}))), ElementsAre(in_zeta));
  SearchRequest narrowed{.query = "shared"};
  narrowed.filter.scope = Container({"acme"});
  EXPECT_THAT(engine.FindBy(narrowed), ElementsAre(in_acme));
  EXPECT_THAT(engine.Search(narrowed, With(kAgent, Container({"zeta"}))),
              FailsWith(Code::kForbidden, HasSubstr("outside")));
  narrowed.filter.scope = Container({"nowhere"});
  EXPECT_THAT(engine.FindBy(narrowed), IsEmpty());

  // Moved: the token follows the memory, a filter in the past does not.
  const Micros before = (*engine)->Visible(kMainSpace).time;
  DescribeMemory move{.id = in_acme};
  move.scope = Container({"zeta"});
  ASSERT_THAT(engine->Do(move), IsOk());
  SearchRequest past{.query = "shared", .at = {.time = before}};
  past.filter.scope = Container({"acme"});
  EXPECT_THAT(engine.FindBy(past), ElementsAre(in_acme));
  EXPECT_THAT(engine.FindBy(past, With(kAgent, Container({"acme"}))), IsEmpty());
  EXPECT_THAT(engine.Find("shared", With(kAgent, Container({"zeta"}))),
              UnorderedElementsAre(in_acme, in_zeta));
}

TEST(Search, ShowsNeitherForgottenNorArchivedNorExpiredNorInvalidMemories) {
  SearchableEngine engine;
  const Uuid shown = engine->Store(Note("walrus one"));
  const Uuid archived = engine->Store(Note("walrus two"));
  const Uuid forgotten = engine->Store(Note("walrus three"));
  NoteDraft expiring = Note("walrus four");
  expiring.expires_at = engine->clock().Now() + 60'000'000;
  const Uuid expires = engine->Store(expiring);
  NoteDraft later = Note("walrus five");
  later.valid_from = engine->clock().Now() + 60'000'000;
  const Uuid valid_later = engine->Store(later);
  EXPECT_THAT(engine.Find("walrus"), UnorderedElementsAre(shown, archived, forgotten, expires));

  const Micros before = (*engine)->Visible(kMainSpace).time;
  ASSERT_THAT(engine->Do(MoveState{archived, Transition::kArchive}), IsOk());
  ASSERT_THAT(engine->Do(MoveState{forgotten, Transition::kForget}), IsOk());
  EXPECT_THAT(engine.Find("walrus"), UnorderedElementsAre(shown, expires));
  const SearchRequest soon{.query = "walrus",
                           .at = {.valid_at = engine->clock().Now() + 120'000'000}};
  EXPECT_THAT(engine.FindBy(soon), UnorderedElementsAre(shown, valid_later));

  SearchRequest asked{.query = "walrus"};
  asked.filter.states = {fb::MemoryState::archived, fb::MemoryState::forgotten};
  EXPECT_THAT(engine.FindBy(asked), ElementsAre(archived));
  EXPECT_THAT(engine.FindBy(asked, With(kReviewer)), UnorderedElementsAre(archived, forgotten));
  const SearchRequest past{.query = "walrus", .at = {.time = before}};
  EXPECT_THAT(engine.FindBy(past), Not(Contains(forgotten)));
  EXPECT_THAT(engine.FindBy(past, With(kAuditor)), Contains(forgotten));
}

TEST(Search, FiltersByTagTypeThemeKindAndPin) {
  SearchableEngine engine;
  NoteDraft draft = Note("otter report");
  draft.tags = {"Zoo", "water"};
  draft.type = "report";
  draft.theme = "animals";
  const Uuid tagged = engine->Store(draft);
  const Uuid plain = engine->Store(Note("otter gossip"));
  const auto find = [&](ListFilter filter) {
    return engine.FindBy({.query = "otter", .filter = std::move(filter)});
  };
  EXPECT_THAT(find({}), UnorderedElementsAre(tagged, plain));
  EXPECT_THAT(find({.tags = {"zoo", "water"}}), ElementsAre(tagged));
  EXPECT_THAT(find({.tags = {"zoo", "fire"}}), IsEmpty());
  EXPECT_THAT(find({.type = "report"}), ElementsAre(tagged));
  EXPECT_THAT(find({.theme = "animals"}), ElementsAre(tagged));
  EXPECT_THAT(find({.theme = "plants"}), IsEmpty());
  EXPECT_THAT(find({.kind = fb::MemoryKind::episode}), IsEmpty());
  EXPECT_THAT(find({.pinned = true}), IsEmpty());
  ASSERT_THAT(engine->Do(MoveState{plain, Transition::kPin}), IsOk());
  EXPECT_THAT(find({.pinned = true}), ElementsAre(plain));
  EXPECT_THAT(find({.created_until = 0}), IsEmpty());
}

TEST(Search, APinLiftsAMemoryOverItsRivals) {
  SearchableEngine engine;
  const Uuid rival = engine->Store(Note("the quokka smiles today"));
  const Uuid pinned = engine->Store(Note("the quokka smiles often now"));
  ASSERT_TRUE(engine.Settle());
  EXPECT_THAT(engine.Find("quokka smiles"), ElementsAre(rival, pinned));
  ASSERT_THAT(engine->Do(MoveState{pinned, Transition::kPin}), IsOk());
  EXPECT_THAT(engine.Find("quokka smiles"), ElementsAre(pinned, rival));
}

TEST(Search, WhatTheUserSaidComesBeforeWhatAnAssistantSaid) {
  SearchableEngine engine;
  NoteDraft said = Note("i prefer the green kettle");
  said.kind = fb::MemoryKind::episode;
  said.speaker = "User";
  const Uuid by_user = engine->Store(said);
  said.speaker = "assistant";
  said.text = "you prefer the green kettle";
  const Uuid by_assistant = engine->Store(said);
  EXPECT_THAT(engine.Find("green kettle"), ElementsAre(by_user, by_assistant));
}

TEST(Search, CollapsesTheChunksOfALongTextAndPreviewsTheBestOne) {
  SearchableEngine engine;
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "# Part " + std::to_string(i) + "\n\n";
    if (i == 17) text += "The xylophone stands here. ";
    for (int j = 0; j < 60; ++j) text += "filler words about llamas ";
    text += "\n\n";
  }
  const Uuid id = engine->Store(Note(text, "Long"));
  ASSERT_TRUE(engine.Settle());
  EXPECT_GT(engine.SpaceStatus().chunks, 20u);
  EXPECT_THAT(engine.Find("llamas"), ElementsAre(id));
  engine->Store(Note("other"));
  const auto answer = engine.Search({.query = "xylophone"});
  ASSERT_THAT(answer, IsOk());
  ASSERT_FALSE(answer->hits.empty());
  EXPECT_EQ(answer->hits[0].id, id);
  EXPECT_LE(answer->hits[0].preview.size(), 300u);
  EXPECT_THAT(answer->hits[0].preview, HasSubstr("xylophone"));
}

TEST(Search, LeavesOutWhatIsLessRelevantThanAsked) {
  SearchableEngine engine;
  const Uuid exact = engine->Store(Note("purple elephant"));
  engine->Store(Note("one purple thing among very many other things that nobody asked about"));
  ASSERT_TRUE(engine.Settle());
  const auto all = engine.Search({.query = "purple elephant"});
  ASSERT_EQ(all->hits.size(), 2u);
  const float between = (all->hits[0].relevance + all->hits[1].relevance) / 2;
  EXPECT_GE(all->relevance, all->hits[0].relevance);
  EXPECT_THAT(engine.FindBy({.query = "purple elephant", .min_relevance = between}),
              ElementsAre(exact));
  EXPECT_TRUE(engine.Search({.query = "purple elephant", .min_relevance = 1})->nothing_relevant);
}

TEST(Search, ShowsTheNearestMissWhenAskedAndNothingIsLeft) {
  SearchableEngine engine;
  const Uuid purple = engine->Store(Note("one purple thing"));
  engine->Store(Note("the bread is in the oven"));
  ASSERT_TRUE(engine.Settle());
  SearchRequest request{.query = "purple elephants sing", .min_relevance = 1};
  EXPECT_FALSE(engine.Search(request)->nearest_miss);
  request.nearest_miss = true;
  const auto missed = engine.Search(request);
  ASSERT_THAT(missed, IsOk());
  EXPECT_TRUE(missed->nothing_relevant);
  EXPECT_TRUE(missed->hits.empty());
  ASSERT_TRUE(missed->nearest_miss);
  EXPECT_EQ(missed->nearest_miss->id, purple);
  EXPECT_EQ(missed->nearest_miss->relevance, missed->relevance);
  request.min_relevance = 0;
  const auto found = engine.Search(request);
  EXPECT_FALSE(found->hits.empty());
  EXPECT_FALSE(found->nearest_miss);
}

TEST(Search, StrictlyWantsHalfOfTheWordsAndNothingElse) {
  SearchableEngine engine;
  const Uuid both = engine->Store(Note("the wolf met a fox"));
  const Uuid half = engine->Store(Note("a fox slept"));
  engine->Store(Note("a bear slept"));
  ASSERT_TRUE(engine.Settle());
  const int embedded = engine.model().embedded;
  EXPECT_THAT(engine.FindBy({.query = "fox wolf", .mode = SearchMode::kStrict}),
              ElementsAre(both, half));
  EXPECT_THAT(engine.FindBy({.query = "fox wolf hare", .mode = SearchMode::kStrict}),
              ElementsAre(both));
  EXPECT_THAT(engine.FindBy({.query = "lynx hare", .mode = SearchMode::kStrict}), IsEmpty());
  EXPECT_EQ(engine.model().embedded, embedded);
  EXPECT_EQ(engine.Find("fox wolf hare").size(), 3u);
}

TEST(Search, PrefersTheNewestWhenAsked) {
  SearchableEngine engine;
  const Uuid old = engine->Store(Note("the office is in Lisbon, second floor"));
  engine->clock().Advance(400LL * 24 * 3600 * 1'000'000);
  const Uuid fresh = engine->Store(Note("the office is in Porto, on the second floor, left"));
  ASSERT_TRUE(engine.Settle());
  SearchRequest request{.query = "the office, second floor"};
  request.query = "office in Lisbon or Porto, second floor";
  EXPECT_THAT(engine.FindBy(request), UnorderedElementsAre(old, fresh));
  request.prefer_recent = true;
  EXPECT_THAT(engine.FindBy(request), ElementsAre(fresh, old));
}

TEST(Search, OfDiverseHitsTheSameIsSaidOnce) {
  SearchableEngine engine;
  const Uuid first = engine->Store(Note("the deploy runs on friday at noon"));
  const Uuid again = engine->Store(Note("the deploy runs on friday at noon, always"));
  const Uuid other = engine->Store(Note("deploy needs two reviewers and a green build first"));
  ASSERT_TRUE(engine.Settle());
  SearchRequest request{.query = "the deploy runs on friday at noon"};
  EXPECT_THAT(engine.FindBy(request), ElementsAre(first, again, other));
  request.diverse = true;
  EXPECT_THAT(engine.FindBy(request), ElementsAre(first, other, again));
  request.limit = 2;
  EXPECT_THAT(engine.FindBy(request), ElementsAre(first, other));
}

TEST(Search, ExplainsAScoreByItsTerms) {
  SearchableEngine engine;
  NoteDraft draft = Note("apples are red");
  const Uuid id = engine->Store(draft);
  engine->Do(MoveState{.id = id, .transition = Transition::kPin});
  ASSERT_TRUE(engine.Settle());
  const auto answer = engine.Search({.query = "red apples", .explain = true});
  ASSERT_THAT(answer, IsOk());
  float sum = 0;
  std::vector<std::string> names;
  for (const ScorePart& part : answer->hits.at(0).explanation->parts) {
    sum += part.value;
    names.emplace_back(part.name);
  }
  EXPECT_THAT(names, ElementsAre("words", "cosine", "pin"));
  EXPECT_NEAR(answer->hits[0].score, sum / 1.75, 1e-6);
}

TEST(Search, SaysWhatIsWrongWithARequest) {
  SearchableEngine engine;
  EXPECT_THAT(engine.Search({.query = ""}), FailsWith(Code::kInvalidArgument, HasSubstr("query")));
  const std::string most(limits::kQueryBytesMax, 'a');
  EXPECT_THAT(engine.Search({.query = most}), IsOk());
  EXPECT_THAT(engine.Search({.query = most + "a"}),
              FailsWith(Code::kInvalidArgument, HasSubstr("query")));
  EXPECT_THAT(engine.Search({.query = "a", .limit = 0}),
              FailsWith(Code::kInvalidArgument, HasSubstr("limit")));
  EXPECT_THAT(engine.Search({.query = "a", .limit = limits::kSearchLimitMax}), IsOk());
  EXPECT_THAT(engine.Search({.query = "a", .limit = limits::kSearchLimitMax + 1}),
              FailsWith(Code::kInvalidArgument, HasSubstr("limit")));
  EXPECT_THAT(engine.Search({.query = "a", .min_relevance = 1.5F}),
              FailsWith(Code::kInvalidArgument, HasSubstr("min_relevance")));
  engine.search().Stop();
  EXPECT_THAT(engine.Search({.query = "a"}), FailsWith(Code::kUnavailable, HasSubstr("stopped")));
}

TEST(Search, OfScriptsThatTheModelDoesNotKnowComparesWords) {
  SearchableEngine engine;
  const Uuid id = engine->Store(Note("会議は金曜日に東京で開かれます"));
  engine->Store(Note("недалеко от реки стоит дом"));
  ASSERT_TRUE(engine.Settle());
  const auto answer = engine.Search({.query = "東京 会議"});
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->hits.size(), 1u);
  EXPECT_EQ(answer->hits[0].id, id);
  EXPECT_THAT(answer->arms[1].note, HasSubstr("language"));
}

}  // namespace
}  // namespace perdure
