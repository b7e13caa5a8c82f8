#include "server/api/text_diff.h"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "server/api/sequence_diff.h"

namespace perdure::testing {
namespace {

using Tokens = std::vector<std::string_view>;

// Both sides as the runs tell them, and how many tokens were changed.
struct Told {
  Tokens a;
  Tokens b;
  std::size_t changed = 0;
};

Told Tell(const Tokens& a, const Tokens& b) {
  Told told;
  for (const DiffRun& run : DiffSequences(a, b)) {
    for (std::size_t i = 0; i < run.count; ++i) {
      if (run.kind != DiffKind::kAdded) told.a.push_back(a.at(run.a + i));
      if (run.kind != DiffKind::kDeleted) told.b.push_back(b.at(run.b + i));
      if (run.kind == DiffKind::kKept) {
        EXPECT_EQ(a.at(run.a + i), b.at(run.b + i));
      }
      if (run.kind != DiffKind::kKept) ++told.changed;
    }
  }
  return told;
}

// The length of the longest common subsequence, by the textbook.
std::size_t LongestCommon(const Tokens& a, const Tokens& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

TEST(DiffSequences, IsShortestForModerateSequences) {
  const Tokens alphabet = {"a", "b", "c", "d"};
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    Tokens a;
    Tokens b;
    for (std::size_t i = random() % 20; i > 0; --i) a.push_back(alphabet[random() % 4]);
    for (std::size_t i = random() % 20; i > 0; --i) b.push_back(alphabet[random() % 4]);
    const Told told = Tell(a, b);
    EXPECT_EQ(told.a, a);
    EXPECT_EQ(told.b, b);
    EXPECT_EQ(told.changed, a.size() + b.size() - 2 * LongestCommon(a, b));
  }
}

TEST(DiffSequences, StaysRightForLargeOnes) {
  std::vector<std::string> words;
  for (int i = 0; i < 40'000; ++i) words.push_back("w" + std::to_string(i));
  const Tokens all(words.begin(), words.end());
  Tokens few = all;  // a change every hundred words
  for (std::size_t i = 0; i < few.size(); i += 100) few[i] = "changed";
  const Told close = Tell(all, few);
  EXPECT_EQ(close.a, all);
  EXPECT_EQ(close.b, few);
  EXPECT_EQ(close.changed, 800);
  const Tokens repeated(30'000, "x");  // nothing in common, nothing unique
  const Told apart = Tell(all, repeated);
  EXPECT_EQ(apart.a, all);
  EXPECT_EQ(apart.b, repeated);
  Tokens shuffled = all;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(2));
  const Told mixed = Tell(all, shuffled);
  EXPECT_EQ(mixed.a, all);
  EXPECT_EQ(mixed.b, shuffled);
}

TEST(UnifiedDiff, ReadsAsDiffWritesIt) {
  const DiffNames names = {"a", "b"};
  EXPECT_EQ(UnifiedDiff("same\n", "same\n", names), "");
  EXPECT_EQ(UnifiedDiff("", "new\n", names), "--- a\n+++ b\n@@ -0,0 +1 @@\n+new\n");
  EXPECT_EQ(UnifiedDiff("old\n", "", names), "--- a\n+++ b\n@@ -1 +0,0 @@\n-old\n");
  EXPECT_EQ(UnifiedDiff("x", "y", names),
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
            "\\ No newline at end of file\n");
  EXPECT_EQ(UnifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", names),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, JoinsNearPlacesAndPartsFarOnes) {
  std::string old_text;
  for (int i = 1; i <= 40; ++i) old_text += std::to_string(i) + "\n";
  const auto with = [&](std::initializer_list<const char*> lines) {
    std::string text = old_text;
    for (const char* line : lines) {
      const std::string whole = std::string("\n") + line + "\n";
      text.replace(text.find(whole), whole.size(), std::string("\n*") + line + "\n");
    }
    return text;
  };
  const auto hunks = [&](const std::string& text) {
    const std::string diff = UnifiedDiff(old_text, text, {"a", "b"});
    std::size_t count = 0;
    for (std::size_t at = diff.find("\n@@"); at != std::string::npos;
         at = diff.find("\n@@", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(hunks(with({"10", "17"})), 1);  // six lines between: their contexts meet
  EXPECT_EQ(hunks(with({"10", "18"})), 2);
}

TEST(WordDiff, MarksWordsInChangedLinesOnly) {
  EXPECT_EQ(WordDiff("keep\nthe quick fox\n", "keep\nthe slow fox\n"),
            "@@ line 2 @@\nthe [-quick-]{+slow+} fox\n");
  EXPECT_EQ(WordDiff("same", "same"), "");
  EXPECT_EQ(WordDiff("", "new"), "@@ line 1 @@\n{+new+}\n");
  EXPECT_EQ(WordDiff("caf\xC3\xA9 au lait", "caf\xC3\xA9 noir"),
            "@@ line 1 @@\ncaf\xC3\xA9 [-au lait-]{+noir+}\n");
}

}  // namespace
}  // namespace perdure::testing
