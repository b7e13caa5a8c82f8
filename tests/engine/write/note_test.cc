#include <gtest/gtest.h>

#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

TEST(Note, IsStoredAndComesBackByteForByte) {
  TestEngine engine;
  const std::string text("a\0b \xF0\x9F\x98\x80 \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D\r\n\xEF\xBB\xBF",
                         22);
  NoteDraft draft = Note(text, "Title");
  draft.tags = {"one", "two"};
  draft.metadata = R"({"a":1})";
  const Uuid id = engine.Store(draft);
  for (int round = 0; round < 2; ++round) {
    const auto memory = engine.Get(id);
    ASSERT_THAT(memory, IsOk());
    EXPECT_EQ(memory->text, text);
    EXPECT_EQ(memory->title, "Title");
    EXPECT_EQ(memory->tags, draft.tags);
    EXPECT_EQ(memory->metadata, draft.metadata);
    EXPECT_EQ(memory->record.version, 1u);
    EXPECT_EQ(memory->origin, "test/1");
    engine.Reopen();
  }
}

TEST(Note, StoredAgainIsTheSameMemory) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text", "title"));
  const auto again = engine.Do(StoreMemories{{Note("text", "title")}});
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->memories[0].id, id);
  EXPECT_FALSE(again->memories[0].created);
  EXPECT_NE(engine.Store(Note("text", "other title")), id);
  NoteDraft elsewhere = Note("text", "title");
  elsewhere.scope = ScopePath{{"acme"}, "", "", ""};
  EXPECT_NE(engine.Store(elsewhere), id);
}

TEST(Note, StoredAgainWithOtherArgumentsAppliesOrNamesThem) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  NoteDraft again = Note("text");
  again.tags = {"new"};
  again.source = "elsewhere";
  const auto outcome = engine.Do(StoreMemories{{again}});
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->memories[0].id, id);
  EXPECT_TRUE(outcome->memories[0].changed);
  EXPECT_THAT(outcome->memories[0].not_applied, ::testing::ElementsAre("source"));
  EXPECT_THAT(engine.Get(id)->tags, ::testing::ElementsAre("new"));
}

TEST(Note, EditReplacesExactlyOneMatchUnlessTold) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("one two one"));
  EXPECT_THAT(engine.Do(EditMemory{id, ReplaceText{"three", "x", false}}),
              FailsWith(Code::kConflict, HasSubstr("does not stand")));
  EXPECT_THAT(engine.Do(EditMemory{id, ReplaceText{"one", "x", false}}),
              FailsWith(Code::kConflict, HasSubstr("2 times")));
  ASSERT_THAT(engine.Do(EditMemory{id, ReplaceText{"two", "2", false}}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "one 2 one");
  ASSERT_THAT(engine.Do(EditMemory{id, ReplaceText{"one", "1", true}}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "1 2 1");
  ASSERT_THAT(engine.Do(EditMemory{id, AppendText{" 3"}}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "1 2 1 3");
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"new"}}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "new");
  EXPECT_EQ(engine.Get(id)->record.version, 5u);
}

TEST(Note, TwoEditsOfOneVersionGiveAConflictThatNamesTheCurrentOne) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("v1"));
  for (int version = 2; version <= 7; ++version) {
    ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"v" + std::to_string(version)}}), IsOk());
  }
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"first"}}, {.expected_version = 7}), IsOk());
  const auto second = engine.Do(EditMemory{id, WholeText{"second"}}, {.expected_version = 7});
  EXPECT_THAT(second, FailsWith(Code::kConflict, HasSubstr("version 8")));
  EXPECT_EQ(engine.Get(id)->text, "first");
}

TEST(Note, DescribeChangesOnlyWhatIsPassed) {
  TestEngine engine;
  NoteDraft draft = Note("text", "title");
  draft.tags = {"a"};
  draft.theme = "theme";
  draft.importance = 0.9f;
  const Uuid id = engine.Store(draft);
  DescribeMemory change{.id = id};
  change.title = "new title";
  ASSERT_THAT(engine.Do(change), IsOk());
  const auto memory = engine.Get(id);
  EXPECT_EQ(memory->title, "new title");
  EXPECT_EQ(memory->text, "text");
  EXPECT_EQ(memory->tags, draft.tags);
  EXPECT_EQ(memory->theme, "theme");
  EXPECT_FLOAT_EQ(memory->record.importance, 0.9f);
  DescribeMemory cleared{.id = id};
  cleared.clear = {"theme"};
  ASSERT_THAT(engine.Do(cleared), IsOk());
  EXPECT_EQ(engine.Get(id)->theme, "");
  EXPECT_EQ(engine.Get(id)->title, "new title");
}

TEST(Note, WhoseDescriptionANamelessClientEmptiesIsReadAndDescribedAgain) {
  TestEngine engine;
  Principal nameless = With(kAgent);
  nameless.client.clear();
  const Uuid id = engine.Store(Note("text", "title"), nameless);
  DescribeMemory empty{.id = id};
  empty.clear = {"title"};
  ASSERT_THAT(engine.Do(empty, {}, nameless), IsOk());
  const auto emptied = engine.Get(id);
  ASSERT_THAT(emptied, IsOk());
  EXPECT_EQ(emptied->text, "text");
  EXPECT_EQ(emptied->title, "");
  DescribeMemory named{.id = id};
  named.title = "another";
  ASSERT_THAT(engine.Do(named, {}, nameless), IsOk());
  EXPECT_EQ(engine.Get(id)->title, "another");
}

TEST(Note, PastTextsAreReadAsOfTheirTime) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("first"));
  const Micros before = engine.Get(id)->record.record_time;
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"second"}}), IsOk());
  EXPECT_EQ(engine.Get(id, {.time = before})->text, "first");
  EXPECT_EQ(engine.Get(id)->text, "second");
  EXPECT_THAT(engine.Get(id, {.time = before - 1}), FailsWith(Code::kNotFound, HasSubstr("")));
}

TEST(Note, RevertBringsBackAVersionAsANewOne) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("first", "title"));
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"second"}}), IsOk());
  const auto reverted = engine.Do(RevertMemory{id, 1, {}});
  ASSERT_THAT(reverted, IsOk());
  EXPECT_EQ(reverted->memories[0].version, 3u);
  EXPECT_EQ(engine.Get(id)->text, "first");
  EXPECT_THAT(engine.Do(RevertMemory{id, 9, {}}), FailsWith(Code::kNotFound, HasSubstr("")));
}

TEST(Note, RevertKnowsNoVersionZeroEvenWhereAnEntryMadeNone) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("first"));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kPin}), IsOk());
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"second"}}), IsOk());
  EXPECT_THAT(engine.Do(RevertMemory{id, 0, {}}), FailsWith(Code::kNotFound, HasSubstr("version")));
  EXPECT_EQ(engine.Get(id)->text, "second");
  EXPECT_THAT(engine.Do(RevertMemory{id, 1, {}}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "first");
}

TEST(Note, SameKeyGivesTheFirstAnswerAndOtherArgumentsARefusal) {
  TestEngine engine;
  const WriteOptions keyed{.idempotency_key = "k1", .request_digest = "digest"};
  const auto first = engine.Do(StoreMemories{{Note("text")}}, keyed);
  const auto again = engine.Do(StoreMemories{{Note("text")}}, keyed);
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->seq, first->seq);
  EXPECT_EQ(again->memories[0].id, first->memories[0].id);
  EXPECT_TRUE(again->memories[0].created);
  EXPECT_THAT(engine.Do(StoreMemories{{Note("text")}},
                        {.idempotency_key = "k1", .request_digest = "other"}),
              FailsWith(Code::kIdempotencyMismatch, HasSubstr("other arguments")));
  EXPECT_THAT(engine.Do(StoreMemories{{Note("text")}},
                        {.idempotency_key = "k1", .request_digest = "other"}, With(kReviewer)),
              IsOk())
      << "another principal's key is another key";
}

TEST(Note, ADryRunSaysWhatWouldHappenAndDoesNothing) {
  TestEngine engine;
  const LogHead before = engine->Visible(kMainSpace);
  const auto dry = engine.Do(StoreMemories{{Note("text")}}, {.dry_run = true});
  ASSERT_THAT(dry, IsOk());
  EXPECT_TRUE(dry->memories[0].created);
  EXPECT_EQ(dry->seq, 0u);
  EXPECT_EQ(engine->Visible(kMainSpace).seq, before.seq);
}

TEST(Note, ManyAreStoredAllOrNone) {
  TestEngine engine;
  const LogHead before = engine->Visible(kMainSpace);
  EXPECT_THAT(engine.Do(StoreMemories{{Note("good"), Note("bad \xff")}}),
              FailsWith(Code::kInvalidArgument, HasSubstr("offset 4")));
  const auto view = engine->Read(With(kAgent));
  EXPECT_EQ(view->List({}, 10, "")->total, 0u);
  EXPECT_EQ(engine->Visible(kMainSpace).seq, before.seq + 1) << "the refusal is an entry";
  ASSERT_THAT(engine.Do(StoreMemories{{Note("good"), Note("better"), Note("good")}}), IsOk());
  EXPECT_EQ(engine->Read(With(kAgent))->List({}, 10, "")->total, 2u);
}

}  // namespace
}  // namespace perdure
