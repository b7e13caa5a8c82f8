#include "index/chunk/chunker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <random>

namespace perdure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Counts like WordPiece does: four letters a token, one for an overlong word, one for any other
// character, none for white space.
std::size_t CountTokens(std::string_view text) {
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsWordByte(text[end])) ++end;
    if (end > i) {
      tokens += end - i > 100 ? 1 : (end - i + 3) / 4;
      i = end;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i++]);
    if (std::isspace(byte) == 0 && (byte & 0xC0) != 0x80) ++tokens;
  }
  return tokens;
}

std::string Words(int count, std::string_view word = "word") {
  std::string text;
  for (int i = 0; i < count; ++i) text.append(word).append(i % 10 == 9 ? ". " : " ");
  return text;
}

std::vector<std::string> Texts(std::string_view text, const std::vector<Chunk>& chunks) {
  std::vector<std::string> texts;
  for (const auto& chunk : chunks) {
    texts.emplace_back(text.substr(chunk.begin, chunk.end - chunk.begin));
  }
  return texts;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

void ExpectSoundChunks(std::string_view text, const std::vector<Chunk>& chunks,
                       const ChunkOptions& options = {}) {
  std::size_t at = 0;
  for (const auto& chunk : chunks) {
    ASSERT_LE(at, chunk.begin);
    ASSERT_LE(chunk.begin, chunk.end);
    ASSERT_TRUE(IsBlank(text.substr(at, chunk.begin - at))) << "lost text at " << at;
    const auto piece = text.substr(chunk.begin, chunk.end - chunk.begin);
    EXPECT_LE(CountTokens(piece), options.tokens_max);
    EXPECT_LE(piece.size(), std::max<std::size_t>(options.bytes_max, 4));
    at = chunk.end;
  }
  EXPECT_TRUE(IsBlank(text.substr(at))) << "lost text at " << at;
}

std::vector<Chunk> ChunkSoundly(std::string_view text) {
  auto chunks = ChunkMarkdown("", text, CountTokens);
  ExpectSoundChunks(text, chunks);
  return chunks;
}

TEST(Chunker, AShortNoteIsOneChunkWithoutAPath) {
  const std::string text = "\n# Plan\n\nBuy milk.\n\n## Later\n\nSleep.\n";
  EXPECT_THAT(ChunkMarkdown("t", text, CountTokens), ElementsAre(Chunk{"", 1, text.size() - 1}));
}

TEST(Chunker, ATextWithoutContentIsOneEmptyChunk) {
  EXPECT_THAT(ChunkMarkdown("t", "", CountTokens), ElementsAre(Chunk{}));
  EXPECT_THAT(ChunkMarkdown("t", " \r\n\t\n", CountTokens), ElementsAre(Chunk{}));
}

TEST(Chunker, AChunkHoldsAtMostTheMaximumOfTokens) {
  for (const int words : {199, 200, 201}) {
    std::string text;
    for (int i = 0; i < words; ++i) text += "word ";
    EXPECT_THAT(ChunkSoundly(text), SizeIs(words <= 200 ? 1U : 2U)) << words;
  }
}

TEST(Chunker, HeadingsMakeThePath) {
  const std::string text = "intro " + Words(100) + "\n\n# A\n\n" + Words(100) + "\n\n## B\n\n" +
                           Words(100) + "\n\n### C #\n\n" + Words(100) + "\n\nD\n===\n\n" +
                           Words(100);
  std::vector<std::string> paths;
  for (const auto& chunk : ChunkSoundly(text)) paths.push_back(chunk.heading_path);
  EXPECT_THAT(paths, ElementsAre("", "A", "A > B", "A > B > C", "D"));
}

TEST(Chunker, AFirstHeadingThatRepeatsTheTitleIsNotInThePath) {
  const std::string text = "# Guide\n\n## Setup\n\n" + Words(300);
  EXPECT_EQ(ChunkMarkdown("Guide", text, CountTokens)[0].heading_path, "Setup");
  EXPECT_EQ(ChunkMarkdown("Other", text, CountTokens)[0].heading_path, "Guide > Setup");
}

TEST(Chunker, SmallSectionsShareAChunkAndTheirCommonPath) {
  std::string text = "# A\n\n";
  for (int i = 0; i < 40; ++i) text += "## S" + std::to_string(i) + "\n\n" + Words(5) + "\n\n";
  const auto chunks = ChunkSoundly(text);
  EXPECT_LT(chunks.size(), 12U);
  EXPECT_EQ(chunks[0].heading_path, "A");
}

TEST(Chunker, AHeadingStaysWithWhatFollowsIt) {
  std::string fence = "```\n";
  for (int i = 0; i < 180; ++i) fence += "code ";
  fence += "\n```";
  for (const int before : {40, 60}) {  // fewer and more than what a heading may be packed with
    const std::string text = Words(before) + "\n\n# Next\n\n" + fence;
    const auto texts = Texts(text, ChunkSoundly(text));
    ASSERT_THAT(texts, SizeIs(2)) << before;
    EXPECT_EQ(texts[1], "# Next\n\n" + fence);
  }
}

TEST(Chunker, AHashInsideACodeFenceIsNoHeading) {
  const std::string text = "# Real\n\n```sh\n# comment\n```\n\n" + Words(300);
  for (const auto& chunk : ChunkSoundly(text)) EXPECT_EQ(chunk.heading_path, "Real");
}

TEST(Chunker, ACodeFenceThatFitsStaysWhole) {
  std::string fence = "```\n";
  for (int i = 0; i < 25; ++i) fence += "code line.\n\n";
  fence += "```";
  for (int before = 0; before < 200; before += 17) {
    const std::string text = Words(before) + "\n\n" + fence + "\n\n" + Words(150);
    EXPECT_THAT(Texts(text, ChunkSoundly(text)), ::testing::Contains(HasSubstr(fence))) << before;
  }
}

TEST(Chunker, ALongCodeFenceIsCutAtLines) {
  std::string text = "```\n";
  for (int i = 0; i < 300; ++i) text += "call(number). more\n";
  text += "```\n";
  const auto texts = Texts(text, ChunkSoundly(text));
  ASSERT_GT(texts.size(), 5U);
  for (std::size_t i = 1; i < texts.size(); ++i) EXPECT_TRUE(texts[i].starts_with("call")) << i;
}

TEST(Chunker, ALongParagraphIsCutAtSentences) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "The cat sat, and the dog ran. ";
  for (const auto& piece : Texts(text, ChunkSoundly(text))) {
    EXPECT_TRUE(piece.starts_with("The cat")) << piece;
    EXPECT_TRUE(piece.ends_with("ran.")) << piece;
  }
}

TEST(Chunker, ALongSentenceIsCutBetweenWords) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "alpha ";
  for (const auto& piece : Texts(text, ChunkSoundly(text))) {
    EXPECT_TRUE(piece.starts_with("alpha"));
    EXPECT_TRUE(piece.ends_with("alpha"));
  }
}

TEST(Chunker, AWordWithoutEndIsCutBetweenCodePoints) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "\u0e01";  // Thai, no spaces
  for (const auto& piece : Texts(text, ChunkSoundly(text))) EXPECT_EQ(piece.size() % 3, 0U);
  const std::string base64(100'000, 'Q');  // counts as one token
  EXPECT_THAT(ChunkSoundly(base64), SizeIs(100'000 / 8192 + 1));
}

TEST(Chunker, AMegabyteOfAnythingIsCutQuickly) {
  constexpr std::size_t kSize = 1024 * 1024;
  const auto repeat = [](std::string_view unit) {
    std::string text;
    while (text.size() < kSize) text += unit;
    return text;
  };
  std::string nested;
  for (std::size_t depth = 1; nested.size() < kSize; depth = depth % 2000 + 1) {
    nested += std::string(depth, '>') + " a\n";
  }
  std::string columns = repeat("|").substr(0, kSize / 4) + "\n";
  columns += repeat("|-").substr(0, kSize / 4) + "\n" + repeat("a\n").substr(0, kSize / 2);
  const std::vector<std::string> texts = {
      repeat("Plain words of prose, in sentences. "),
      repeat("# Heading\n\nSome text below it.\n\n- item\n- item\n\n```\ncode\n```\n\n"),
      repeat("\u4e2d\u6587"),
      repeat("\u0645\u0631\u062d\u0628\u0627 "),
      repeat("x"),
      repeat(std::string_view("\0", 1)),
      repeat("\xff\xfe"),
      repeat("\n"),
      repeat("\r"),
      repeat("["),
      repeat("![[]()"),
      repeat("*a **b _c __d "),
      repeat("<!--"),
      repeat("`` ` "),
      repeat("- "),
      repeat("> "),
      repeat("[a]: b\n"),
      repeat("a@b.c "),
      nested,
      columns,
  };
  for (const auto& text : texts) {
    const auto start = std::chrono::steady_clock::now();
    const auto chunks = ChunkMarkdown("", text, CountTokens);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (!IsBlank(text)) ExpectSoundChunks(text, chunks);
    // Generous, so that only a quadratic turn can break it: those take minutes.
    EXPECT_LT(taken.count(), 20.0) << text.substr(0, 8);
  }
}

TEST(Chunker, RandomTextsLoseNothing) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {"# H\n",
                                          "## \xE4\xB8\xAD\n",
                                          "\n",
                                          "\n\n",
                                          "```\n",
                                          "word ",
                                          "Sentence here. ",
                                          "- item\n",
                                          "> quote\n",
                                          "| a | b |\n",
                                          "\t",
                                          "\r\n",
                                          "\xE4\xB8\xAD\xE6\x96\x87",
                                          "\xff",
                                          "===\n",
                                          std::string(1, '\0'),
                                          "\xF0\x9F\x98\x80",
                                          std::string(300, 'z'),
                                          "1. one\n",
                                          "    code\n"};
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (auto i = random() % 400; i > 0; --i) text += parts[random() % parts.size()];
    ChunkOptions options;
    options.tokens_max = 1 + random() % 60;
    options.bytes_max = 1 + random() % 400;
    const auto chunks = ChunkMarkdown("H", text, CountTokens, options);
    ASSERT_FALSE(chunks.empty());
    ExpectSoundChunks(text, chunks, options);
    EXPECT_EQ(chunks, ChunkMarkdown("H", text, CountTokens, options));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace perdure
