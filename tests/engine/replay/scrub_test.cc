#include "engine/replay/scrub.h"

#include <gtest/gtest.h>

#include "engine/log/verify.h"
#include "engine/model/tables.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

const ScrubOptions kFast{.days = 1, .entries_per_second = 1e6, .bytes_per_second = 1e9};

// The status after the first pass, or what there is after a minute.
ScrubStatus AfterAPass(const Scrub& scrub) {
  for (int i = 0; i < 6000 && scrub.Status().passes == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return scrub.Status();
}

TEST(Scrub, FindsTheFirstBadPayloadAndSaysSoOnce) {
  TestEngine engine;
  for (int i = 0; i < 100; ++i) engine.Store(Note("text " + std::to_string(i)));
  engine.clock().Advance(5'000'000);
  {
    const Scrub scrub(*engine, kFast);
    const ScrubStatus status = AfterAPass(scrub);
    EXPECT_EQ(status.passes, 1u);
    EXPECT_EQ(status.last_pass, engine.clock().Now());
    EXPECT_EQ(status.findings, 0u);
    EXPECT_EQ(status.entries, engine->Visible(kMainSpace).seq + engine->Visible(kSystemSpace).seq);
    EXPECT_TRUE(status.problems.empty());
  }
  const Mutation damage{Family::kPayload, tables::PayloadOf(kMainSpace, 42), "not what was written",
                        0};
  ASSERT_THAT(engine->store().Write({&damage, 1}, true), IsOk());
  std::vector<std::string> told;
  ScrubOptions options = kFast;
  options.on_finding = [&told](const std::string& space, const std::string& problem) {
    told.push_back(space + ": " + problem);
  };
  ScrubStatus status;
  {
    const Scrub scrub(*engine, options);
    status = AfterAPass(scrub);
  }
  EXPECT_EQ(status.findings, 1u);
  EXPECT_THAT(status.problems["main"], HasSubstr("payload of entry 42"));
  EXPECT_THAT(told, ::testing::ElementsAre(HasSubstr("main: The payload of entry 42")));
}

TEST(Scrub, GoesOnBesideWritesAndErasures) {
  TestEngine engine;
  std::vector<Uuid> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(engine.Store(Note("text " + std::to_string(i))));
  ScrubOptions options = kFast;
  options.entries_per_second = 500;  // so that the pass lasts as long as what follows
  const Scrub scrub(*engine, options);
  for (int i = 0; i < 20; ++i) {
    ASSERT_THAT(engine->Erase(With(kOperator), {{ids[static_cast<std::size_t>(i) * 10]}}, {}),
                IsOk());
    engine.Store(Note("more " + std::to_string(i)));
  }
  const ScrubStatus status = AfterAPass(scrub);
  EXPECT_EQ(status.passes, 1u);
  EXPECT_EQ(status.findings, 0u) << ::testing::PrintToString(status.problems);
}

TEST(Scrub, EndsAtOnceInTheMiddleOfItsPass) {
  TestEngine engine;
  for (int i = 0; i < 200; ++i) engine.Store(Note("text"));
  ScrubOptions options = kFast;
  options.entries_per_second = 0.001;
  const auto start = std::chrono::steady_clock::now();
  {
    const Scrub scrub(*engine, options);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(VerifyLog, StopsWhereItsCallerWantsItTo) {
  TestEngine engine;
  for (int i = 0; i < 3; ++i) engine.Store(Note("text " + std::to_string(i)));
  int calls = 0;
  const auto verify = [&](bool go_on) {
    return VerifyLog(engine->store(), kMainSpace, Engine::OriginOf("main"),
                     engine->KeysOf(kMainSpace).signing.public_key, [&](Seq) {
                       ++calls;
                       return go_on;
                     });
  };
  ASSERT_THAT(verify(false), IsOk());
  EXPECT_EQ(calls, 1);
  EXPECT_NE(verify(true)->root, verify(false)->root) << "a check that was stopped proves no root";
}

}  // namespace
}  // namespace perdure
