// A wall clock that jumps.
#include <gtest/gtest.h>

#include <random>

#include "engine/base/limits.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;

constexpr Micros kHour = 3'600'000'000;
constexpr Micros kDay = 24 * kHour;
constexpr Micros kYear = 365 * kDay;

TEST(Clock, RecordTimeStrictlyIncreasesHoweverTheClockJumps) {
  TestEngine engine;
  std::mt19937_64 random(9);
  Micros last = 0;
  int stopped = 0;
  for (int i = 0; i < 300; ++i) {
    const auto years = static_cast<Micros>(random() % 41) - 20;
    if (i % 3 == 0) engine.clock().Set(1'700'000'000'000'000 + years * kYear);
    auto stored = engine.Do(StoreMemories{{Note("note " + std::to_string(i))}});
    if (!stored) {
      EXPECT_THAT(stored, FailsWith(Code::kUnavailable, HasSubstr("--confirm-clock")));
      ++stopped;
      engine->ConfirmClock();
      stored = engine.Do(StoreMemories{{Note("note " + std::to_string(i))}});
    }
    ASSERT_THAT(stored, IsOk());
    EXPECT_GT(stored->record_time, last);
    last = stored->record_time;
    if (i % 50 == 0) engine.Reopen();
  }
  EXPECT_GT(stopped, 10);
}

TEST(Clock, ADayAheadOfTheBootClockStopsTheWriterUntilConfirmedOrSetBack) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("before"));
  const Micros now = engine.clock().Now();
  const Micros limit = limits::kClockAheadMaxMicros;
  for (const Micros ahead : {limit - 1, limit}) {
    engine.clock().Set(now + ahead);
    EXPECT_THAT(engine.Do(StoreMemories{{Note("a")}}), IsOk());
  }
  engine.clock().Set(now + limit + 1);
  EXPECT_THAT(engine.Do(StoreMemories{{Note("b")}}),
              FailsWith(Code::kUnavailable, HasSubstr("24 hours")));
  EXPECT_THAT(engine->WriterState(), FailsWith(Code::kUnavailable, HasSubstr("wall clock")));
  EXPECT_THAT(engine.Get(id), IsOk()) << "reads go on";
  engine.clock().Set(now + kHour);
  EXPECT_THAT(engine.Do(StoreMemories{{Note("c")}}), IsOk()) << "set back";
  engine.clock().Set(now + 70 * kYear);
  EXPECT_THAT(engine.Do(StoreMemories{{Note("d")}}), FailsWith(Code::kUnavailable, HasSubstr("")));
  engine->ConfirmClock();
  EXPECT_THAT(engine->WriterState(), IsOk());
  const auto stored = engine.Do(StoreMemories{{Note("d")}});
  ASSERT_THAT(stored, IsOk());
  EXPECT_EQ(stored->record_time, now + 70 * kYear);
}

TEST(Clock, TimeThatPassesStopsNothing) {
  TestEngine engine;
  for (int i = 0; i < 20; ++i) {
    engine.clock().Advance(kYear);
    EXPECT_THAT(engine.Do(StoreMemories{{Note("note " + std::to_string(i))}}), IsOk());
  }
}

TEST(Clock, AcrossARestartAnOddClockOnlyWarns) {
  TestEngine engine;
  engine.clock().Advance(kHour);
  const Micros last = engine.Do(StoreMemories{{Note("a")}})->record_time;
  const auto warning_at = [&](Micros now) {
    engine.Close();
    engine.clock().Set(now);
    engine.Open();
    return engine->clock_warning();
  };
  const Micros rest = limits::kClockRestMaxMicros;
  EXPECT_THAT(warning_at(last), IsEmpty());
  EXPECT_THAT(warning_at(last - kDay), IsEmpty());
  EXPECT_THAT(warning_at(last - kDay - 1), HasSubstr("1 days after this machine's clock"));
  EXPECT_THAT(warning_at(last + rest), IsEmpty());
  EXPECT_THAT(warning_at(last + rest + 1), HasSubstr("30 days before this machine's clock"));
  EXPECT_THAT(engine.Do(StoreMemories{{Note("b")}}), IsOk());
}

}  // namespace
}  // namespace perdure
