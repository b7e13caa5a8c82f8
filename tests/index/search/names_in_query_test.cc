#include "index/search/names_in_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace perdure {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> NamesOf(std::string_view query) {
  std::vector<std::string> names;
  for (const NameInQuery& name : NamesInQuery(query)) names.push_back(name.name);
  return names;
}

// Without those that the test calls names.
std::string Without(std::string_view query, const std::vector<std::string>& names) {
  std::vector<NameInQuery> named;
  for (const NameInQuery& name : NamesInQuery(query)) {
    if (std::ranges::find(names, name.name) != names.end()) named.push_back(name);
  }
  return WithoutNames(query, named);
}

TEST(NamesInQueryTest, AreRunsOfWordsThatBeginWithACapital) {
  const auto names = NamesOf("What did Mary Jane buy?");
  EXPECT_THAT(names, Contains("Mary"));
  EXPECT_THAT(names, Contains("Mary Jane"));
  EXPECT_THAT(names, Contains("Jane"));
  EXPECT_THAT(names, Contains("What"));
  EXPECT_THAT(names, Not(Contains("buy")));
  EXPECT_THAT(NamesOf("où est Élodie ?"), Contains("Élodie"));
}

TEST(NamesInQueryTest, ThePossessiveIsNoPartOfAName) {
  EXPECT_THAT(NamesOf("Mara's dog"), Contains("Mara"));
  EXPECT_THAT(NamesOf("Mara\xE2\x80\x99s dog"), Contains("Mara"));
  EXPECT_THAT(NamesOf("James' dog"), Contains("James"));
  EXPECT_EQ(Without("What is Mara's dog called?", {"Mara"}), "What is  dog called?");
}

TEST(NamesInQueryTest, AQueryOfNothingElseKeepsIt) {
  EXPECT_EQ(Without("Mara?", {"Mara"}), "Mara?");
  EXPECT_EQ(Without("no names here", {"Mara"}), "no names here");
}

TEST(NamesInQueryTest, AnyBytesAreAQuery) {
  EXPECT_TRUE(NamesOf("").empty());
  EXPECT_TRUE(NamesOf("?! '").empty());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "Name ";
  EXPECT_EQ(NamesOf(many).size(), kNamesMax);
  std::string bytes;
  for (int i = 1; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_LE(NamesOf(bytes).size(), kNamesMax);
}

}  // namespace
}  // namespace perdure
