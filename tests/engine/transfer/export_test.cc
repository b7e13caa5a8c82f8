#include "engine/transfer/export.h"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "engine/model/tables.h"
#include "engine/transfer/export_file.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

std::string ExportOf(TestEngine& engine) {
  std::ostringstream out;
  EXPECT_THAT(WriteExport(*engine, kMainSpace, out), IsOk());
  return out.str();
}

Result<ExportReport> Read(const std::string& bytes) {
  std::istringstream in(bytes);
  return ReadExport(in);
}

// A store of a few entries, one of them erased.
void Fill(TestEngine& engine) {
  const Uuid first = engine.Store(Note("one", "title"));
  const Uuid second = engine.Store(Note("two"));
  ASSERT_THAT(engine.Do(EditMemory{first, AppendText{" more"}}), IsOk());
  ASSERT_THAT(engine->Erase(With(kOperator), {{second}}, {}), IsOk());
}

// The same records with one changed, under an end record that fits.
std::string Rebuilt(const std::string& bytes,
                    const std::function<void(std::vector<ExportRecord>&)>& change) {
  std::istringstream in(bytes);
  ExportReader reader(in);
  std::vector<ExportRecord> records;
  while (true) {
    auto record = reader.Next();
    EXPECT_THAT(record, IsOk());
    if (!record || (*record)->kind == RecordKind::kEnd) break;
    records.push_back(std::move(**record));
  }
  change(records);
  std::ostringstream out;
  ExportWriter writer(out);
  for (const auto& [kind, data] : records) {
    const std::size_t line = data.find('\n');
    switch (kind) {
      case RecordKind::kSpace:
        writer.Space(static_cast<SpaceId>(ReadBigEndian(data.substr(0, 4))), data.substr(4));
        break;
      case RecordKind::kEntry:
        writer.Entry(data);
        break;
      case RecordKind::kPayload:
        writer.Payload(data);
        break;
      default:
        writer.Seal(data.substr(0, line), line == data.npos ? "" : data.substr(line + 1));
    }
  }
  writer.End();
  return out.str();
}

TEST(Export, HoldsTheWholeSpaceAndIsTheSameAgain) {
  TestEngine engine;
  Fill(engine);
  const std::string bytes = ExportOf(engine);
  engine.Reopen();
  EXPECT_EQ(ExportOf(engine), bytes);
  const auto report = Read(bytes);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->name, "main");
  EXPECT_EQ(report->entries, engine->Visible(kMainSpace).seq);
  EXPECT_EQ(report->payloads_gone, 1u);
  EXPECT_EQ(report->root, engine->Tree(kMainSpace).Root());
  ASSERT_EQ(report->seals.size(), 1u);
  EXPECT_EQ(report->seals[0].verifier_key,
            FormatVerifierKey("perdure/main", engine->KeysOf(kMainSpace).signing.public_key));
  EXPECT_EQ(bytes.find("two"), bytes.npos);
  EXPECT_NE(bytes.find("one more"), bytes.npos);
}

TEST(Export, OfAnEmptySpaceIsSealedToo) {
  TestEngine engine;
  const auto report = Read(ExportOf(engine));
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->entries, 0u);
}

TEST(Export, EveryFlippedBitIsRefused) {
  TestEngine engine;
  Fill(engine);
  std::string bytes = ExportOf(engine);
  ASSERT_THAT(Read(bytes), IsOk());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char before = bytes[bit / 8];
    bytes[bit / 8] = static_cast<char>(before ^ (1 << bit % 8));
    ASSERT_FALSE(Read(bytes)) << "bit " << bit;
    bytes[bit / 8] = before;
  }
}

TEST(Export, AFlippedBitUnderAFittingEndIsRefusedByTheEntryThatHoldsItOrTheNext) {
  TestEngine engine;
  Fill(engine);
  const std::string bytes = ExportOf(engine);
  ASSERT_THAT(Read(Rebuilt(bytes, [](auto&) {})), IsOk());
  std::size_t count = 0;
  Rebuilt(bytes, [&](std::vector<ExportRecord>& records) { count = records.size(); });
  Seq seq = 0;
  for (std::size_t at = 0; at < count; ++at) {
    RecordKind kind{};
    for (std::size_t byte = 0;; byte += 7) {
      bool is_inside = false;
      const std::string forged = Rebuilt(bytes, [&](std::vector<ExportRecord>& records) {
        std::string& data = records[at].bytes;
        kind = records[at].kind;
        is_inside = byte < data.size();
        if (is_inside) data[byte] = static_cast<char>(data[byte] ^ (1 << byte % 8));
      });
      if (byte == 0 && kind == RecordKind::kEntry) ++seq;
      if (!is_inside) break;
      const auto read = Read(forged);
      ASSERT_FALSE(read) << "record " << at << " byte " << byte;
      if (kind != RecordKind::kEntry && kind != RecordKind::kPayload) continue;
      const std::string& said = read.error().message;
      const auto names = [&](Seq entry) {
        return said.find(" " + std::to_string(entry)) != said.npos ||
               said.starts_with("Entry " + std::to_string(entry));
      };
      EXPECT_TRUE(names(seq) || names(seq + 1)) << said << " at entry " << seq;
    }
  }
}

TEST(Export, WhatIsCutOffOrGoesOnIsRefused) {
  TestEngine engine;
  Fill(engine);
  const std::string bytes = ExportOf(engine);
  ASSERT_THAT(Read(bytes), IsOk());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(Read(bytes.substr(0, size))) << size;
  }
  EXPECT_THAT(Read(bytes + '\0'), FailsWith(Code::kCorrupt, HasSubstr("goes on")));
  EXPECT_THAT(Read("x" + bytes), FailsWith(Code::kCorrupt, HasSubstr("no export")));
}

TEST(Export, RecordsOutOfPlaceAreRefused) {
  TestEngine engine;
  Fill(engine);
  const std::string bytes = ExportOf(engine);
  const auto refused = [&](const char* why, auto change) {
    EXPECT_THAT(Read(Rebuilt(bytes, change)), FailsWith(Code::kCorrupt, HasSubstr(why)));
  };
  using Records = std::vector<ExportRecord>;
  refused("not once", [](Records& r) { r.insert(r.begin(), r[0]); });
  refused("does not begin with its space", [](Records& r) { r.erase(r.begin()); });
  refused("belongs to no entry", [](Records& r) { r.insert(r.begin() + 3, r[2]); });
  refused("Entry 1 calls itself 2", [](Records& r) { r.erase(r.begin() + 1, r.begin() + 3); });
  refused("under no seal", [](Records& r) { r.pop_back(); });
  refused("payload of entry 1 is missing", [](Records& r) { r.erase(r.begin() + 2); });
  refused("payload of entry 1 is not the one", [](Records& r) { r[2].bytes += "x"; });
  refused("not those that the seal", [](Records& r) { r.insert(r.end() - 3, r.back()); });
}

TEST(Export, APayloadThatIsMissingThoughNothingErasedItStopsTheExport) {
  TestEngine engine;
  Fill(engine);
  EXPECT_THAT(Read(ExportOf(engine)), IsOk());
  const Mutation lost{Family::kPayload, tables::PayloadOf(kMainSpace, 1), std::nullopt, 0};
  ASSERT_THAT(engine->store().Write({&lost, 1}, true), IsOk());
  std::ostringstream out;
  EXPECT_THAT(WriteExport(*engine, kMainSpace, out),
              FailsWith(Code::kCorrupt, HasSubstr("payload of entry 1 is missing")));
}

TEST(Export, AFullDiskIsSaid) {
  TestEngine engine;
  Fill(engine);
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THAT(WriteExport(*engine, kMainSpace, out),
              FailsWith(Code::kUnavailable, HasSubstr("cannot be written")));
}

}  // namespace
}  // namespace perdure
