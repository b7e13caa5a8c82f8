#include <gtest/gtest.h>

#include <set>

#include "engine/base/limits.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

std::uint64_t Total(TestEngine& engine, const ListFilter& filter = {},
                    const Principal& principal = With(kAgent), const ReadAt& at = {}) {
  const auto view = engine->Read(principal, at);
  if (!view) return ~0ull;
  const auto page = view->List(filter, 10, "");
  EXPECT_THAT(page, IsOk());
  return page ? page->total : ~0ull;
}

TEST(State, ArchivedLeavesDefaultReadsAndComesBack) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kArchive}), IsOk());
  EXPECT_EQ(Total(engine), 0u);
  EXPECT_EQ(Total(engine, {.states = {fb::MemoryState::archived}}), 1u);
  EXPECT_EQ(engine.Get(id)->record.state, fb::MemoryState::archived);
  EXPECT_THAT(engine.Do(EditMemory{id, WholeText{"x"}}),
              FailsWith(Code::kConflict, HasSubstr("archived")));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kRestore}), IsOk());
  EXPECT_EQ(Total(engine), 1u);
}

TEST(State, ForgottenIsHiddenFromAgentsAtEveryTimeAndUndoneByAReviewer) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  const Micros before = engine.Get(id)->record.record_time;
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kForget}, {}, With(kAgent)), IsOk());
  EXPECT_THAT(engine.Get(id), FailsWith(Code::kNotFound, HasSubstr("")));
  EXPECT_THAT(engine.Get(id, {.time = before}), FailsWith(Code::kNotFound, HasSubstr("")));
  EXPECT_EQ(Total(engine, {}, With(kAgent), {.time = before}), 0u);
  EXPECT_THAT(engine.Get(id, {.time = before}, With(kAuditor)), IsOk());
  EXPECT_THAT(engine.Do(MoveState{id, Transition::kRestore}, {}, With(kAgent)),
              FailsWith(Code::kNotFound, HasSubstr("")));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kRestore}, {}, With(kReviewer)), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "text");
}

TEST(State, ExpiredLeavesDefaultReadsWithoutAnEvent) {
  TestEngine engine;
  NoteDraft draft = Note("text");
  draft.expires_at = engine.clock().Now() + 1'000'000;
  engine.Store(draft);
  EXPECT_EQ(Total(engine), 1u);
  const Seq seq = engine->Visible(kMainSpace).seq;
  engine.clock().Advance(2'000'000);
  EXPECT_EQ(Total(engine), 0u);
  EXPECT_EQ(engine->Visible(kMainSpace).seq, seq);
  EXPECT_EQ(Total(engine, {.states = {fb::MemoryState::live}}), 1u) << "asked for by name";
}

TEST(State, PinsNeedAReviewer) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  EXPECT_THAT(engine.Do(MoveState{id, Transition::kPin}, {}, With(kAgent)),
              FailsWith(Code::kForbidden, HasSubstr("reviewer")));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kPin}, {}, With(kReviewer)), IsOk());
  EXPECT_TRUE(engine.Get(id)->record.pinned);
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kUnpin}, {}, With(kReviewer)), IsOk());
  EXPECT_FALSE(engine.Get(id)->record.pinned);
}

TEST(State, EveryRefusalIsAnEntryWithGateAndRule) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  const auto refused = engine.Do(MoveState{id, Transition::kPin}, {}, With(kAgent));
  ASSERT_FALSE(refused);
  const auto view = engine->Read(With(kAuditor));
  const auto log = view->QueryLog({.event = fb::Event::WriteRefused});
  ASSERT_THAT(log, IsOk());
  ASSERT_EQ(log->entries.size(), 1u);
  EXPECT_EQ(log->entries[0].gate, "authority");
  EXPECT_EQ(log->entries[0].rule, "role");
  EXPECT_EQ(log->entries[0].memory, id);
  EXPECT_EQ(log->entries[0].message, refused.error().message);
}

TEST(State, RefusalsPastARateAreCountedInOneEntry) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  const auto refuse = [&] {
    EXPECT_FALSE(engine.Do(MoveState{id, Transition::kPin}, {}, With(kAgent)));
  };
  for (std::uint32_t i = 0; i < limits::kRefusalsPerSecondMax + 5; ++i) refuse();
  engine.clock().Advance(2'000'000);
  refuse();
  const auto log =
      engine->Read(With(kAuditor))->QueryLog({.event = fb::Event::WriteRefused, .limit = 1000});
  ASSERT_EQ(log->entries.size(), limits::kRefusalsPerSecondMax + 1);
  EXPECT_EQ(log->entries[0].count, 6u);
}

TEST(Scope, NeitherReadsNorWritesReachOutsideTheToken) {
  TestEngine engine;
  const ScopePath a{{"a"}, "", "", ""};
  const ScopePath b{{"b"}, "", "", ""};
  NoteDraft in_a = Note("text");
  in_a.scope = a;
  NoteDraft in_b = Note("text");
  in_b.scope = b;
  const Uuid id_a = engine.Store(in_a, With(kAgent, a));
  const Uuid id_b = engine.Store(in_b, With(kAgent, b));
  EXPECT_NE(id_a, id_b);
  EXPECT_THAT(engine.Get(id_b, {}, With(kAgent, a)), FailsWith(Code::kNotFound, HasSubstr("")));
  EXPECT_THAT(engine.Get(id_a, {}, With(kAgent, a)), IsOk());
  EXPECT_EQ(Total(engine, {}, With(kAgent, a)), 1u);
  EXPECT_EQ(Total(engine, {}, With(kAgent)), 2u);
  EXPECT_THAT(engine.Do(StoreMemories{{in_b}}, {}, With(kAgent, a)),
              FailsWith(Code::kForbidden, HasSubstr("outside")));
  EXPECT_THAT(engine.Do(EditMemory{id_b, WholeText{"x"}}, {}, With(kAgent, a)),
              FailsWith(Code::kNotFound, HasSubstr("")));
  EXPECT_THAT(engine->Read(With(kAgent, a))->List({.scope = b}, 10, ""),
              FailsWith(Code::kForbidden, HasSubstr("outside")));
  NoteDraft without = Note("another");
  const Uuid own = engine.Store(without, With(kAgent, a));
  EXPECT_EQ(engine.Get(own)->scope, a) << "an absent scope is the token's";
}

TEST(Scope, ASubtreeAndItsKeysNarrowTogether) {
  TestEngine engine;
  NoteDraft draft = Note("text");
  draft.scope = ScopePath{{"acme", "web"}, "alice", "coder", ""};
  const Uuid id = engine.Store(draft);
  EXPECT_EQ(engine.Get(id)->scope, *draft.scope);
  const auto total = [&](ScopePath scope) { return Total(engine, {.scope = std::move(scope)}); };
  EXPECT_EQ(total({{"acme"}, "", "", ""}), 1u);
  EXPECT_EQ(total({{"acme"}, "alice", "coder", ""}), 1u);
  EXPECT_EQ(total({{"acme"}, "alice", "other", ""}), 0u);
  EXPECT_EQ(total({{}, "alice", "", ""}), 1u);
  EXPECT_EQ(total({{"acme", "web", "deep"}, "", "", ""}), 0u);
}

TEST(Scope, OneTextInTwoScopesIsTwoMemories) {
  TestEngine engine;
  NoteDraft a = Note("shared");
  a.scope = ScopePath{{"a"}, "", "", ""};
  NoteDraft b = Note("shared");
  b.scope = ScopePath{{"b"}, "", "", ""};
  const Uuid id_a = engine.Store(a);
  const Uuid id_b = engine.Store(b);
  ASSERT_THAT(engine.Do(MoveState{id_a, Transition::kForget}), IsOk());
  EXPECT_EQ(engine.Get(id_b)->text, "shared");
}

TEST(Rollback, BringsAScopeBackAndIsItselfUndone) {
  TestEngine engine;
  const Uuid edited = engine.Store(Note("one"));
  const Uuid archived = engine.Store(Note("two"));
  const Micros then = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(EditMemory{edited, WholeText{"changed"}}), IsOk());
  ASSERT_THAT(engine.Do(MoveState{archived, Transition::kArchive}), IsOk());
  const Uuid created = engine.Store(Note("three"));
  const Micros before_rollback = engine->Visible(kMainSpace).time;

  const auto rolled = engine.Do(Rollback{{}, {}, then}, {.reason = "bad session"}, With(kReviewer));
  ASSERT_THAT(rolled, IsOk());
  EXPECT_EQ(rolled->memories.size(), 3u);
  EXPECT_EQ(engine.Get(edited)->text, "one");
  EXPECT_EQ(engine.Get(archived)->record.state, fb::MemoryState::live);
  EXPECT_EQ(engine.Get(created)->record.state, fb::MemoryState::archived);

  ASSERT_THAT(engine.Do(Rollback{{}, {}, before_rollback}, {}, With(kReviewer)), IsOk());
  EXPECT_EQ(engine.Get(edited)->text, "changed");
  EXPECT_EQ(engine.Get(archived)->record.state, fb::MemoryState::archived);
  EXPECT_EQ(engine.Get(created)->record.state, fb::MemoryState::live);
  EXPECT_THAT(engine.Do(Rollback{{}, {}, then}, {}, With(kAgent)),
              FailsWith(Code::kForbidden, HasSubstr("reviewer")));
}

TEST(Rollback, ReportsWhatMovedOutAndWhatIsErased) {
  TestEngine engine;
  NoteDraft draft = Note("stays");
  draft.scope = ScopePath{{"a"}, "", "", ""};
  const Uuid moved = engine.Store(draft);
  draft.text = "goes";
  const Uuid erased = engine.Store(draft);
  const Micros then = engine->Visible(kMainSpace).time;
  DescribeMemory move{.id = moved};
  move.scope = ScopePath{{"b"}, "", "", ""};
  ASSERT_THAT(engine.Do(move), IsOk());
  ASSERT_THAT(engine->Erase(With(kOperator), {{erased}}, {}), IsOk());
  const auto rolled = engine.Do(Rollback{{{"a"}, "", "", ""}, {}, then}, {}, With(kReviewer));
  ASSERT_THAT(rolled, IsOk());
  EXPECT_EQ(rolled->moved_out, 1u);
  EXPECT_EQ(rolled->erased, 1u);
  EXPECT_TRUE(rolled->memories.empty());
  EXPECT_EQ(engine.Get(moved)->scope, *move.scope);
}

TEST(Snapshot, NamesATimeThatReadsUnderstand) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("old"));
  ASSERT_THAT(engine.Do(NameSnapshot{"before the change", {}}), IsOk());
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"new"}}), IsOk());
  EXPECT_EQ(engine.Get(id, {.snapshot = "before the change"})->text, "old");
  EXPECT_THAT(engine.Do(NameSnapshot{"before the change", {}}),
              FailsWith(Code::kConflict, HasSubstr("already")));
  EXPECT_THAT(engine.Get(id, {.snapshot = "unknown"}), FailsWith(Code::kNotFound, HasSubstr("")));
}

TEST(List, PagesStayStableUnderWrites) {
  TestEngine engine;
  std::set<Uuid> stored;
  for (int i = 0; i < 25; ++i) stored.insert(engine.Store(Note("text " + std::to_string(i))));
  std::set<Uuid> seen;
  std::string cursor;
  int pages = 0;
  do {
    const auto page = engine->Read(With(kAgent))->List({}, 10, cursor);
    ASSERT_THAT(page, IsOk());
    EXPECT_EQ(page->total, 25u);
    for (const Memory& memory : page->memories) EXPECT_TRUE(seen.insert(memory.id).second);
    cursor = page->cursor;
    engine.Store(Note("newcomer " + std::to_string(++pages)));
  } while (!cursor.empty());
  EXPECT_EQ(seen, stored);
  const auto first = engine->Read(With(kAgent))->List({}, 10, "");
  EXPECT_THAT(engine->Read(With(kAgent))->List({.type = "x"}, 10, first->cursor),
              FailsWith(Code::kInvalidArgument, HasSubstr("another filter")));
}

TEST(List, FiltersByLabelsAndTimesAsOf) {
  TestEngine engine;
  NoteDraft draft = Note("text");
  draft.tags = {"Blue Sky"};
  draft.type = "decision";
  const Uuid id = engine.Store(draft);
  engine.Store(Note("other"));
  const Micros then = engine->Visible(kMainSpace).time;
  EXPECT_EQ(Total(engine, {.tags = {"blue  SKY"}}), 1u);
  EXPECT_EQ(Total(engine, {.tags = {"blue"}}), 0u);
  EXPECT_EQ(Total(engine, {.type = "decision"}), 1u);
  DescribeMemory change{.id = id};
  change.tags = {{"green"}};
  ASSERT_THAT(engine.Do(change), IsOk());
  EXPECT_EQ(Total(engine, {.tags = {"blue sky"}}), 0u);
  EXPECT_EQ(Total(engine, {.tags = {"green"}}), 1u);
  EXPECT_EQ(Total(engine, {.tags = {"blue sky"}}, With(kAgent), {.time = then}), 1u);
  EXPECT_EQ(Total(engine, {.created_from = then + 1}), 0u);
  EXPECT_EQ(Total(engine, {.updated_from = then + 1}), 1u);
}

TEST(Resolve, TakesAnyFormAndListsTheCandidatesOfAPrefix) {
  TestEngine engine;
  const Uuid a = engine.Store(Note("a"));
  const Uuid b = engine.Store(Note("b"));
  const auto view = engine->Read(With(kAgent));
  EXPECT_EQ(*view->Resolve("{" + ToString(a) + "}", "id"), a);
  const std::string common = ToString(a).substr(0, 8);
  ASSERT_EQ(common, ToString(b).substr(0, 8));
  const auto ambiguous = view->Resolve(common, "id");
  EXPECT_THAT(ambiguous, FailsWith(Code::kAmbiguous, HasSubstr(ToString(b))));
  EXPECT_EQ(ambiguous.error().details.size(), 2u);
  EXPECT_THAT(view->Resolve("0123", "id"), FailsWith(Code::kInvalidArgument, HasSubstr("")));
}

}  // namespace
}  // namespace perdure
