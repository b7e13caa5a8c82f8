#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/status_matchers.h"
#include "support/temp_dir.h"
#include "support/test_engine.h"
#include "tools/data_dir.h"
#include "tools/import/foreign.h"
#include "tools/import/importer.h"
#include "tools/import/state_file.h"
#include "tools/program.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::Note;
using ::perdure::testing::TempDir;
using ::perdure::testing::TestEngine;
using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string Fixture(const std::string& name) {
  return PERDURE_SOURCE_DIR "/tests/tools/fixtures/" + name;
}

std::vector<ImportRow> RowsOf(const std::string& format, const std::string& path,
                              const std::string& fields = "") {
  std::vector<ImportRow> rows;
  EXPECT_THAT(ReadForeign(format, path, fields,
                          [&](ImportRow row) -> Status {
                            rows.push_back(std::move(row));
                            return {};
                          }),
              IsOk());
  return rows;
}

std::size_t Problems(const std::vector<ImportRow>& rows) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const ImportRow& row) { return !row.problem.empty(); }));
}

TEST(Foreign, ServerMemoryGivesAMemoryForEachObservationAndRelation) {
  const auto rows = RowsOf("server-memory", Fixture("server-memory.jsonl"));
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[0].arguments["text"], "Speaks Portuguese");
  EXPECT_EQ(rows[0].arguments["title"], "Alice");
  EXPECT_EQ(rows[0].arguments["type"], "person");
  EXPECT_EQ(rows[3].line, 3u);
  EXPECT_THAT(rows[3].problem, HasSubstr("no observations"));
  EXPECT_THAT(rows[5].problem, HasSubstr("no JSON"));
  EXPECT_THAT(rows[6].problem, HasSubstr("neither"));
  EXPECT_EQ(rows[7].arguments["text"], "Alice works at Acme");
  EXPECT_THAT(rows[8].problem, HasSubstr("'Carol', which is no entity"));
  EXPECT_EQ(Problems(rows), 4u);
}

TEST(Foreign, Mem0KeepsTimesTagsAndWhoseMemoryItIs) {
  const auto rows = RowsOf("mem0", Fixture("mem0.json"));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].arguments["scope"], ";user=alice;agent=guide-1");
  EXPECT_EQ(rows[0].arguments["reference_time"], "2024-07-26T06:57:00.108347Z");
  EXPECT_EQ(rows[0].arguments["tags"], Json::array({"hobbies"}));
  EXPECT_EQ(rows[0].arguments["metadata"]["mood"], "good");
  EXPECT_EQ(Problems(rows), 3u);
}

TEST(Foreign, MemorizerKeepsTitleTypeAndTags) {
  const auto rows = RowsOf("memorizer", Fixture("memorizer.json"));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].arguments["title"], "Deployments");
  EXPECT_EQ(rows[0].arguments["tags"], Json::array({"ops"}));
  EXPECT_EQ(rows[1].arguments["text"], "{\"key\":\"value\"}");
  EXPECT_FALSE(rows[1].arguments.contains("reference_time"));
  EXPECT_EQ(Problems(rows), 1u);
}

TEST(Foreign, AListGivesAMemoryALine) {
  const auto rows = RowsOf("list", Fixture("list.txt"));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].arguments["text"], "Drinks oat milk");
  EXPECT_EQ(rows[0].arguments["theme"], "Preferences");
  EXPECT_EQ(rows[1].arguments["text"], "Answers should be short");
  EXPECT_EQ(rows[2].arguments["text"], "Writes C++ for a living");
  EXPECT_EQ(rows[3].arguments["text"], "Moved to Lisbon");
  EXPECT_EQ(rows[3].arguments["reference_time"], "2024-05-01T00:00:00.000000Z");
  EXPECT_EQ(Problems(rows), 1u);
}

TEST(Foreign, CsvAndJsonlTakeTheirFieldsFromAMap) {
  const std::string fields =
      "text=body,title=name,tags=labels,reference_time=when,importance=weight";
  const auto csv = RowsOf("csv", Fixture("table.csv"), fields);
  ASSERT_EQ(csv.size(), 4u);
  EXPECT_EQ(csv[0].arguments["text"], "On Fridays, says \"ops\"");
  EXPECT_EQ(csv[0].arguments["tags"], Json::array({"ops", "team"}));
  EXPECT_EQ(csv[0].arguments["importance"], 0.8);
  EXPECT_EQ(csv[0].arguments["metadata"]["shelf"], "3");
  EXPECT_EQ(csv[1].arguments["text"], "one\r\ntwo");
  EXPECT_THAT(csv[2].problem, HasSubstr("no time"));
  EXPECT_THAT(csv[3].problem, HasSubstr("2 fields of 6"));
  EXPECT_EQ(csv[3].line, 6u);
  const auto rows = RowsOf("jsonl", Fixture("rows.jsonl"), "text=body,reference_time=when");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].arguments["reference_time"], "2024-05-01T08:00:00.000000Z");
  EXPECT_EQ(rows[0].arguments["metadata"]["extra"]["a"], 1);
  EXPECT_EQ(Problems(rows), 2u);
  EXPECT_THAT(ReadForeign("csv", Fixture("table.csv"), "nonsense=x", {}),
              FailsWith(Code::kInvalidArgument, HasSubstr("--fields")));
  EXPECT_THAT(ReadForeign("tape", "", "", {}),
              FailsWith(Code::kInvalidArgument, HasSubstr("Known are: server-memory")));
}

TEST(Foreign, AFolderGivesItsMarkdownFilesWithTheirFrontMatter) {
  const auto rows = RowsOf("folder", Fixture("vault"));
  ASSERT_EQ(rows.size(), 4u);  // in the order of their paths
  EXPECT_EQ(rows[0].arguments["title"], "A heading");
  EXPECT_EQ(rows[0].arguments["source"], "deep/heading.md");
  EXPECT_THAT(rows[1].problem, HasSubstr("empty.md"));
  EXPECT_EQ(rows[2].arguments["title"], "Front matter");
  EXPECT_EQ(rows[2].arguments["tags"], Json::array({"one", "two"}));
  EXPECT_EQ(rows[2].arguments["text"], "See [[Other]].\n");
  EXPECT_EQ(rows[2].arguments["reference_time"], "2024-05-01T00:00:00.000000Z");
  EXPECT_EQ(rows[3].arguments["title"], "plain");
  EXPECT_EQ(rows[3].arguments["tags"], Json::array({"listed"}));
}

// A data directory and imports into it.
class Import : public ::testing::Test {
 protected:
  Import() {
    EXPECT_THAT(MakeDataDir(data_), IsOk());
    EXPECT_THAT(FillDataDir(data_, clock_, random_), IsOk());
    program_.data = data_;
    Open();
  }
  void Open() {
    session_.reset();
    auto opened = Session::Open(program_, "test");
    ASSERT_THAT(opened, IsOk());
    session_ = std::move(*opened);
  }
  using Read = std::function<Status(const TakeRow&)>;
  Result<ImportReport> Run(const Read& read, ImportRun run) {
    Importer importer(*session_, std::move(run));
    const Status taken = read([&](ImportRow row) { return importer.Take(std::move(row)); });
    if (!taken && !importer.WasStopped()) return std::unexpected(taken.error());
    return importer.Finish();
  }
  Result<ImportReport> Foreign(const std::string& format, const std::string& path,
                               ImportRun run = {}) {
    if (run.name.empty()) run.name = path;
    return Run([&](const TakeRow& take) { return ReadForeign(format, path, "", take); },
               std::move(run));
  }
  Result<ImportReport> State(const std::string& path) {
    return Run(
        [&](const TakeRow& take) -> Status {
          RETURN_IF_ERROR(ReadState(path, take));
          return {};
        },
        {.name = path});
  }
  std::string Numbered(int count) {
    const std::string path = home_ / "list.txt";
    std::ofstream out(path);
    for (int i = 0; i < count; ++i) out << "- memory number " << i << '\n';
    return path;
  }
  Json Memories() {
    const auto listed = session_->Call("memory_list", {{"limit", 1000}});
    EXPECT_THAT(listed, IsOk());
    return listed ? (*listed)["memories"] : Json();
  }
  Json LastEntry() {
    const auto log = session_->Call("log_query", {{"limit", 1}});
    EXPECT_THAT(log, IsOk());
    return log ? (*log)["entries"].at(0)["seq"] : Json();
  }
  std::uint64_t Total() {
    const auto listed = session_->Call("memory_list", {{"limit", 1}});
    EXPECT_THAT(listed, IsOk());
    return listed ? (*listed)["total"].get<std::uint64_t>() : 0;
  }

  TempDir home_;
  std::string data_ = home_ / "data";
  SystemClock clock_;
  SystemRandom random_;
  Program program_;
  std::unique_ptr<Session> session_;
};

TEST_F(Import, StoresEachRowOnceHoweverOftenItIsRepeated) {
  const auto first = Foreign("mem0", Fixture("mem0.json"));
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->rows, 5u);
  EXPECT_EQ(first->stored, 1u);
  EXPECT_EQ(first->known, 1u);  // the same again
  EXPECT_EQ(first->failed, 3u);
  EXPECT_EQ(first->left.size(), 3u);
  const Json last = LastEntry();
  const auto again = Foreign("mem0", Fixture("mem0.json"));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(Total(), 1u);
  EXPECT_EQ(LastEntry(), last) << "a repetition wrote something";
  ASSERT_THAT(Foreign("mem0", Fixture("mem0.json"), {.name = "under another name"}), IsOk());
  EXPECT_EQ(Total(), 1u);
}

TEST_F(Import, OneThatWasStoppedGoesOn) {
  const std::string list = Numbered(1'800);
  int batches = 0;
  const auto stopped = Foreign("list", list, {.name = "n", .stop = [&] { return ++batches > 2; }});
  ASSERT_THAT(stopped, IsOk());
  EXPECT_TRUE(stopped->stopped);
  EXPECT_EQ(Total(), 1'000u);
  Open();  // as after a crash
  const auto whole = Foreign("list", list, {.name = "n"});
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ(whole->stored, 1'800u);
  EXPECT_EQ(Total(), 1'800u);
}

TEST_F(Import, ARowOfTheWrongFormSpoilsNoOther) {
  const std::string path = home_ / "rows.jsonl";
  std::ofstream(path) << "{\"text\": \"one\"}\n{\"text\": \"two\", \"tags\": [[1]]}\n"
                         "{\"text\": \"three\", \"importance\": 7}\n{\"text\": \"four\"}\n";
  const auto report = Foreign("jsonl", path);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->stored, 2u);
  EXPECT_EQ(report->failed, 2u);
  ASSERT_EQ(report->left.size(), 2u);
  EXPECT_EQ(report->left[0].line, 2u);
  EXPECT_EQ(report->left[1].line, 3u);
}

TEST_F(Import, ADryRunWritesNothing) {
  const auto dry = Foreign("list", Numbered(10), {.name = "n", .dry_run = true});
  ASSERT_THAT(dry, IsOk());
  EXPECT_EQ(dry->stored, 10u);
  EXPECT_EQ(Total(), 0u);
}

TEST_F(Import, WhatWasRejectedHereStaysOutAndTheRestGoesIn) {
  ASSERT_THAT(session_->Call("suppression_create",
                             {{"text", "memory number 3"}, {"reason", "it is wrong"}}),
              IsOk());
  const auto report = Foreign("list", Numbered(10));
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->stored, 9u);
  EXPECT_EQ(report->refused, 1u);
  ASSERT_EQ(report->left.size(), 1u);
  EXPECT_EQ(report->left[0].line, 4u);
  EXPECT_THAT(report->left[0].why, HasSubstr("rejected"));
  EXPECT_EQ(Total(), 9u);
}

TEST_F(Import, TheStateOfAStoreComesWithItsTimesFactsAndScopes) {
  TestEngine source;
  NoteDraft note = Note("Oat milk, please.", "Coffee");
  note.tags = {"taste"};
  note.scope = ScopePath{{"acme"}, "alice", "", ""};
  source.Store(note);
  const Uuid archived = source.Store(Note("put away"));
  ASSERT_THAT(source.Do(MoveState{archived, Transition::kArchive, {}}), IsOk());
  for (const char* object : {"tea", "coffee"}) {
    FactDraft fact;
    fact.value = {"Alice", "drinks", object};
    fact.evidence = Evidence{.quote = "so she said", .source = object};
    ASSERT_THAT(source.Do(AssertFacts{{fact}, false}), IsOk());
  }
  const std::string path = home_ / "state";
  std::ofstream out(path, std::ios::binary);
  const auto written = WriteState(*source, kMainSpace, {}, out);
  ASSERT_THAT(written, IsOk());
  EXPECT_EQ(written->rows, 4u);
  out.close();
  const auto report = State(path);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->stored, 2u);
  EXPECT_EQ(report->skipped, 2u);  // what is archived, and the tea
  std::map<std::string, Json> found;
  for (const Json& memory : Memories()) found[memory["kind"]] = memory;
  EXPECT_EQ(found["note"]["scope"], "acme;user=alice");
  EXPECT_EQ(found["note"]["tags"], Json::array({"taste"}));
  EXPECT_EQ(found["note"]["title"], "Coffee");
  EXPECT_EQ(found["note"]["reference_time"],
            FormatTime((*ReadEntry(source->Latest(), kMainSpace, 3))->record_time()));
  EXPECT_EQ(found["fact"]["object"], "coffee");
}

TEST_F(Import, AStateFileWithAFlippedBitIsRefusedBeforeARowIsTaken) {
  TestEngine source;
  source.Store(Note("text"));
  std::ostringstream out;
  ASSERT_THAT(WriteState(*source, kMainSpace, {}, out), IsOk());
  const std::string bytes = out.str();
  const std::string path = home_ / "state";
  const auto read = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    std::size_t rows = 0;
    const auto report = ReadState(path, [&](ImportRow) -> Status {
      ++rows;
      return {};
    });
    if (!report) {
      EXPECT_EQ(rows, 0u);
    }
    return report.has_value();
  };
  ASSERT_TRUE(read(bytes));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(read(flipped)) << "bit " << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read(bytes.substr(0, size)));
}

}  // namespace
}  // namespace perdure
