#include "engine/transfer/adopt.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "engine/log/verify.h"
#include "engine/replay/replay.h"
#include "engine/transfer/log_taker.h"
#include "support/random_commands.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::RandomCommands;
using testing::TempDir;
using testing::TestEngine;
using testing::With;

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Export(TestEngine& engine, const std::string& path, SpaceId space = kMainSpace) {
  std::ofstream out(path, std::ios::binary);
  ASSERT_THAT(WriteExport(*engine, space, out), IsOk());
}

Result<AdoptReport> Adopt(TestEngine& engine, const std::string& path) {
  engine.Close();
  auto report = AdoptExport(engine.dir().path(), path, engine.clock(), engine.random());
  engine.Open();
  return report;
}

void ExpectSound(TestEngine& engine, SpaceId space = kMainSpace) {
  const auto replayed = Replay(*engine, engine.dir() / "replay");
  ASSERT_THAT(replayed, IsOk());
  EXPECT_EQ(replayed->difference, "");
  const auto verified =
      VerifyLog(engine->store(), space, Engine::OriginOf(engine->Spaces()[space].name),
                engine->KeysOf(space).signing.public_key);
  ASSERT_THAT(verified, IsOk());
  EXPECT_EQ(verified->first_bad, 0u) << verified->problem;
}

TEST(Adopt, ExportAdoptExportGivesEqualBytesAndASoundStore) {
  const TempDir dir;
  TestEngine source(1);
  RandomCommands commands(3, RandomCommands::About::kFactsToo);
  for (int i = 0; i < 700; ++i) commands.Step(source);  // more than two tiles, two batches
  Export(source, dir / "export");
  TestEngine target(2);
  const auto adopted = Adopt(target, dir / "export");
  ASSERT_THAT(adopted, IsOk());
  EXPECT_EQ(adopted->written, source->Visible(kMainSpace).seq);
  Export(target, dir / "again");
  EXPECT_EQ(BytesOf(dir / "again"), BytesOf(dir / "export"));
  ExpectSound(target);
  for (const Uuid& id : commands.ids()) {
    const auto there = source.Get(id, {}, With(kAuditor));
    const auto here = target.Get(id, {}, With(kAuditor));
    ASSERT_EQ(here.has_value(), there.has_value());
    if (there) {
      EXPECT_EQ(here->text, there->text);
      EXPECT_EQ(here->record.record_time, there->record.record_time);
    } else {
      EXPECT_EQ(here.error().code, there.error().code);
    }
  }
}

TEST(Adopt, WhatIsWrittenAfterwardsIsSealedByTheNewKeyBesideTheOldSeal) {
  const TempDir dir;
  TestEngine source(1);
  source.Store(Note("one"));
  Export(source, dir / "export");
  TestEngine target(2);
  ASSERT_THAT(Adopt(target, dir / "export"), IsOk());
  target.Store(Note("two"));
  Export(target, dir / "grown");
  std::ifstream in(dir / "grown", std::ios::binary);
  const auto grown = ReadExport(in);
  ASSERT_THAT(grown, IsOk());
  ASSERT_EQ(grown->seals.size(), 2u);
  EXPECT_EQ(grown->seals[0].head.size, 1u);
  EXPECT_NE(grown->seals[0].verifier_key, grown->seals[1].verifier_key);
  TestEngine third(3);
  ASSERT_THAT(Adopt(third, dir / "grown"), IsOk());
  Export(third, dir / "third");
  EXPECT_EQ(BytesOf(dir / "third"), BytesOf(dir / "grown"));
}

TEST(Adopt, ASpaceThatIsNotThereIsMadeUnderItsNumber) {
  const TempDir dir;
  TestEngine source(1);
  ASSERT_THAT(source->AddSpace(With(kOperator), "team-a", {}), IsOk());
  const auto second = source->AddSpace(With(kOperator), "team-b", {});
  Principal there = With(kAgent);
  there.space = second->id;
  ASSERT_THAT(source->Write(there, StoreMemories{{Note("text")}}, {}), IsOk());
  Export(source, dir / "export", second->id);
  TestEngine target(2);
  ASSERT_THAT(Adopt(target, dir / "export"), IsOk());
  EXPECT_EQ(*target->SpaceByName("team-b"), second->id);
  Export(target, dir / "again", second->id);
  EXPECT_EQ(BytesOf(dir / "again"), BytesOf(dir / "export"));
  TestEngine taken(3);
  ASSERT_THAT(taken->AddSpace(With(kOperator), "x", {}), IsOk());
  ASSERT_THAT(taken->AddSpace(With(kOperator), "y", {}), IsOk());
  EXPECT_THAT(Adopt(taken, dir / "export"), FailsWith(Code::kConflict, HasSubstr("here 3 is 'y'")));
}

TEST(Adopt, TheGreatestNumberOfASpaceIsOneLikeAnyOther) {
  constexpr SpaceId kGreatest = std::numeric_limits<SpaceId>::max();
  const TempDir dir;
  TestEngine source(1);
  ASSERT_THAT(source->AddSpace(With(kOperator), "last", {}, kGreatest), IsOk());
  Principal there = With(kAgent | kOperator);
  there.space = kGreatest;
  const auto stored = source->Write(there, StoreMemories{{Note("one"), Note("two")}}, {});
  ASSERT_THAT(stored, IsOk());
  ASSERT_THAT(source->Erase(there, {{stored->memories[0].id}}, {}), IsOk());
  source.Reopen();
  Export(source, dir / "export", kGreatest);
  TestEngine target(2);
  ASSERT_THAT(Adopt(target, dir / "export"), IsOk());
  Export(target, dir / "again", kGreatest);
  EXPECT_EQ(BytesOf(dir / "again"), BytesOf(dir / "export"));
  EXPECT_THAT(target->AddSpace(With(kOperator), "next", {}), IsOk());
}

TEST(Adopt, UnderItsPassphraseWhatWasRejectedStaysOutAndTheBytesAreEqual) {
  const TempDir dir;
  TestEngine source(1);
  ASSERT_THAT(source.Do(SuppressValue{std::string("The sky is green"), {}, {}}), IsOk());
  const auto write = [&](TestEngine& engine, const std::string& path) {
    std::ofstream out(path, std::ios::binary);
    return WriteExport(*engine, kMainSpace, out, {}, "correct horse");
  };
  ASSERT_THAT(write(source, dir / "export"), IsOk());
  std::ifstream in(dir / "export", std::ios::binary);
  const auto read = ReadExport(in);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->suppressions, std::vector<Seq>{1});
  EXPECT_THAT(SecretOf(*read, "wrong"), FailsWith(Code::kForbidden, HasSubstr("passphrase")));
  const auto secret = SecretOf(*read, "correct horse");
  ASSERT_THAT(secret, IsOk());
  TestEngine target(2);
  TestEngine control(3);
  target.Close();
  for (int round = 0; round < 2; ++round) {  // again: no further effect
    ASSERT_THAT(PlaceSecret(target.dir().path(), *read, *secret, target.clock(), target.random()),
                IsOk());
  }
  target.Open();
  ASSERT_THAT(Adopt(target, dir / "export"), IsOk());
  ASSERT_THAT(Adopt(control, dir / "export"), IsOk());
  EXPECT_FALSE(target.Do(StoreMemories{{Note("the sky is GREEN")}}));
  EXPECT_THAT(control.Do(StoreMemories{{Note("the sky is GREEN")}}), IsOk());
  TestEngine again(4);
  again.Close();
  ASSERT_THAT(PlaceSecret(again.dir().path(), *read, *secret, again.clock(), again.random()),
              IsOk());
  again.Open();
  ASSERT_THAT(Adopt(again, dir / "export"), IsOk());
  ASSERT_THAT(write(again, dir / "again"), IsOk());
  EXPECT_EQ(BytesOf(dir / "again"), BytesOf(dir / "export"));
  ExpectSound(again);
  control.Close();
  EXPECT_THAT(PlaceSecret(control.dir().path(), *read, *secret, control.clock(), control.random()),
              FailsWith(Code::kConflict, HasSubstr("entries under a secret of its own")));
}

TEST(Adopt, OneThatWasCutShortGoesOn) {
  const TempDir dir;
  TestEngine source(1);
  for (int i = 0; i < 9; ++i) source.Store(Note("text " + std::to_string(i)));
  Export(source, dir / "export");
  TestEngine target(2);
  {
    const auto taker =
        LogTaker::Open(target->store(), kMainSpace, "perdure/main", target->KeysOf(kMainSpace), 2);
    ASSERT_THAT(taker, IsOk());
    std::ifstream in(dir / "export", std::ios::binary);
    ASSERT_THAT(ReadExport(in,
                           [&](const std::string& entry, const auto& payload) {
                             return (*taker)->head().seq < 5 ? (*taker)->Take(entry, payload)
                                                             : Status();
                           }),
                IsOk());
  }  // the fifth was in no batch yet
  target.Reopen();
  ASSERT_EQ(target->Visible(kMainSpace).seq, 4u);
  const auto adopted = Adopt(target, dir / "export");
  ASSERT_THAT(adopted, IsOk());
  EXPECT_EQ(adopted->written, 5u);
  Export(target, dir / "again");
  EXPECT_EQ(BytesOf(dir / "again"), BytesOf(dir / "export"));
  ExpectSound(target);
  EXPECT_EQ(Adopt(target, dir / "export")->written, 0u);
}

TEST(Adopt, OverOtherEntriesOrFromABadFileWritesNothing) {
  const TempDir dir;
  TestEngine source(1);
  source.Store(Note("one"));
  source.Store(Note("two"));
  Export(source, dir / "export");
  TestEngine target(2);
  target.Store(Note("own"));
  Export(target, dir / "before");
  EXPECT_THAT(Adopt(target, dir / "export"),
              FailsWith(Code::kConflict, HasSubstr("entries of its own")));
  TestEngine longer(1);  // the same beginning, and then more
  longer.Store(Note("one"));
  longer.Store(Note("two"));
  longer.Store(Note("three"));
  EXPECT_THAT(Adopt(longer, dir / "export"),
              FailsWith(Code::kConflict, HasSubstr("entries of its own")));
  std::string bytes = BytesOf(dir / "export");
  bytes[bytes.size() - 1] ^= 1;
  std::ofstream(dir / "bad", std::ios::binary) << bytes;
  TestEngine empty(3);
  EXPECT_THAT(Adopt(empty, dir / "bad"), FailsWith(Code::kCorrupt, HasSubstr("end record")));
  EXPECT_EQ(empty->Visible(kMainSpace).seq, 0u);
  Export(empty, dir / "nothing");
  EXPECT_THAT(Adopt(empty, dir / "nothing"),
              FailsWith(Code::kInvalidArgument, HasSubstr("no entries")));
  Export(source, dir / "system", kSystemSpace);
  EXPECT_THAT(Adopt(empty, dir / "system"),
              FailsWith(Code::kInvalidArgument, HasSubstr("never adopted")));
  Export(target, dir / "after");
  EXPECT_EQ(BytesOf(dir / "after"), BytesOf(dir / "before"));
}

}  // namespace
}  // namespace perdure
