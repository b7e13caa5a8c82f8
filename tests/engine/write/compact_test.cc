#include <gtest/gtest.h>

#include "engine/log/verify.h"
#include "engine/model/tables.h"
#include "engine/replay/replay.h"
#include "support/byte_scanner.h"
#include "support/random_commands.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::RandomCommands;
using testing::TestEngine;
using testing::With;

VerifyReport Verify(TestEngine& engine, SpaceId space = kMainSpace) {
  const auto report = VerifyLog(engine->store(), space, Engine::OriginOf("main"),
                                engine->KeysOf(space).signing.public_key);
  EXPECT_THAT(report, IsOk());
  return report ? *report : VerifyReport{};
}

void ExpectWhole(TestEngine& engine) {
  EXPECT_EQ(Verify(engine).problem, "");
  const auto replayed = Replay(*engine, engine.dir() / "replay");
  ASSERT_THAT(replayed, IsOk());
  EXPECT_EQ(replayed->difference, "");
}

bool HasPayload(TestEngine& engine, Seq seq) {
  return engine->store()
      .Get(Family::kPayload, tables::PayloadOf(kMainSpace, seq), kLatest)
      ->has_value();
}

TEST(CompactPayloads, DropsTextsThatOnlySupersededVersionsNeeded) {
  TestEngine engine;
  NoteDraft draft = Note("the first text of all", "first title");
  draft.tags = {"early"};
  const Uuid id = engine.Store(draft);
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"the second text of all"}}), IsOk());
  DescribeMemory described{.id = id};
  described.title = "third title";
  ASSERT_THAT(engine.Do(described), IsOk());
  const Micros horizon = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"the fourth text of all"}}), IsOk());

  const auto droppable = engine->PayloadsBefore(horizon);
  ASSERT_THAT(droppable, IsOk());
  EXPECT_EQ(droppable->payloads, 1u);
  const auto tried = engine->Compact(With(kOperator), {horizon, true}, {.dry_run = true});
  ASSERT_THAT(tried, IsOk());
  EXPECT_EQ(engine->PayloadsBefore(horizon)->payloads, 1u) << "a dry run drops nothing";
  ASSERT_THAT(engine->Compact(With(kOperator), {horizon, true}, {}), IsOk());
  EXPECT_EQ(engine->PayloadsBefore(horizon)->payloads, 0u);

  const auto view = engine->Read(With(kAgent));
  EXPECT_THAT(view->GetVersion(id, 1), FailsWith(Code::kCompacted, HasSubstr("version 1")));
  EXPECT_THAT(view->GetVersion(id, 2), FailsWith(Code::kCompacted, HasSubstr("version 2")));
  EXPECT_EQ(view->GetVersion(id, 3)->text, "the second text of all");
  EXPECT_EQ(view->GetVersion(id, 3)->title, "third title");
  EXPECT_EQ(engine.Get(id, {.time = horizon})->text, "the second text of all");
  EXPECT_EQ(engine.Get(id)->text, "the fourth text of all");
  const auto history = view->History(id);
  ASSERT_THAT(history, IsOk());
  EXPECT_TRUE(history->versions[0].compacted);
  EXPECT_FALSE(history->versions[0].erased);
  EXPECT_FALSE(history->versions[2].compacted);
  EXPECT_THAT(engine.Do(RevertMemory{id, 1, {}}),
              FailsWith(Code::kCompacted, HasSubstr("no longer kept")));
  EXPECT_THAT(engine.Do(RevertMemory{id, 3, {}}), IsOk());
  EXPECT_EQ(Verify(engine).payloads_gone, 1u);
  ExpectWhole(engine);
  engine.Close();
  EXPECT_EQ(testing::ByteScanner(engine.dir().path()).FilesWith("the first text of all"),
            std::vector<std::string>{});
  EXPECT_NE(testing::ByteScanner(engine.dir().path()).FilesWith("the second text of all"),
            std::vector<std::string>{});
}

TEST(CompactPayloads, KeepsWhatALaterVersionWentBackTo) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("one"));
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"two"}}), IsOk());
  const Micros horizon = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(RevertMemory{id, 1, {}}), IsOk());
  EXPECT_EQ(engine->PayloadsBefore(horizon)->payloads, 0u);
  ASSERT_THAT(engine->Compact(With(kOperator), {horizon, true}, {}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "one");
  ExpectWhole(engine);
}

TEST(CompactPayloads, ARollbackToADroppedVersionIsRefused) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("one"));
  std::vector<Micros> made;
  for (const char* text : {"two", "three", "four"}) {
    ASSERT_THAT(engine.Do(EditMemory{id, WholeText{text}}), IsOk());
    made.push_back(engine->Visible(kMainSpace).time);
  }
  ASSERT_THAT(engine->Compact(With(kOperator), {made[1], true}, {}), IsOk());
  EXPECT_THAT(engine.Do(Rollback{{}, {}, made[0]}),
              FailsWith(Code::kCompacted, HasSubstr("no longer kept")));
  EXPECT_EQ(engine.Get(id)->text, "four");
  EXPECT_THAT(engine.Do(Rollback{{}, {}, made[1]}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "three");
}

TEST(CompactPayloads, IsFinishedAtTheNextStartWhenItWasCutShort) {
  TestEngine engine;
  const auto space = engine->AddSpace(With(kOperator), "team-a", {});
  ASSERT_THAT(space, IsOk());
  Principal there = With(kAgent | kOperator);
  there.space = space->id;
  const Uuid here = engine.Store(Note("one"));
  const Uuid other = engine.Store(Note("uno"), there);
  for (const char* text : {"two", "three"}) {
    ASSERT_THAT(engine.Do(EditMemory{here, WholeText{text}}), IsOk());
    ASSERT_THAT(engine.Do(EditMemory{other, WholeText{text}}, {}, there), IsOk());
  }
  engine.clock().Advance(1'000'000);
  const Micros horizon = engine.clock().Now();
  engine.clock().Advance(1'000'000);
  engine.Store(Note("later"));
  // What Compact does first, and no more.
  ASSERT_THAT(engine.Do(CompactHistory{horizon, true}), IsOk());
  EXPECT_EQ(engine->PayloadsBefore(horizon)->payloads, 2u);
  engine.Reopen();
  ASSERT_THAT(engine->FinishCompaction(), IsOk());
  EXPECT_EQ(engine->PayloadsBefore(horizon)->payloads, 0u);
  EXPECT_EQ(ReadBigEndian(**engine->Latest().Get(Family::kMeta, tables::Trimmed())),
            static_cast<std::uint64_t>(horizon));
  const Seq end = engine->Visible(kMainSpace).seq;
  ASSERT_THAT(engine->FinishCompaction(), IsOk());
  EXPECT_EQ(engine->Visible(kMainSpace).seq, end) << "done once";
  EXPECT_EQ(engine.Get(other, {}, there)->text, "three");
  ExpectWhole(engine);
}

TEST(CompactPayloads, AMissingPayloadThatNoEntryExplainsIsDamage) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("one"));
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"two"}}), IsOk());
  const Seq second = engine->Visible(kMainSpace).seq;
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"three"}}), IsOk());
  ASSERT_THAT(engine->Compact(With(kOperator), {engine->Visible(kMainSpace).time, true}, {}),
              IsOk());
  EXPECT_EQ(Verify(engine).first_bad, 0u);
  EXPECT_FALSE(HasPayload(engine, second));
  const Mutation gone{Family::kPayload, tables::PayloadOf(kMainSpace, second + 1), {}, 0};
  ASSERT_THAT(engine->store().Write({&gone, 1}, true), IsOk());
  const VerifyReport report = Verify(engine);
  EXPECT_EQ(report.first_bad, second + 1);
  EXPECT_THAT(report.problem, HasSubstr("erased or compacted"));
}

TEST(CompactPayloads, RandomHistoriesReplayToTheSameBytesAndAnswers) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    TestEngine engine(seed);
    RandomCommands commands(seed, RandomCommands::About::kFactsToo);
    for (int i = 0; i < 120; ++i) commands.Step(engine);
    const Micros horizon = engine->Visible(kMainSpace).time;
    for (int i = 0; i < 60; ++i) commands.Step(engine);
    const auto texts = [&](const ReadAt& at) {
      std::vector<std::string> all;
      for (const Uuid& id : commands.ids()) {
        const auto memory = engine.Get(id, at, With(kOperator));
        all.push_back(memory ? memory->title + "\n" + memory->text : memory.error().message);
      }
      return all;
    };
    const auto then = texts({.time = horizon});
    const auto now = texts({});
    ASSERT_THAT(engine->Compact(With(kOperator), {horizon, true}, {}), IsOk());
    EXPECT_EQ(texts({.time = horizon}), then);
    EXPECT_EQ(texts({}), now);
    ExpectWhole(engine);
    for (int i = 0; i < 60; ++i) commands.Step(engine);
    ExpectWhole(engine);
  }
}

}  // namespace
}  // namespace perdure
