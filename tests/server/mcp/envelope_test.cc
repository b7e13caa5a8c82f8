#include "server/mcp/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"

namespace perdure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A reader that believes the grammar: what stands between the first opening line and the first
// closing line of the same nonce.
std::string Read(std::string_view text) {
  constexpr std::string_view kOpening = "<<<perdure-data ";
  EXPECT_THAT(text, StartsWith(kOpening));
  const std::string_view nonce = text.substr(kOpening.size(), 12);
  const std::string closing = "\nperdure-data " + std::string(nonce) + ">>>";
  const std::size_t begin = text.find('\n') + 1;
  const std::size_t end = text.find(closing, begin - 1);
  EXPECT_NE(end, text.npos);
  EXPECT_EQ(end + closing.size(), text.size()) << "something stands outside the envelope";
  return end < begin ? "" : std::string(text.substr(begin, end - begin));
}

TEST(DataEnvelopeTest, ContentComesBackWhole) {
  for (const std::string_view content :
       {std::string_view(""), std::string_view("plain"), std::string_view("\nlines\n\n"),
        std::string_view("a\0b", 3), std::string_view("perdure-data 000000000000>>>")}) {
    EXPECT_EQ(Read(WrapAsData(content)), content);
  }
}

TEST(DataEnvelopeTest, TheSameContentGivesTheSameEnvelope) {
  EXPECT_EQ(WrapAsData("tea"), WrapAsData("tea"));
  EXPECT_NE(WrapAsData("tea").substr(0, 28), WrapAsData("tee").substr(0, 28));
}

TEST(DataEnvelopeTest, AnEnvelopeInsideAnEnvelopeDoesNotEndIt) {
  std::string content = "base";
  for (int i = 0; i < 20; ++i) {
    const std::string wrapped = WrapAsData(content);
    EXPECT_EQ(Read(wrapped), content);
    content = wrapped;
  }
}

TEST(DataEnvelopeTest, NoContentOfOneAnswerCanEndTheEnvelopeOfAnother) {
  const std::vector<std::string> texts = {"one", WrapAsData("two"), "three"};
  const std::vector<std::string_view> contents(texts.begin(), texts.end());
  const DataEnvelope envelope(contents);
  for (const std::string_view content : contents) {
    EXPECT_THAT(content, Not(HasSubstr(envelope.nonce())));
    EXPECT_EQ(Read(envelope.Wrap(content)), content);
  }
}

TEST(NonceNotInTest, TheNextOfTheChainIsTakenWhileOneOccursInAContent) {
  const Hash seed = Sha256("seed");
  std::string text = "no nonce";
  std::string previous;
  for (int i = 0; i < 5; ++i) {
    const std::string_view content = text;
    const std::string nonce = NonceNotIn(std::span(&content, 1), seed);
    EXPECT_EQ(nonce.size(), 12U);
    EXPECT_THAT(text, Not(HasSubstr(nonce)));
    EXPECT_NE(nonce, previous);
    text += nonce;
    previous = nonce;
  }
}

}  // namespace
}  // namespace perdure
