#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/base/limits.h"
#include "engine/places/places.h"

namespace perdure {
namespace {

using ::testing::_;
using testing::At;
using testing::CountAt;
using testing::ExpectReplays;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::NoteAt;
using testing::PathsOf;
using testing::TestEngine;
using testing::With;

using Paths = std::set<std::string>;

// At most what one deletion may move, at night.
std::size_t Size() { return std::getenv("PERDURE_NIGHTLY") ? 10'000 : 300; }

// `count` memories in three projects of the workspace acme.
void Fill(TestEngine& engine, std::size_t count) {
  const char* projects[] = {"acme/web", "acme/api", "acme/api/docs"};
  std::vector<NoteDraft> drafts;
  for (std::size_t i = 0; i < count; ++i) {
    drafts.push_back(NoteAt(projects[i % 3], "memory " + std::to_string(i)));
    if (drafts.size() < limits::kStoreManyMax && i + 1 < count) continue;
    ASSERT_THAT(engine.Do(StoreMemories{std::move(drafts)}), IsOk());
    drafts.clear();
  }
}

TEST(DeleteContainer, OfAWorkspaceMovesAllItsMemoriesAtOnceAndThePastShowsTheOldTree) {
  TestEngine engine;
  const std::size_t count = Size();
  Fill(engine, count);
  ASSERT_THAT(engine.Do(CreateContainer{.container = At("archive")}), IsOk());
  const Micros then = engine->Visible(kMainSpace).time;
  const DeleteContainer command{At("acme"), At("archive")};
  const auto dry = engine.Do(command, {.dry_run = true});
  ASSERT_THAT(dry, IsOk());
  EXPECT_EQ(dry->memories.size(), count);
  EXPECT_EQ(CountAt(engine, "acme"), count);

  const auto outcome = engine.Do(command);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->memories.size(), count);
  EXPECT_EQ(outcome->containers, 4u);
  EXPECT_EQ(PathsOf(engine), (Paths{"archive"}));
  EXPECT_EQ(CountAt(engine, "archive"), count);
  EXPECT_EQ(CountAt(engine, "archive", {}, true), count);
  EXPECT_EQ(CountAt(engine, "acme"), 0u);
  EXPECT_EQ(PathsOf(engine, {.time = then}),
            (Paths{"acme", "acme/web", "acme/api", "acme/api/docs", "archive"}));
  EXPECT_EQ(CountAt(engine, "acme/web", {.time = then}), (count + 2) / 3);
  EXPECT_EQ(CountAt(engine, "archive", {.time = then}), 0u);
  for (const MemoryOutcome& memory : outcome->memories) {
    const auto now = engine.Get(memory.id);
    ASSERT_THAT(now, IsOk());
    ASSERT_EQ(FormatScope(now->scope), "archive");
    ASSERT_EQ(now->record.version, 2u);
  }
  ExpectReplays(engine);
}

TEST(DeleteContainer, WithoutMoveToIsRefusedWhileAMemoryIsInIt) {
  TestEngine engine;
  const Uuid id = engine.Store(NoteAt("acme/web", "one"));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kArchive, {}}), IsOk());
  EXPECT_THAT(engine.Do(DeleteContainer{At("acme"), {}}),
              FailsWith(Code::kConflict, HasSubstr("1 memories")));
  EXPECT_THAT(engine.Do(DeleteContainer{At("acme"), At("acme/web")}),
              FailsWith(Code::kInvalidArgument, HasSubstr("lies in the container")));
  EXPECT_THAT(engine.Do(DeleteContainer{At("acme"), At("nowhere")}), FailsWith(Code::kNotFound, _));
  EXPECT_THAT(engine.Do(DeleteContainer{At("acme"), ScopePath()}, {}, With(kAgent)),
              FailsWith(Code::kForbidden, _));
  ASSERT_THAT(engine->Erase(With(kOperator), {{id}}, {}), IsOk());
  EXPECT_THAT(engine.Do(DeleteContainer{At("acme"), {}}), IsOk());
  ExpectReplays(engine);
}

TEST(DeleteContainer, LeavesANameThatTakesNothingUntilItIsMadeAgain) {
  TestEngine engine;
  engine.Store(NoteAt("acme/web", "one"));
  ASSERT_THAT(engine.Do(DeleteContainer{At("acme/web"), At("acme")}), IsOk());
  EXPECT_THAT(engine.Do(StoreMemories{{NoteAt("acme/web", "two")}}),
              FailsWith(Code::kNotFound, HasSubstr("was deleted by entry")));
  EXPECT_EQ(CountAt(engine, "acme/web", {}, false, With(kReviewer, At("acme/web"))), 0u);
  CreateContainer again{.container = At("acme/web")};
  again.description = "anew";
  ASSERT_THAT(engine.Do(again), IsOk());
  EXPECT_THAT(engine.Do(StoreMemories{{NoteAt("acme/web", "two")}}), IsOk());
  EXPECT_EQ(CountAt(engine, "acme/web"), 1u);
  ExpectReplays(engine);
}

TEST(DeleteContainer, CarriesWhatWasRejectedInItToWhereItsMemoriesGo) {
  TestEngine engine;
  engine.Store(NoteAt("yard", "true"));
  ASSERT_THAT(engine.Do(CreateContainer{.container = At("attic")}), IsOk());
  ASSERT_THAT(engine.Do(SuppressValue{std::string("the moon is cheese"), At("yard"), {}}), IsOk());
  const auto store = [&](const char* where) {
    return engine.Do(StoreMemories{{NoteAt(where, "the moon is cheese")}}, {.dry_run = true});
  };
  EXPECT_THAT(store("attic"), IsOk());
  ASSERT_THAT(engine.Do(DeleteContainer{At("yard"), At("attic")}), IsOk());
  EXPECT_THAT(store("attic"), FailsWith(Code::kRefused, HasSubstr("rejected")));
  EXPECT_THAT(store("elsewhere"), IsOk());
}

TEST(DeleteContainer, IsRefusedWhereAMemoryMayNotGo) {
  TestEngine engine;
  engine.Store(NoteAt("yard", "the moon is cheese"));
  ASSERT_THAT(engine.Do(CreateContainer{.container = At("attic")}), IsOk());
  ASSERT_THAT(engine.Do(SuppressValue{std::string("the moon is cheese"), At("attic"), {}}), IsOk());
  EXPECT_THAT(engine.Do(DeleteContainer{At("yard"), At("attic")}),
              FailsWith(Code::kRefused, HasSubstr("cannot be moved there")));
  EXPECT_EQ(CountAt(engine, "yard"), 1u);
}

TEST(DeleteContainer, SettlesFactsThatComeToClaimOnePlace) {
  TestEngine engine;
  const auto claim = [&](const char* scope, const char* object) {
    FactDraft draft{.value = {"Alice", "drinks", object}};
    draft.scope = At(scope);
    draft.evidence = Evidence{.quote = {}, .source = std::string("s") + object};
    EXPECT_THAT(engine.Do(AssertFacts{{draft}, false}), IsOk());
  };
  claim("yard", "tea");
  claim("attic", "milk");
  ASSERT_THAT(engine.Do(DeleteContainer{At("yard"), At("attic")}), IsOk());
  EXPECT_EQ(CountAt(engine, "attic"), 1u);
  ExpectReplays(engine);
}

TEST(DeleteContainer, IsNotUndoneByARollbackIntoAPlaceThatIsGone) {
  TestEngine engine;
  const Uuid id = engine.Store(NoteAt("yard", "one"));
  ASSERT_THAT(engine.Do(CreateContainer{.container = At("attic")}), IsOk());
  const Micros then = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"two"}}), IsOk());
  ASSERT_THAT(engine.Do(DeleteContainer{At("yard"), At("attic")}), IsOk());
  Rollback back;
  back.to = then;
  ASSERT_THAT(engine.Do(back), IsOk());
  const auto memory = engine.Get(id);
  ASSERT_THAT(memory, IsOk());
  EXPECT_EQ(memory->text, "one");
  EXPECT_EQ(FormatScope(memory->scope), "attic");
}

}  // namespace
}  // namespace perdure
