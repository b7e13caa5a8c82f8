#include <gtest/gtest.h>

#include <algorithm>

#include "engine/log/verify.h"
#include "engine/model/tables.h"
#include "engine/read/naive_replay.h"
#include "engine/replay/replay.h"
#include "support/random_commands.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::NaiveMemory;
using testing::NaiveReplay;
using testing::RandomCommands;
using testing::TestEngine;
using testing::With;

// Compares one as-of read with the naive replay up to the same time.
void Compare(TestEngine& engine, const NaiveReplay& naive, const Uuid& id, Micros time,
             bool erased_now) {
  const auto got = engine.Get(id, {.time = time}, With(kAuditor));
  const auto expected = naive.memories.find(id);
  if (expected == naive.memories.end()) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::kNotFound);
    return;
  }
  if (erased_now) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::kErased);
    return;
  }
  ASSERT_THAT(got, IsOk());
  const NaiveMemory& memory = expected->second;
  EXPECT_EQ(got->text, memory.now().text);
  EXPECT_EQ(got->title, memory.now().title);
  EXPECT_EQ(got->tags, memory.now().tags);
  EXPECT_EQ(got->record.version, memory.versions.size());
  EXPECT_EQ(got->record.state, memory.state);
  EXPECT_EQ(got->record.pinned, memory.pinned);
  EXPECT_EQ(got->record.scope.container(), memory.now().container);
  EXPECT_EQ(got->record.importance, memory.now().importance);
}

void CompareList(TestEngine& engine, const NaiveReplay& naive, Micros time,
                 const std::set<Uuid>& gone) {
  const auto view = engine->Read(With(kAuditor), {.time = time});
  ASSERT_THAT(view, IsOk());
  const auto page = view->List({}, 1000, "");
  ASSERT_THAT(page, IsOk());
  std::set<Uuid> listed;
  for (const Memory& memory : page->memories) listed.insert(memory.id);
  std::set<Uuid> expected;
  for (const auto& [id, memory] : naive.memories) {
    if (memory.state == fb::MemoryState::live && !gone.contains(id)) expected.insert(id);
  }
  EXPECT_EQ(listed, expected);
}

TEST(AsOf, TwentyThousandReadsOfThePastEqualANaiveReplay) {
  constexpr int kCommands = 700;
  constexpr std::size_t kReads = 20'000;
  TestEngine engine;
  RandomCommands commands(7);
  for (int i = 0; i < kCommands; ++i) commands.Step(engine);
  const LogHead head = engine->Visible(kMainSpace);
  const Micros start = ReadEntry(engine->Latest(), kMainSpace, 1)->operator*().record_time();

  NaiveReplay final_state;
  std::vector<Entry> log;
  for (Seq seq = 1; seq <= head.seq; ++seq) {
    log.push_back(*ReadEntry(engine->Latest(), kMainSpace, seq));
    final_state.Take(*log.back(), nullptr);
  }
  std::set<Uuid> gone;
  for (const auto& [id, memory] : final_state.memories) {
    if (memory.state == fb::MemoryState::erased) gone.insert(id);
  }
  std::vector<std::pair<Micros, Uuid>> reads;
  for (std::size_t i = 0; i < kReads; ++i) {
    const Uuid id = commands.ids()[commands.Below(commands.ids().size())];
    const auto span = static_cast<std::size_t>(head.time - start + 2);
    reads.emplace_back(start - 1 + static_cast<Micros>(commands.Below(span)), id);
  }
  std::ranges::sort(reads);
  NaiveReplay naive;
  std::size_t next = 0;
  int lists = 0;
  for (const auto& [time, id] : reads) {
    for (; next < log.size() && log[next]->record_time() <= time; ++next) {
      const auto payload = ReadPayload(engine->Latest(), *log[next]);
      ASSERT_THAT(payload, IsOk());
      naive.Take(*log[next], *payload ? &***payload : nullptr);
    }
    Compare(engine, naive, id, time, gone.contains(id));
    if (next % 20 == 0 && lists < 200) {
      CompareList(engine, naive, time, gone);
      ++lists;
    }
    if (::testing::Test::HasFailure()) FAIL() << "first difference at " << FormatTime(time);
  }
  EXPECT_GT(lists, 20);
  EXPECT_GT(gone.size(), 0u);
}

TEST(AsOf, RandomHistoriesReplayToTheSameBytesAndVerify) {
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    TestEngine engine(seed);
    RandomCommands commands(seed);
    for (int i = 0; i < 150; ++i) commands.Step(engine);
    engine.Reopen();
    for (int i = 0; i < 50; ++i) commands.Step(engine);
    const auto replayed = Replay(*engine, engine.dir() / "replay");
    ASSERT_THAT(replayed, IsOk());
    EXPECT_EQ(replayed->difference, "") << "seed " << seed;
    const auto verified = VerifyLog(engine->store(), kMainSpace, Engine::OriginOf("main"),
                                    engine->KeysOf(kMainSpace).signing.public_key);
    ASSERT_THAT(verified, IsOk());
    EXPECT_EQ(verified->first_bad, 0u) << verified->problem;
    EXPECT_EQ(verified->entries, engine->Visible(kMainSpace).seq);
  }
}

TEST(AsOf, BelowTheHorizonIsAnErrorAndAboveItNothingChanged) {
  TestEngine engine;
  const Uuid id = engine.Store(testing::Note("one"));
  const Micros first = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"two"}}), IsOk());
  const Micros second = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"three"}}), IsOk());
  ASSERT_THAT(engine->Compact(With(kOperator), {second, false}, {}), IsOk());
  EXPECT_THAT(engine.Get(id, {.time = first}),
              testing::FailsWith(Code::kCompacted, ::testing::HasSubstr(FormatTime(second))));
  EXPECT_EQ(engine.Get(id, {.time = second})->text, "two");
  EXPECT_EQ(engine.Get(id)->text, "three");
  EXPECT_THAT(engine->Compact(With(kOperator), {first, false}, {}),
              testing::FailsWith(Code::kInvalidArgument, ::testing::HasSubstr("never lowered")));
  const auto replayed = Replay(*engine, engine.dir() / "replay");
  ASSERT_THAT(replayed, IsOk());
  EXPECT_EQ(replayed->difference, "");
}

// RocksDB's timestamps have no sign: a horizon before 1970 lay after everything, for ever.
TEST(AsOf, AHorizonOrATimeBefore1970HidesNothing) {
  TestEngine engine;
  const Uuid id = engine.Store(testing::Note("still here"));
  const StoreView early(engine->store(), -1);
  const auto record = early.Get(Family::kState, tables::Memory(kMainSpace, id));
  ASSERT_THAT(record, IsOk());
  EXPECT_FALSE(record->has_value()) << "nothing was there before 1970";
  for (const Micros before : {kTimeMin, Micros{-60'000'000}, Micros{-1}, Micros{0}, Micros{1}}) {
    ASSERT_THAT(engine->Compact(testing::With(kOperator), {.before = before}, {}), IsOk());
    engine.Reopen();
    ASSERT_THAT(engine.Get(id), IsOk()) << before;
    EXPECT_EQ(engine.Get(id)->text, "still here");
  }
}

}  // namespace
}  // namespace perdure
