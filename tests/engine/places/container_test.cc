#include <gtest/gtest.h>

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

Result<WriteOutcome> Create(TestEngine& engine, std::string_view path) {
  return engine.Do(CreateContainer{.container = At(path)});
}

TEST(Container, IsMadeWithThoseAboveIt) {
  TestEngine engine;
  CreateContainer command{.container = At("acme/web")};
  command.kind = fb::ContainerKind::project;
  command.status = fb::ProjectStatus::draft;
  command.description = "The shop";
  command.conditions = "It sells";
  ASSERT_THAT(engine.Do(command), IsOk());
  EXPECT_EQ(PathsOf(engine), (Paths{"acme", "acme/web"}));
  const auto tree = ReadTree(*engine->Read(With(kReviewer)), std::nullopt);
  ASSERT_THAT(tree, IsOk());
  const ContainerInfo& web = tree->containers[1];
  EXPECT_EQ(web.kind, fb::ContainerKind::project);
  EXPECT_EQ(web.status, fb::ProjectStatus::draft);
  EXPECT_EQ(web.description, "The shop");
  EXPECT_EQ(web.conditions, "It sells");
  EXPECT_THAT(Create(engine, "acme/web"), FailsWith(Code::kConflict, HasSubstr("in use")));
  ExpectReplays(engine);
}

TEST(Container, KeepsItsMemoriesAndItsFormerNameWhenItIsRenamed) {
  TestEngine engine;
  engine.Store(NoteAt("acme/web", "one"));
  const Micros then = engine->Visible(kMainSpace).time;
  DescribeContainer rename{.container = At("acme")};
  rename.name = "apex";
  ASSERT_THAT(engine.Do(rename), IsOk());
  EXPECT_EQ(PathsOf(engine), (Paths{"apex", "apex/web"}));
  EXPECT_EQ(PathsOf(engine, {.time = then}), (Paths{"acme", "acme/web"}));
  EXPECT_EQ(CountAt(engine, "apex"), 1u);
  EXPECT_EQ(CountAt(engine, "acme"), 1u);
  EXPECT_THAT(Create(engine, "acme"), FailsWith(Code::kConflict, HasSubstr("was the name")));
  engine.Store(NoteAt("acme/web", "two"));
  EXPECT_EQ(PathsOf(engine), (Paths{"apex", "apex/web"}));
  EXPECT_EQ(CountAt(engine, "apex/web"), 2u);
  rename = {.container = At("apex")};
  rename.name = "acme";
  EXPECT_THAT(engine.Do(rename), IsOk());
  ExpectReplays(engine);
}

TEST(Container, TakesAllThatLiesInItAlongWhenItIsMoved) {
  TestEngine engine;
  engine.Store(NoteAt("old/web/shop", "one"));
  ASSERT_THAT(Create(engine, "new"), IsOk());
  const Micros then = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(MoveContainer{At("old/web"), At("new")}), IsOk());
  EXPECT_EQ(PathsOf(engine), (Paths{"old", "new", "new/web", "new/web/shop"}));
  EXPECT_EQ(PathsOf(engine, {.time = then}), (Paths{"old", "old/web", "old/web/shop", "new"}));
  EXPECT_EQ(CountAt(engine, "new"), 1u);
  EXPECT_EQ(CountAt(engine, "old"), 0u);
  EXPECT_EQ(CountAt(engine, "old", {.time = then}), 1u);
  EXPECT_EQ(CountAt(engine, "new", {.time = then}), 0u);
  EXPECT_THAT(engine.Do(MoveContainer{At("new"), At("new/web")}),
              FailsWith(Code::kInvalidArgument, HasSubstr("below itself")));
  ExpectReplays(engine);
}

TEST(Container, IsNotMovedSoThatAPathIsTooDeep) {
  TestEngine engine;
  std::string deep = "d";
  for (std::size_t i = 1; i + 1 < limits::kScopeDepthMax; ++i) deep += "/d";
  ASSERT_THAT(Create(engine, deep), IsOk());
  ASSERT_THAT(Create(engine, "fits"), IsOk());
  ASSERT_THAT(Create(engine, "big/child"), IsOk());
  EXPECT_THAT(engine.Do(MoveContainer{At("big"), At(deep)}),
              FailsWith(Code::kTooLarge, HasSubstr("deep")));
  EXPECT_THAT(engine.Do(MoveContainer{At("fits"), At(deep)}), IsOk());
}

TEST(Container, IsReachedByATokenUnderItsFormerNameAndNoOther) {
  TestEngine engine;
  engine.Store(NoteAt("acme/web", "one"));
  engine.Store(NoteAt("acme/api", "two"));
  const Principal web = With(kReviewer, At("acme/web"));
  EXPECT_EQ(CountAt(engine, "acme/web", {}, false, web), 1u);
  ASSERT_THAT(Create(engine, "elsewhere"), IsOk());
  ASSERT_THAT(engine.Do(MoveContainer{At("acme/web"), At("elsewhere")}), IsOk());
  EXPECT_EQ(CountAt(engine, "elsewhere/web", {}, false, web), 1u);
  EXPECT_EQ(CountAt(engine, "acme/web", {}, false, web), 1u);
  const Principal acme = With(kReviewer, At("acme"));
  const auto view = engine->Read(acme);
  EXPECT_THAT(view->ResolveScope(At("acme/web")),
              FailsWith(Code::kForbidden, HasSubstr("outside")));
  EXPECT_THAT(engine.Do(StoreMemories{{NoteAt("acme/web", "three")}}, {}, acme),
              FailsWith(Code::kForbidden, HasSubstr("outside")));
  EXPECT_EQ(PathsOf(engine, {}, acme), (Paths{"acme", "acme/api"}));
  EXPECT_EQ(PathsOf(engine, {}, web), (Paths{"elsewhere/web"}));
}

TEST(Container, IsNotMovedToWhereWhatLiesInItWasRejected) {
  TestEngine engine;
  engine.Store(NoteAt("yard", "the moon is cheese"));
  engine.Store(NoteAt("attic", "dust"));
  SuppressValue rejected{std::string("the moon is cheese"), At("attic")};
  ASSERT_THAT(engine.Do(rejected), IsOk());
  EXPECT_THAT(engine.Do(MoveContainer{At("yard"), At("attic")}), FailsWith(Code::kRefused, _));
  EXPECT_EQ(PathsOf(engine), (Paths{"attic", "yard"}));
}

TEST(Container, IsDescribedByWhoeverWritesAndRenamedByAReviewer) {
  TestEngine engine;
  ASSERT_THAT(Create(engine, "acme"), IsOk());
  DescribeContainer change{.container = At("acme")};
  change.status = fb::ProjectStatus::completed;
  EXPECT_THAT(engine.Do(change, {}, With(kAgent)), IsOk());
  change.name = "apex";
  EXPECT_THAT(engine.Do(change, {}, With(kAgent)), FailsWith(Code::kForbidden, _));
  change.name = "a/b";
  EXPECT_THAT(engine.Do(change), FailsWith(Code::kInvalidArgument, HasSubstr("one name")));
  const Principal of_ann = With(kReviewer, At(";user=ann"));
  EXPECT_THAT(engine.Do(MoveContainer{At("acme"), {}}, {}, of_ann),
              FailsWith(Code::kForbidden, HasSubstr("container alone")));
}

TEST(Container, IsFoundByWordsOfItsNameAndDescription) {
  TestEngine engine;
  CreateContainer command{.container = At("acme")};
  command.description = "Sells shoes in Oslo";
  ASSERT_THAT(engine.Do(command), IsOk());
  const auto tree = ReadTree(*engine->Read(With(kReviewer)), std::nullopt);
  EXPECT_TRUE(*Mentions(tree->containers[0], "ACME oslo"));
  EXPECT_FALSE(*Mentions(tree->containers[0], "acme bergen"));
}

TEST(ScopeExact, MeansTheContainerAlone) {
  TestEngine engine;
  engine.Store(NoteAt("acme", "one"));
  engine.Store(NoteAt("acme/web", "two"));
  EXPECT_EQ(CountAt(engine, "acme"), 2u);
  EXPECT_EQ(CountAt(engine, "acme", {}, true), 1u);
  const Micros then = engine->Visible(kMainSpace).time;
  engine.Store(NoteAt("acme", "three"));
  engine.Store(NoteAt("acme/web", "four"));
  const Rollback back{At("acme"), {}, then, true};
  const auto outcome = engine.Do(back);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->memories.size(), 1u);
  EXPECT_EQ(CountAt(engine, "acme/web"), 2u);
}

TEST(ScopeTree, CountsWhatTheCallerSees) {
  TestEngine engine;
  engine.Store(NoteAt("acme;user=ann", "one"));
  engine.Store(NoteAt("acme/web;user=bob;agent=coder;run=7", "two"));
  engine.Store(NoteAt("other;user=eve", "three"));
  const auto tree = ReadTree(*engine->Read(With(kReviewer, At("acme"))), std::nullopt);
  ASSERT_THAT(tree, IsOk());
  EXPECT_EQ(tree->memories, 2u);
  EXPECT_EQ(tree->containers[0].memories, 1u);
  EXPECT_EQ(tree->containers[0].total, 2u);
  ASSERT_EQ(tree->users.size(), 2u);
  EXPECT_EQ(tree->users[0].name, "ann");
  ASSERT_EQ(tree->agents.size(), 1u);
  ASSERT_EQ(tree->runs.size(), 1u);
}

}  // namespace
}  // namespace perdure
