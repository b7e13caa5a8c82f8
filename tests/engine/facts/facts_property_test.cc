// Random commands on facts, and what must hold after each.
//   PERDURE_SEQUENCES=N  how many sequences (default: 60, with PERDURE_NIGHTLY=1 10,000)
//   PERDURE_SEED=N       the sequence of that seed alone
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/facts/fact_oracle.h"
#include "engine/facts/random_facts.h"
#include "engine/model/codec.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

using testing::FactEngine;
using testing::FactOracle;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::RandomFacts;
using testing::With;

constexpr int kCommands = 200;

std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Every refusal is an entry with its gate and rule.
void ExpectLogged(FactEngine& engine, const Error& error) {
  Seq seq = 0;
  for (const auto& [name, value] : error.details) {
    if (name == "refused_seq") seq = std::stoull(value);
  }
  ASSERT_NE(seq, 0u) << error;
  const auto entry = ReadEntry((*engine).Latest(), kMainSpace, seq);
  ASSERT_THAT(entry, IsOk());
  const auto* refused = (*entry)->event_as_WriteRefused();
  ASSERT_TRUE(refused);
  const Rule rule = *RuleOf(error);
  EXPECT_EQ(refused->rule(), static_cast<int>(rule));
  EXPECT_EQ(refused->gate(), FactsOf(rule).gate);
}

// Nothing here asks what a disk keeps: a store in memory syncs at no cost.
std::filesystem::path InMemory() {
  const std::filesystem::path shared = "/dev/shm";
  std::error_code none;
  const auto room = std::filesystem::space(shared, none);
  const bool has_room = !none && room.available > (std::uintmax_t{1} << 30);
  return has_room ? shared : std::filesystem::temp_directory_path();
}

std::vector<Uuid> Unerased(FactEngine& engine) {
  std::vector<Uuid> ids;
  const std::string prefix = tables::MemoryPrefix(kMainSpace);
  EXPECT_THAT((*engine).Latest().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                      [&](std::string_view key, std::string_view value) {
                                        const auto record = Unpack<fb::MemoryRecordT>(value);
                                        if (record->state != fb::MemoryState::erased) {
                                          ids.push_back(*UuidFromBytes(key.substr(prefix.size())));
                                        }
                                        return true;
                                      }),
              IsOk());
  return ids;
}

struct Tally {
  std::map<std::size_t, int> refused;  // by rule
  int done = 0;
};

void RunSequence(std::uint64_t seed, Tally& tally) {
  FactEngine engine(seed, InMemory());
  ASSERT_THAT(engine.Do(DeclarePredicate{"speaks", true, false, fb::ValueShape::any}), IsOk());
  ASSERT_THAT(engine.Do(DeclarePredicate{"married to", false, true, fb::ValueShape::any}), IsOk());
  RandomFacts random(seed);
  FactOracle oracle(engine);
  for (int i = 0; i < kCommands; ++i) {
    const auto done = random.Step(engine);
    if (done) {
      ++tally.done;
    } else {
      ASSERT_TRUE(RuleOf(done.error())) << done.error();
      ExpectLogged(engine, done.error());
      ++tally.refused[static_cast<std::size_t>(*RuleOf(done.error()))];
    }
    oracle.Follow();
    ASSERT_THAT(oracle.problems(), IsEmpty()) << "command " << i;
  }
  EXPECT_EQ(testing::RowsByStore(engine), testing::RowsByLog(engine));
  engine.ExpectSound();
  const EraseMemories all{Unerased(engine), false};
  if (!all.ids.empty()) {
    ASSERT_THAT((*engine).Erase(With(kOperator), all, {}), IsOk());
  }
  for (const auto& [key, value] : testing::RowsByStore(engine)) {
    EXPECT_TRUE(key[0] == 5 || key[0] == 7) << "a row of table " << int{key[0]} << " is left";
  }
}

TEST(Facts, KeepTheirInvariantsUnderRandomCommands) {
  const std::uint64_t only = Number("PERDURE_SEED", 0);
  const std::uint64_t nightly = Number("PERDURE_NIGHTLY", 0) != 0 ? 10'000 : 60;
  const std::uint64_t count = only != 0 ? 1 : Number("PERDURE_SEQUENCES", nightly);
  Tally tally;
  for (std::uint64_t n = 0; n < count && !::testing::Test::HasFailure(); ++n) {
    const std::uint64_t seed = only != 0 ? only : n + 1;
    SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed) + " repeats it");
    RunSequence(seed, tally);
  }
  if (only != 0 || ::testing::Test::HasFailure()) return;
  EXPECT_GT(tally.done, static_cast<int>(count) * kCommands / 4) << "the commands are all refused";
  for (const Rule rule : {Rule::kSuppressed, Rule::kStaleEvidence, Rule::kStands, Rule::kWaits,
                          Rule::kRival, Rule::kProtected}) {
    EXPECT_GT(tally.refused[static_cast<std::size_t>(rule)], 0) << FactsOf(rule).name;
  }
}

}  // namespace
}  // namespace perdure
