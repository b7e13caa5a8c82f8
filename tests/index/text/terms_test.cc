#include "index/text/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace perdure {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> DocumentTermsOf(std::string_view text) {
  std::vector<std::string> terms;
  for (const auto& term : TermsOfDocument({"", "", {}, text}).terms) terms.push_back(term.term);
  return terms;
}

std::vector<std::string> QueryTermsOf(std::string_view query) {
  std::vector<std::string> terms;
  for (const auto& term : TermsOfQuery(query)) terms.push_back(term.term);
  return terms;
}

// The share of the query's weight that the text holds: 1 is all of it.
double Held(std::string_view query, std::string_view text) {
  const auto terms = DocumentTermsOf(text);
  double held = 0;
  double sum = 0;
  for (const auto& [term, weight] : TermsOfQuery(query)) {
    sum += weight;
    if (std::ranges::binary_search(terms, term)) held += weight;
  }
  return sum == 0 ? 0 : held / sum;
}

TEST(Terms, AWordIsFoundInAnyOfItsEnglishForms) {
  EXPECT_EQ(Held("running dogs", "The dog runs."), 1);
  EXPECT_EQ(Held("user", "the user's name, USERS"), 1);
  EXPECT_EQ(Held("running cats", "The dog runs."), .5);
}

TEST(Terms, ATwoCharacterWordIsFoundInsideUnspacedScripts) {
  EXPECT_EQ(Held("数据", "我们把数据保存在本地。"), 1);
  EXPECT_EQ(Held("東京", "明日は東京へ行きます"), 1);
  EXPECT_EQ(Held("서울", "나는서울에산다"), 1);
  EXPECT_EQ(Held("บ้าน", "ฉันอยู่ที่บ้านเก่า"), 1);
  EXPECT_EQ(Held("ປາ", "ຂ້ອຍກິນປາທຸກມື້"), 1);
  EXPECT_EQ(Held("ទឹក", "ខ្ញុំផឹកទឹកត្រជាក់"), 1);
  EXPECT_EQ(Held("京都", "明日は東京へ行きます"), 0);
  EXPECT_EQ(Held("猫", "黒猫が好き"), 1);
}

TEST(Terms, LatinWordsInsideChineseAreWords) {
  EXPECT_EQ(Held("Kubernetes 集群", "我们的Kubernetes集群"), 1);
  EXPECT_EQ(Held("api キー", "ＡＰＩ ｷｰ"), 1);  // full and half width
}

TEST(Terms, ACombiningMarkStaysInsideItsWord) {
  EXPECT_THAT(QueryTermsOf("हिन्दी"), ElementsAre("Zहिन्दी"));
  EXPECT_EQ(Held("किताब", "यह मेरी किताब है"), 1);
  EXPECT_EQ(Held("कताब", "यह मेरी किताब है"), 0);
}

TEST(Terms, ArabicIsFoundWithAndWithoutVowels) {
  EXPECT_EQ(Held("كتاب", "قرأت كِتَاب جديد"), 1);
  EXPECT_EQ(Held("الكتب", "كتب"), 1);
  EXPECT_EQ(Held("احمد", "أحمد"), 1);
}

TEST(Terms, CyrillicIsStemmed) {
  EXPECT_EQ(Held("книга", "Я читаю книги"), 1);
  EXPECT_EQ(Held("ёлка", "елки"), 1);
  EXPECT_EQ(Held("стол", "Я читаю книги"), 0);
}

TEST(Terms, AccentsMayBeLeftOutOnEitherSide) {
  EXPECT_EQ(Held("cafe", "Le café est fermé."), 1);
  EXPECT_GT(Held("café", "the cafe is closed"), .3);
  EXPECT_EQ(Held("café", "Le café est fermé."), 1);
  EXPECT_EQ(Held("Lodz", "Łódź"), 1);
  EXPECT_EQ(Held("strasse", "Straße"), 1);
  EXPECT_EQ(Held("αθηνα", "Αθήνα"), 1);
}

TEST(Terms, TheLanguageOfTheTextChoosesTheStemmer) {
  EXPECT_EQ(Held("Wo sind die Häuser und die Bücher?", "das Haus und das Buch in der Stadt"), .5);
  EXPECT_EQ(Held("haus buch", "die Häuser und die Bücher sind in der Stadt"), 1);
  EXPECT_EQ(Held("nation", "Les nations sont dans une union."), 1);
  EXPECT_EQ(Held("niño", "los niños están en la casa"), 1);
}

TEST(Terms, IdentifiersAreFoundWholeAndByTheirParts) {
  const std::string_view text =
      "See src/index/text_index.cc at v1.2.3, call getUserName or user_name-id; C++ at 10.0.0.1:80";
  for (const auto* query :
       {"src/index/text_index.cc", "text_index.cc", "v1.2.3", "getUserName", "GETUSERNAME",
        "user_name-id", "user name", "index text", "C++", "10.0.0.1:80", "10.0.0.1"}) {
    EXPECT_EQ(Held(query, text), 1) << query;
  }
  EXPECT_LT(Held("v1.2.4", text), .7);
  EXPECT_LT(Held("C#", text), 1);
}

TEST(Terms, PicturesAreWords) {
  EXPECT_EQ(Held("🎉", "We shipped it 🎉🚀"), 1);
  EXPECT_EQ(Held("🐟", "We shipped it 🎉🚀"), 0);
}

TEST(Terms, StopWordsAreAskedForOnlyWhenNothingElseIs) {
  EXPECT_THAT(QueryTermsOf("what is the capital of France"), ElementsAre("Zcapit", "Zfranc"));
  EXPECT_THAT(QueryTermsOf("to be or not to be"), Not(IsEmpty()));
  EXPECT_EQ(Held("to be or not to be", "To be, or not to be"), 1);
  EXPECT_THAT(QueryTermsOf("don't"), ElementsAre("Zdont"));
  EXPECT_THAT(QueryTermsOf("don't stop"), ElementsAre("Zstop"));
}

TEST(Terms, OperatorsAreWordsLikeAnyOther) {
  EXPECT_THAT(QueryTermsOf("\"cats\" AND dogs OR (birds NEAR/3 fish) NOT cats* title:mouse"),
              IsSupersetOf({"Zcat", "Zdog", "Zbird", "Zfish", "Zmous"}));
  EXPECT_THAT(QueryTermsOf(""), IsEmpty());
  EXPECT_THAT(QueryTermsOf(" \t\n ??? --- \" ( "), IsEmpty());
}

TEST(Terms, ARepeatedWordCountsMore) {
  EXPECT_THAT(TermsOfQuery("cat cats dog"),
              ElementsAre(QueryTerm{"Zcat", 2}, QueryTerm{"Zdog", 1}));
}

TEST(Terms, TitleHeadingsAndLabelsAreSearchedToo) {
  const std::vector<std::string> labels = {"release-notes", "新聞"};
  const auto document = TermsOfDocument({"Garden plan", "Tools > Spades", labels, "dig"});
  std::vector<std::string> terms;
  for (const auto& term : document.terms) terms.push_back(term.term);
  EXPECT_THAT(terms, IsSupersetOf({"Zgarden", "Zplan", "Ztool", "Zspade", "Xrelease-notes",
                                   "Zreleas", "Znote", "G新聞", "Zdig"}));
  EXPECT_TRUE(std::ranges::is_sorted(terms));
}

TEST(Terms, TheLengthCountsWordsButNotStopWordsOrRepeatedForms) {
  EXPECT_EQ(TermsOfDocument({"", "", {}, "the cat and the dog"}).length, 2U);
  EXPECT_EQ(TermsOfDocument({"", "", {}, "getUserName café foo-bar"}).length, 4U);
  EXPECT_EQ(TermsOfDocument({"", "", {}, "数据库"}).length, 2U);
  EXPECT_EQ(TermsOfDocument({"", "", {}, ""}).length, 1U);
}

TEST(Terms, ALongWordIsCutAndStillFound) {
  for (const std::size_t size : {kTermBytesMax - 2, kTermBytesMax - 1, kTermBytesMax}) {
    const std::string word(size, 'q');
    EXPECT_EQ(Held(word, "before " + word + " after"), 1) << size;
    EXPECT_EQ(Held(word + "x", "before " + word + " after"), 0) << size;
    ASSERT_THAT(QueryTermsOf(word), SizeIs(1));
    EXPECT_LE(QueryTermsOf(word)[0].size(), kTermBytesMax);
    EXPECT_EQ(QueryTermsOf(word)[0] == "Z" + word, size + 1 <= kTermBytesMax) << size;
  }
}

TEST(Terms, AQueryHasABoundedNumberOfTerms) {
  std::string query;
  for (std::size_t words = 1; words <= kQueryTermsMax + 1; ++words) {
    query += "w" + std::to_string(words) + " ";
    if (words + 1 < kQueryTermsMax) continue;
    EXPECT_THAT(QueryTermsOf(query), SizeIs(std::min(words, kQueryTermsMax)));
  }
}

std::string RandomQuery(std::mt19937& random) {
  static constexpr std::string_view kParts[] = {" AND ",
                                                " OR ",
                                                " NOT ",
                                                " NEAR/2 ",
                                                "\"",
                                                "(",
                                                ")",
                                                "*",
                                                ":",
                                                "+",
                                                "-",
                                                "a..b",
                                                "title:",
                                                "\xff",
                                                "\xc3",
                                                "\xed\xa0\x80",
                                                "\xf4\x90\x80\x80",
                                                "数据",
                                                "บ้าน",
                                                "हिन्दी",
                                                "\u200d",
                                                "\u0301",
                                                "\u202e",
                                                "🎉",
                                                "é",
                                                "İ",
                                                "ß",
                                                "'",
                                                "’",
                                                "//",
                                                "::",
                                                "C++",
                                                "#"};
  std::string query;
  for (auto i = random() % 12; i > 0; --i) {
    const auto choice = random() % 4;
    if (choice == 0) {
      query += kParts[random() % std::size(kParts)];
    } else if (choice == 1) {
      query += static_cast<char>(random() % 256);
    } else {
      for (auto k = random() % 6; k > 0; --k) query += static_cast<char>(32 + random() % 95);
    }
  }
  return query;
}

TEST(Terms, NoStringIsAnError) {
  std::mt19937 random(11);
  std::size_t terms = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string query = RandomQuery(random);
    const auto found = TermsOfQuery(query);
    terms += found.size();
    for (const auto& [term, weight] : found) {
      ASSERT_GT(term.size(), 1U) << query;
      ASSERT_LE(term.size(), kTermBytesMax) << query;
      ASSERT_GT(weight, 0) << query;
      ASSERT_EQ(term.find('\0'), std::string::npos) << query;
    }
    if (i % 10 != 0) continue;
    for (const auto& [term, count] : TermsOfDocument({query, query, {}, query}).terms) {
      ASSERT_GT(term.size(), 1U) << query;
      ASSERT_LE(term.size(), kTermBytesMax) << query;
    }
  }
  EXPECT_GT(terms, 100'000U);
}

TEST(Terms, ATextFindsItself) {
  std::mt19937 random(12);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = RandomQuery(random);
    const auto query = TermsOfQuery(text);
    if (query.empty()) continue;
    // The sum of weights is not exact.
    ASSERT_NEAR(Held(text, text), 1, 1e-9) << text;
  }
}

}  // namespace
}  // namespace perdure
