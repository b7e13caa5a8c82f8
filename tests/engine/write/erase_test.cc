#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/apply/memory_fold.h"
#include "engine/base/bytes.h"
#include "engine/log/verify.h"
#include "engine/model/labels.h"
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

VerifyReport Verify(TestEngine& engine) {
  const auto report = VerifyLog(engine->store(), kMainSpace, Engine::OriginOf("main"),
                                engine->KeysOf(kMainSpace).signing.public_key);
  EXPECT_THAT(report, IsOk());
  return report ? *report : VerifyReport{};
}

TEST(Erase, LeavesNoByteInAnyFileWhileAControlIsFound) {
  TestEngine engine;
  const std::string secret = "the eagle lands at noon tomorrow";
  const std::string control = "the sparrow stays where it was all day";
  NoteDraft draft = Note(secret + std::string(300, ' '), "secret title of it");
  draft.tags = {"confidential-tag"};
  const Uuid id = engine.Store(draft);
  ASSERT_THAT(engine.Do(EditMemory{id, AppendText{" and at midnight"}}), IsOk());
  const Uuid kept = engine.Store(Note(control));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kArchive}, {.reason = "because of the eagle"}),
              IsOk());
  const Micros before = engine->Visible(kMainSpace).time;
  const Seq size = engine->Visible(kMainSpace).seq;
  const Hash root = engine->Tree(kMainSpace).Root();

  const auto erased = engine->Erase(With(kOperator), {{id}}, {.reason = "asked to"});
  ASSERT_THAT(erased, IsOk());
  EXPECT_EQ(erased->payloads, 3u);
  ASSERT_EQ(erased->receipts.size(), 1u);
  EXPECT_GT(erased->receipts[0], erased->outcome.seq);
  EXPECT_THAT(engine.Get(id, {.time = before}, With(kAuditor)),
              FailsWith(Code::kErased, HasSubstr("erased at seq")));
  EXPECT_EQ(engine.Get(kept)->text, control);
  const TreeState tree = engine->Tree(kMainSpace);
  EXPECT_EQ(*RootAt(size, {tree, engine->Tiles(kMainSpace)}), root);
  const VerifyReport report = Verify(engine);
  EXPECT_EQ(report.first_bad, 0u) << report.problem;
  EXPECT_EQ(report.payloads_gone, 3u);

  ASSERT_THAT(engine->store().CompactAll(), IsOk()) << "so that the control is in a table file";
  for (const bool open : {true, false}) {
    if (!open) engine.Close();
    const testing::ByteScanner scanner(engine.dir().path());
    for (const char* gone :
         {"eagle lands", "secret title", "confidential-tag", "midnight", "because of the eagle"}) {
      EXPECT_EQ(scanner.FilesWith(gone), std::vector<std::string>{}) << gone;
    }
    EXPECT_FALSE(scanner.FilesWith(control).empty());
  }
}

TEST(Erase, TakesAnOperatorAndIsFinishedAfterACrash) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  EXPECT_THAT(engine->Erase(With(kReviewer), {{id}}, {}),
              FailsWith(Code::kForbidden, HasSubstr("operator")));
  // The entry alone, as if the program had ended before the files were cleaned.
  const auto entry = engine.Do(EraseMemories{{id}}, {}, With(kOperator));
  ASSERT_THAT(entry, IsOk());
  engine.Reopen();
  ASSERT_THAT(engine->ResumeErasures(), IsOk());
  const auto log = engine->Read(With(kAuditor))->QueryLog({.event = fb::Event::ErasureCompleted});
  ASSERT_EQ(log->entries.size(), 1u);
  EXPECT_EQ(log->entries[0].cause, entry->seq);
  ASSERT_THAT(engine->ResumeErasures(), IsOk());
  EXPECT_EQ(engine->Read(With(kAuditor))
                ->QueryLog({.event = fb::Event::ErasureCompleted})
                ->entries.size(),
            1u);
}

TEST(Erase, ReplayOfAnErasedLogGivesTheLiveStore) {
  TestEngine engine;
  NoteDraft draft = Note("text", "title");
  draft.tags = {"a", "b"};
  draft.type = "type";
  const auto stored = engine.Do(StoreMemories{{draft}}, {.idempotency_key = "key"});
  const Uuid id = stored->memories[0].id;
  engine.Store(Note("control"));
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"changed"}}), IsOk());
  ASSERT_THAT(engine.Do(RevertMemory{id, 1, {}}), IsOk());
  ASSERT_THAT(engine->Erase(With(kOperator), {{id}}, {}), IsOk());
  const auto report = Replay(*engine, engine.dir() / "replay");
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->difference, "");
  EXPECT_EQ(report->live, report->replayed);
  EXPECT_GT(report->records, 0u);
  EXPECT_GT(report->rows, 0u);
}

// Labels and idempotency keys stand in the store as keyed hashes; as first and last keys of tables
// RocksDB writes them into its own files too.
TEST(Erase, LeavesNoKeyedHashInAnyFile) {
  TestEngine engine;
  const Secret secret = engine->KeysOf(kMainSpace).secret;
  std::vector<Uuid> ids;
  for (int i = 0; i < 20; ++i) {
    NoteDraft draft = Note("text " + std::to_string(i));
    draft.tags = {"tag" + std::to_string(i)};
    const auto stored =
        engine.Do(StoreMemories{{draft}}, {.idempotency_key = "key" + std::to_string(i)});
    ASSERT_THAT(stored, IsOk());
    ids.push_back(stored->memories[0].id);
    if (i % 5 == 4) {
      ASSERT_THAT(engine->store().CompactAll(), IsOk());
    }
  }
  const auto hashes_of = [&](int i) {
    const std::string number = std::to_string(i);
    return std::vector<std::string>{std::string(AsBytes(LabelKey(secret, "tag", "tag" + number))),
                                    std::string(AsBytes(IdempotencyKey(secret, "key" + number)))};
  };
  EraseMemories most{{ids.begin(), ids.end() - 2}};
  ASSERT_THAT(engine->Erase(With(kOperator), most, {}), IsOk());
  engine.Close();  // tables may come and go in the background
  const testing::ByteScanner scanner(engine.dir().path());
  for (int i = 0; i < 20; ++i) {
    for (const std::string& hash : hashes_of(i)) {
      const auto files = scanner.FilesWith(hash);
      EXPECT_EQ(files.empty(), i < 18) << i << (files.empty() ? "" : " is in " + files.front());
    }
  }
}

// RocksDB numbers its files, so the greatest number counts those that were ever written: tables,
// and a manifest for each change.
std::uint64_t FilesWritten(const TestEngine& engine) {
  std::uint64_t greatest = 0;
  for (const auto& file : std::filesystem::directory_iterator(engine.dir() / "store")) {
    if (file.path().extension() != ".sst") continue;
    greatest = std::max<std::uint64_t>(greatest, std::stoull(file.path().stem().string()));
  }
  return greatest;
}

TEST(Erase, OfManyMemoriesWritesEachFileAnewOnce) {
  TestEngine engine;
  std::vector<Uuid> ids;
  for (std::size_t i = 0; i < 64; ++i) {
    std::string bytes(std::size_t{256} << 10, '\0');
    engine.random().Fill({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    ids.push_back(engine.Store(Note(HexEncode(bytes))));
  }
  ASSERT_THAT(engine->store().CompactAll(), IsOk());
  EraseMemories spread;
  for (std::size_t i = 0; i < ids.size(); i += 2) spread.ids.push_back(ids[i]);
  const std::uint64_t before = FilesWritten(engine);
  ASSERT_THAT(engine->Erase(With(kOperator), spread, {}), IsOk());
  EXPECT_LT(FilesWritten(engine) - before, spread.ids.size());
  EXPECT_GT(FilesWritten(engine), before);
  EXPECT_THAT(engine.Get(ids[1]), IsOk());
}

TEST(Erase, ADryRunSaysWhatWouldGoAndLeavesIt) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("text"));
  const auto dry = engine->Erase(With(kOperator), {{id}}, {.dry_run = true});
  ASSERT_THAT(dry, IsOk());
  EXPECT_TRUE(dry->outcome.dry_run);
  EXPECT_EQ(engine.Get(id)->text, "text");
}

}  // namespace
}  // namespace perdure
