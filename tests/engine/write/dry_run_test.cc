#include <gtest/gtest.h>

#include "engine/replay/replay.h"
#include "support/byte_scanner.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

LogLine LastLine(TestEngine& engine) {
  const auto page = engine->Read(With(kAuditor))->QueryLog({.limit = 1});
  EXPECT_THAT(page, IsOk());
  return page->entries.at(0);
}

TEST(KeptDryRun, SaysInTheLogWhatWouldHaveHappenedAndDoesNothing) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  const Seq before = engine->Visible(kMainSpace).seq;
  ASSERT_THAT(engine.Do(EditMemory{id, AppendText{"secret"}}, {.dry_run = true}), IsOk());
  EXPECT_EQ(engine->Visible(kMainSpace).seq, before) << "one that is not kept leaves nothing";

  const auto kept = engine.Do(EditMemory{id, AppendText{"hush hush"}},
                              {.dry_run = true, .keep = true, .reason = "to be sure"});
  ASSERT_THAT(kept, IsOk());
  EXPECT_TRUE(kept->dry_run);
  EXPECT_EQ(kept->kept_seq, before + 1);
  EXPECT_EQ(kept->seq, 0u);
  EXPECT_EQ(engine.Get(id)->text, "text");
  EXPECT_EQ(engine.Get(id)->record.version, 1u);
  const LogLine line = LastLine(engine);
  EXPECT_EQ(line.event, fb::Event::DryRunKept);
  EXPECT_EQ(line.memory, id);
  EXPECT_EQ(line.reason, "to be sure");
  EXPECT_EQ(line.rule, "");
  const auto entry = ReadEntry(engine->Latest(), kMainSpace, kept->kept_seq);
  EXPECT_EQ((*entry)->event_as_DryRunKept()->memories(), 1u);
  EXPECT_EQ((*entry)->event_as_DryRunKept()->version(), 2u);
  EXPECT_EQ(engine->Read(With(kAgent))->History(id)->entries.back().event, fb::Event::DryRunKept);
  engine.Close();
  EXPECT_EQ(testing::ByteScanner(engine.dir().path()).FilesWith("hush hush"),
            std::vector<std::string>{});
  engine.Open();
  EXPECT_EQ(Replay(*engine, engine.dir() / "replay")->difference, "");
}

TEST(KeptDryRun, OfWhatWouldBeRefusedNamesTheRule) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  const auto refused =
      engine.Do(EditMemory{id, ReplaceText{"absent", "x", false}}, {.dry_run = true, .keep = true});
  ASSERT_FALSE(refused);
  const auto& details = refused.error().details;
  EXPECT_EQ(details.back().first, "kept_seq");
  const LogLine line = LastLine(engine);
  EXPECT_EQ(line.event, fb::Event::DryRunKept);
  EXPECT_EQ(line.rule, "text_not_found");
  EXPECT_EQ(line.message, refused.error().message);
}

TEST(KeptDryRun, LeavesTheIdempotencyKeyForTheRealCall) {
  TestEngine engine;
  WriteOptions options{
      .idempotency_key = "k", .request_digest = "d", .dry_run = true, .keep = true};
  ASSERT_THAT(engine.Do(StoreMemories{{Note("text")}}, options), IsOk());
  options.dry_run = options.keep = false;
  const auto stored = engine.Do(StoreMemories{{Note("text")}}, options);
  ASSERT_THAT(stored, IsOk());
  EXPECT_TRUE(stored->memories.at(0).created);
  const auto again = engine.Do(StoreMemories{{Note("text")}}, options);
  EXPECT_TRUE(again->repeated);
  options.dry_run = options.keep = true;
  const Seq end = engine->Visible(kMainSpace).seq;
  EXPECT_TRUE(engine.Do(StoreMemories{{Note("text")}}, options)->repeated);
  EXPECT_EQ(engine->Visible(kMainSpace).seq, end) << "answered from the log: nothing was tried";
}

TEST(KeptDryRun, KeepWithoutDryRunIsRefused) {
  TestEngine engine;
  EXPECT_THAT(engine.Do(StoreMemories{{Note("text")}}, {.keep = true}),
              FailsWith(Code::kInvalidArgument, HasSubstr("dry_run")));
  EXPECT_EQ(LastLine(engine).rule, "malformed");
  EXPECT_THAT(engine.Do(StoreMemories{{Note("text")}}, {.dry_run = true, .keep = true}), IsOk());
}

}  // namespace
}  // namespace perdure
