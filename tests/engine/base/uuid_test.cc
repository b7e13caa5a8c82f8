#include "engine/base/uuid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_set>

#include "support/seeded_random.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::SeededRandom;
using ::testing::HasSubstr;

std::array<std::uint8_t, 8> Draw(SeededRandom& random) {
  std::array<std::uint8_t, 8> bytes;
  random.Fill(bytes);
  return bytes;
}

TEST(Uuid, HasTheLayoutOfRfc9562Version7) {
  // Appendix A.6, whose rand_a is 0xcc3; 797 microseconds are 0xcc0 of the millisecond's 0x1000.
  const std::array<std::uint8_t, 8> rand_b = {0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f};
  EXPECT_EQ(ToString(MakeUuidV7(0x017f22e279b0 * 1000 + 797, rand_b)),
            "017f22e2-79b0-7cc0-98c4-dc0c0c07398f");
  const std::array<std::uint8_t, 8> ones = {255, 255, 255, 255, 255, 255, 255, 255};
  EXPECT_EQ(ToString(MakeUuidV7(0, ones)), "00000000-0000-7000-bfff-ffffffffffff");
}

TEST(Uuid, SortsByTheMicrosecondItWasMade) {
  SeededRandom random;
  std::vector<Uuid> made;
  for (std::int64_t i = 0; i < 5000; ++i) {
    made.push_back(MakeUuidV7(1'700'000'000'000'000 + i, Draw(random)));
  }
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end(),
                             [](const Uuid& a, const Uuid& b) { return AsBytes(a) < AsBytes(b); }));
  EXPECT_EQ(std::unordered_set<Uuid>(made.begin(), made.end()).size(), made.size());
}

TEST(Uuid, EveryUsualFormNamesTheSameId) {
  const std::string full = "0192f0c1-2345-7890-abcd-0123456789ab";
  const auto uuid = ParseUuid(full);
  ASSERT_TRUE(uuid);
  EXPECT_EQ(ToString(*uuid), full);
  for (const char* form :
       {"0192f0c123457890abcd0123456789ab", "0192F0C1-2345-7890-ABCD-0123456789AB",
        "0192F0C123457890abcd0123456789AB", "{0192f0c1-2345-7890-abcd-0123456789ab}",
        "{0192f0c123457890abcd0123456789ab}", "urn:uuid:0192f0c1-2345-7890-abcd-0123456789ab",
        "URN:UUID:0192f0c1-2345-7890-abcd-0123456789ab"}) {
    EXPECT_EQ(ParseUuid(form), uuid) << form;
  }
  EXPECT_EQ(UuidFromBytes(AsBytes(*uuid)), uuid);
  EXPECT_FALSE(UuidFromBytes(AsBytes(*uuid).substr(1)));
}

TEST(Uuid, WhatIsNoIdIsRefused) {
  for (const char* text :
       {"", "{}", "urn:uuid:", "0192f0c1-2345-7890-abcd-0123456789a",
        "0192f0c1-2345-7890-abcd-0123456789abc", "0192f0c1-23457890-abcd-0123456789ab",
        "0192f0c12345-7890-abcd-0123456789ab", "0192f0c1--2345-7890-abcd-0123456789ab",
        "0192f0c1-2345-7890-abcd-0123456789ab-", "0192f0c1-2345-7890-abcd-0123456789ag",
        "{0192f0c1-2345-7890-abcd-0123456789ab", " 0192f0c1-2345-7890-abcd-0123456789ab",
        "0192f0c1-2345-7890-abcd-01234-56789ab", "-192f0c1-2345-7890-abcd-0123456789ab"}) {
    EXPECT_FALSE(ParseUuid(text)) << text;
  }
  ASSERT_TRUE(ParseUuid("0192f0c1-2345-7890-abcd-0123456789ab"));
}

TEST(Uuid, APrefixCoversExactlyTheIdsThatBeginWithIt) {
  SeededRandom random;
  for (int round = 0; round < 200; ++round) {
    const Uuid uuid = MakeUuidV7(1'700'000'000'000'000 + round, Draw(random));
    const Uuid other = MakeUuidV7(1'800'000'000'000'000 + round, Draw(random));
    std::string plain = ToString(uuid);
    std::erase(plain, '-');
    for (std::size_t length = 8; length <= 36; ++length) {
      const std::string hyphenated = ToString(uuid).substr(0, length);
      const auto prefix = ParseUuidPrefix(hyphenated, "id");
      ASSERT_THAT(prefix, IsOk()) << hyphenated;
      EXPECT_TRUE(prefix->Contains(uuid));
      EXPECT_FALSE(prefix->Contains(other));
      EXPECT_TRUE(ToString(prefix->low).starts_with(hyphenated));
      EXPECT_TRUE(ToString(prefix->high).starts_with(hyphenated));
      EXPECT_EQ(prefix->IsWhole(), length == 36);
      if (length > 32) continue;
      ASSERT_THAT(ParseUuidPrefix(plain.substr(0, length), "id"), IsOk());
      EXPECT_TRUE(ParseUuidPrefix(plain.substr(0, length), "id")->Contains(uuid));
    }
  }
  const auto odd = ParseUuidPrefix("0192F0C12", "id");
  ASSERT_THAT(odd, IsOk());
  EXPECT_EQ(ToString(odd->low), "0192f0c1-2000-0000-0000-000000000000");
  EXPECT_EQ(ToString(odd->high), "0192f0c1-2fff-ffff-ffff-ffffffffffff");
}

TEST(Uuid, AMalformedOrShortPrefixNamesTheField) {
  for (const char* text : {"0192f0c", "0192f0c1", "0192f0c12"}) {
    const bool long_enough = std::string_view(text).size() >= 8;
    const auto prefix = ParseUuidPrefix(text, "ids");
    ASSERT_EQ(prefix.has_value(), long_enough) << text;
    if (!prefix) {
      EXPECT_THAT(prefix, FailsWith(Code::kInvalidArgument, HasSubstr("8 hex digits; this has 7")));
      EXPECT_EQ(prefix.error().field, "ids");
    }
  }
  for (const char* text :
       {"not an id", "0192f0c1 ", "0192f0c1_2345", "0192f0c1-2345789", "01-92f0c123"}) {
    EXPECT_THAT(ParseUuidPrefix(text, "ids"),
                FailsWith(Code::kInvalidArgument, HasSubstr("no id")));
  }
}

}  // namespace
}  // namespace perdure
