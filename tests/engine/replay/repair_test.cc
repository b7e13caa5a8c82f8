#include "engine/replay/repair.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/log/verify.h"
#include "engine/model/tables.h"
#include "engine/replay/replay.h"
#include "support/random_commands.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::RandomCommands;
using testing::TestEngine;
using testing::With;

std::string ProblemOf(TestEngine& engine) {
  for (const SpaceInfo& space : engine->Spaces()) {
    const auto report = VerifyLog(engine->store(), space.id, Engine::OriginOf(space.name),
                                  engine->KeysOf(space.id).signing.public_key);
    if (!report) return report.error().message;
    if (!report->problem.empty()) return report->problem;
  }
  const auto replayed = Replay(*engine, engine.dir() / "replay");
  return replayed ? replayed->difference : replayed.error().message;
}

void Damage(TestEngine& engine, Mutation mutation) {
  ASSERT_THAT(engine->store().Write({&mutation, 1}, true), IsOk());
}

std::vector<std::string> Texts(TestEngine& engine, const std::vector<Uuid>& ids) {
  std::vector<std::string> texts;
  for (const Uuid& id : ids) {
    const auto memory = engine.Get(id, {}, With(kOperator));
    texts.push_back(memory ? memory->title + "\n" + memory->text : memory.error().message);
  }
  return texts;
}

TEST(Repair, RebuildsDamagedProjectionsTilesAndHeadsFromTheLog) {
  TestEngine engine;
  RandomCommands commands(5, RandomCommands::About::kFactsToo);
  for (int i = 0; i < 400; ++i) commands.Step(engine);
  ASSERT_THAT(engine->AddSpace(With(kOperator), "team-a", {}), IsOk());
  const auto before = Texts(engine, commands.ids());
  const Hash root = engine->Tree(kMainSpace).Root();
  ASSERT_EQ(ProblemOf(engine), "");
  Damage(engine, {Family::kState, tables::Memory(kMainSpace, commands.ids()[0]), std::nullopt,
                  engine->Visible(kMainSpace).time});
  Damage(engine, {Family::kTree, tables::TreeTile(kMainSpace, 0, 0), "no tile", 0});
  EXPECT_NE(ProblemOf(engine), "");
  engine.Close();
  const auto logs = ExamineLogs(engine.dir().path());
  ASSERT_THAT(logs, IsOk());
  for (const LogHealth& log : *logs) EXPECT_EQ(log.problem, "") << log.name;
  const auto report = RebuildStore(engine.dir().path(), {});
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(std::filesystem::exists(report->old_store + "/CURRENT"));
  EXPECT_FALSE(std::filesystem::exists(engine.dir() / "store.rebuilt"));
  engine.Open();
  EXPECT_EQ(ProblemOf(engine), "");
  EXPECT_EQ(Texts(engine, commands.ids()), before);
  EXPECT_EQ(engine->Tree(kMainSpace).Root(), root);
  EXPECT_THAT(engine->SpaceByName("team-a"), IsOk());
  engine.Store(Note("writes go on"));
  EXPECT_EQ(ProblemOf(engine), "");
}

TEST(Repair, CutsALogAfterItsLastGoodEntryAndKeepsWhatItCuts) {
  TestEngine engine;
  std::vector<Uuid> ids;
  for (int i = 1; i <= 60; ++i) ids.push_back(engine.Store(Note("text " + std::to_string(i))));
  ASSERT_THAT(engine->Erase(With(kOperator), {{ids[9]}}, {}), IsOk());
  engine.Close();
  EXPECT_THAT(RebuildStore(engine.dir().path(), Truncation{kMainSpace, 40}),
              FailsWith(Code::kConflict, HasSubstr("nothing to cut")));
  engine.Open();
  std::string altered = (*ReadEntry(engine->Latest(), kMainSpace, 41)).bytes();
  altered.back() ^= 1;
  Damage(engine, {Family::kLog, tables::LogEntry(kMainSpace, 41), altered, 0});
  engine.Close();

  const auto logs = ExamineLogs(engine.dir().path());
  ASSERT_THAT(logs, IsOk());
  EXPECT_EQ(logs->back().last_good, 40u) << logs->back().problem;
  EXPECT_EQ(logs->back().last, 62u);
  EXPECT_THAT(RebuildStore(engine.dir().path(), {}),
              FailsWith(Code::kCorrupt, HasSubstr("last good entry is 40")));
  for (const Seq wrong : {Seq{39}, Seq{41}}) {
    EXPECT_THAT(RebuildStore(engine.dir().path(), Truncation{kMainSpace, wrong}),
                FailsWith(Code::kConflict, HasSubstr("is 40")));
  }
  const auto report = RebuildStore(engine.dir().path(), Truncation{kMainSpace, 40});
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->lost_entries, 22u);
  EXPECT_GE(report->lost_until, report->lost_from);
  EXPECT_EQ(report->lost_erasures, std::vector<Uuid>{ids[9]});
  std::ifstream file(report->cut_file, std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(kept, HasSubstr("text 55"));

  engine.Open();
  EXPECT_EQ(engine->Visible(kMainSpace).seq, 40u);
  EXPECT_EQ(engine.Get(ids[39])->text, "text 40");
  EXPECT_THAT(engine.Get(ids[40]), FailsWith(Code::kNotFound, HasSubstr("")));
  EXPECT_THAT(ProblemOf(engine), HasSubstr("payload of entry 10")) << "its erasure was cut";
  ASSERT_THAT(engine->Erase(With(kOperator), {{ids[9]}}, {}), IsOk());
  EXPECT_EQ(ProblemOf(engine), "");
}

TEST(Repair, TrustsNoOtherKeysThanTheStoresOwn) {
  TestEngine engine;
  engine.Store(Note("text"));
  engine.Close();
  for (const char* name : {"main.secret", "main.ed25519", "system.secret"}) {
    const std::string path = engine.dir() / "keys/" + name;
    std::string key(32, '\0');
    std::ifstream(path, std::ios::binary).read(key.data(), 32);
    std::string flipped = key;
    flipped[7] ^= 4;
    std::ofstream(path, std::ios::binary) << flipped;
    const auto names_it = FailsWith(Code::kCorrupt, HasSubstr(name));
    EXPECT_THAT(Engine::Open({.directory = engine.dir().path()}, engine.clock(), engine.random()),
                names_it);
    EXPECT_THAT(ExamineLogs(engine.dir().path()), names_it);
    EXPECT_THAT(RebuildStore(engine.dir().path(), {}), names_it);
    std::ofstream(path, std::ios::binary) << key;
    engine.Open();
    engine.Close();
  }
}

// Every bit of every entry and payload row.
TEST(Repair, EveryFlippedBitOfALogNamesItsEntry) {
  TestEngine engine;
  const Uuid id = engine.Store(Note("oat milk", "coffee"));
  ASSERT_THAT(engine.Do(EditMemory{id, AppendText{", please"}}), IsOk());
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kArchive}), IsOk());
  engine.Store(Note("the last one"));
  ASSERT_EQ(ProblemOf(engine), "");
  const SigningKey& key = engine->KeysOf(kMainSpace).signing;
  const Seq end = engine->Visible(kMainSpace).seq;
  std::size_t bits = 0;
  std::size_t missed = 0;
  for (const Family family : {Family::kLog, Family::kPayload}) {
    for (Seq seq = 1; seq <= end; ++seq) {
      const std::string row_key = tables::LogEntry(kMainSpace, seq);
      const auto row = engine->store().Get(family, row_key, kLatest);
      ASSERT_THAT(row, IsOk());
      if (!*row) continue;
      for (std::size_t bit = 0; bit < (**row).size() * 8; ++bit, ++bits) {
        std::string flipped = **row;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        Mutation mutation{family, row_key, flipped, 0};
        ASSERT_THAT(engine->store().Write({&mutation, 1}, false), IsOk());
        const auto report =
            VerifyLog(engine->store(), kMainSpace, Engine::OriginOf("main"), key.public_key);
        ASSERT_THAT(report, IsOk());
        if (report->first_bad != seq && ++missed < 5) {
          ADD_FAILURE() << "bit " << bit << " of entry " << seq << ": " << report->first_bad << " "
                        << report->problem;
        }
        const bool is_replayed = bit % 500 == 0;
        EXPECT_FALSE(is_replayed && Replay(*engine, engine.dir() / "replay"));
      }
      const Mutation back{family, row_key, **row, 0};
      ASSERT_THAT(engine->store().Write({&back, 1}, false), IsOk());
    }
  }
  EXPECT_EQ(missed, 0u);
  EXPECT_GT(bits, 5000u);
  EXPECT_EQ(ProblemOf(engine), "");
}

}  // namespace
}  // namespace perdure
