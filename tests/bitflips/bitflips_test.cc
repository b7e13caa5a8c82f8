// Flipped bits anywhere in a data directory: refused by name, repaired from the log, or of no
// account; never a wrong answer, never a crash.
//
//   PERDURE_BITFLIPS=N   how many (default: 150, with PERDURE_NIGHTLY=1 10,000)
//   PERDURE_SEED=N       other ones
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "bitflips/answers.h"
#include "bitflips/data_dir.h"
#include "engine/model/tables.h"
#include "support/test_engine.h"

namespace perdure::testing {
namespace {

namespace fs = std::filesystem;

int NumberFrom(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoi(text);
}

std::uint64_t Seed(int otherwise) {
  return static_cast<std::uint64_t>(NumberFrom("PERDURE_SEED", otherwise));
}

int HowMany() {
  return NumberFrom("PERDURE_BITFLIPS", NumberFrom("PERDURE_NIGHTLY", 0) == 1 ? 10'000 : 150);
}

// A directory with the answers that are right for it.
class Subject {
 public:
  explicit Subject(Left left) {
    const std::string filled = InChild([&] {
      FillDirectory(original(), left);
      return std::string("filled");
    });
    EXPECT_EQ(filled, "filled");
    const std::string asked = InChild([&] {
      Restore();
      const Asked answer = Ask(copy());
      SaveAnswers(answer.answers, home_ / "answers");
      return std::to_string(answer.answers.size());
    });
    right_ = LoadAnswers(home_ / "answers");
    EXPECT_EQ(asked, std::to_string(right_.size()));
    EXPECT_GT(right_.size(), 100u);
    for (const auto& [question, answer] : right_) {
      if (question.ends_with("verify") || question == "replay" || question == "open") {
        EXPECT_FALSE(answer.starts_with(kNoAnswer)) << question << answer;
      }
    }
  }

  std::string original() const { return home_ / "original"; }
  std::string copy() const { return home_ / "copy"; }
  Answers& right() { return right_; }

  void Restore() const {
    fs::remove_all(copy());
    fs::copy(original(), copy(), fs::copy_options::recursive);
    for (const auto& file : fs::recursive_directory_iterator(copy())) {
      fs::permissions(file, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove);
    }
  }

  // "WRONG ...", "CRASH ...", "refused ...", "repaired ..." or "dead".
  std::string Try(const std::function<void(const std::string& directory)>& harm,
                  const AskOptions& options = {}) const {
    return InChild([&] {
      Restore();
      harm(copy());
      const Asked asked = Ask(copy(), options);
      const Verdict verdict = Compare(right_, asked.answers);
      if (verdict.is_wrong) return "WRONG " + verdict.text;
      if (!verdict.refused.empty()) return "refused " + verdict.text;
      return asked.repairs.empty() ? std::string("dead") : "repaired " + asked.repairs;
    });
  }

 private:
  TempDir home_;
  Answers right_;
};

// What every refusal has to name.
bool NamesWhatIsBad(const std::string& said) {
  for (const char* name : {"ntry ", "ile", "oken", "/", "eys/", "index"}) {
    if (said.contains(name)) return true;
  }
  return false;
}

void FlipAtRandom(Left left, int count, std::uint64_t seed) {
  const Subject subject(left);
  std::mt19937_64 random(seed);
  std::map<std::string, int> came_to;
  for (int i = 0; i < count; ++i) {
    const Flip flip = RandomFlip(subject.original(), random, i % 2 == 0);
    const std::string said = subject.Try([&](const std::string& directory) { flip.Do(directory); });
    const std::string kind = said.substr(0, said.find(' '));
    ++came_to[kind];
    EXPECT_TRUE(kind == "dead" || kind == "repaired" || kind == "refused")
        << flip.Name() << ": " << said;
    EXPECT_TRUE(kind != "refused" || NamesWhatIsBad(said)) << flip.Name() << ": " << said;
    if (std::getenv("PERDURE_VERBOSE") != nullptr) {
      fmt::print("{}: {}\n", flip.Name(), said.substr(0, 300));
    }
  }
  std::vector<std::string> counts;
  for (const auto& [kind, times] : came_to) counts.push_back(fmt::format("{} {}", times, kind));
  fmt::print("figures: {} flips: {}\n", count, fmt::join(counts, ", "));
}

TEST(BitFlips, InADirectoryThatWasClosed) { FlipAtRandom(Left::kClosed, HowMany() / 2, Seed(1)); }

TEST(BitFlips, InADirectoryWhoseServerWasKilled) {
  FlipAtRandom(Left::kKilled, HowMany() / 3, Seed(2));
}

TEST(BitFlips, InTheCachesThatAnIndexIsRebuiltFrom) {
  FlipAtRandom(Left::kWithoutIndexes, HowMany() / 6, Seed(3));
}

// The controls: what the harness would say if nothing were wrong, and if checks were missing.
TEST(BitFlips, TheHarnessSeesADirectoryThatNobodyHarmed) {
  const Subject subject(Left::kClosed);
  EXPECT_EQ(subject.Try([](const std::string&) {}), "dead");
}

TEST(BitFlips, TheHarnessReportsAWrongAnswer) {
  Subject subject(Left::kClosed);
  // A text altered behind the store's back, with the checks of the log switched off.
  const auto alter = [](const std::string& directory) {
    FakeClock clock(kLater);
    SeededRandom random(1);
    const auto engine = Engine::Open({.directory = directory}, clock, random);
    if (!engine) return;
    for (Seq seq = 1; seq <= (*engine)->Visible(kMainSpace).seq; ++seq) {
      const std::string key = tables::PayloadOf(kMainSpace, seq);
      const auto row = (*engine)->store().Get(Family::kPayload, key, kLatest);
      const std::size_t at = row && *row ? (**row).find("milk") : std::string::npos;
      if (at == std::string::npos) continue;
      std::string altered = **row;
      altered.replace(at, 4, "wine");
      const Mutation mutation{Family::kPayload, key, altered, 0};
      static_cast<void>((*engine)->store().Write({&mutation, 1}, true));
    }
  };
  EXPECT_THAT(subject.Try(alter, {.check_log = false}), ::testing::HasSubstr("WRONG"));
  // A reference that is wrong itself.
  subject.right()["main head"] = "another one";
  EXPECT_THAT(subject.Try([](const std::string&) {}), ::testing::HasSubstr("WRONG main head"));
  EXPECT_THAT(InChild([]() -> std::string { std::abort(); }), ::testing::HasSubstr("CRASH"));
}

}  // namespace
}  // namespace perdure::testing
