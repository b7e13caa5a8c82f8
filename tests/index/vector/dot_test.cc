#include "index/vector/dot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "index/vector/row.h"
#include "index/vector/vectors.h"

namespace perdure {
namespace {

using testing::RandomVector;

TEST(DotKernels, GiveTheSameBitsAsThePortableOnes) {
  const DotKernels portable = PortableDotKernels();
  const DotKernels fastest = FastestDotKernels();
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> any(-127, 127);
  for (std::size_t length = kDotRound; length <= 512; length += kDotRound) {
    const auto a = RandomVector(length, random);
    const auto b = RandomVector(length, random);
    EXPECT_EQ(fastest.floats(a.data(), b.data(), length),
              portable.floats(a.data(), b.data(), length));
    std::vector<std::int8_t> x(length);
    std::vector<std::int8_t> y(length);
    for (auto& value : x) value = static_cast<std::int8_t>(any(random));
    for (auto& value : y) value = static_cast<std::int8_t>(any(random));
    EXPECT_EQ(fastest.codes(x.data(), y.data(), length),
              portable.codes(x.data(), y.data(), length));
  }
}

TEST(DotKernels, HoldTheGreatestCodesWithoutOverflow) {
  for (const int sign : {1, -1}) {
    const std::vector<std::int8_t> x(4096, 127);
    const std::vector<std::int8_t> y(4096, static_cast<std::int8_t>(127 * sign));
    EXPECT_EQ(FastestDotKernels().codes(x.data(), y.data(), 4096), 4096 * 127 * 127 * sign);
  }
}

TEST(DotKernels, AgreeWithSumsInDoublePrecision) {
  std::mt19937_64 random(2);
  const auto a = RandomVector(384, random);
  const auto b = RandomVector(384, random);
  double expected = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  EXPECT_NEAR(static_cast<double>(FastestDotKernels().floats(a.data(), b.data(), 384)), expected,
              1e-6);
}

TEST(RowCodes, AreNeverFartherFromTheVectorsThanTheBoundSays) {
  std::mt19937_64 random(3);
  const RowFormat format(100);
  float widest = 0;
  for (int i = 0; i < 2'000; ++i) {
    RowTable rows(format);
    auto a = RandomVector(100, random);
    auto b = RandomVector(100, random);
    if (i % 3 == 0) a[static_cast<std::size_t>(i % 100)] = 5;  // one value dwarfs the others
    if (i % 5 == 0) b = a;
    rows.Append(testing::Normalised(std::move(a)));
    rows.Append(testing::Normalised(std::move(b)));
    const float off = std::abs(format.Cosine(rows.Values(0), rows.Values(1)) -
                               format.CodeCosine(rows.CodeOf(0), rows.CodeOf(1)));
    EXPECT_LE(off, RowFormat::CodeError(rows.CodeOf(0), rows.CodeOf(1)));
    widest = std::max(widest, off);
  }
  EXPECT_GT(widest, 1e-4F);  // codes do lose something: the bound is not idle
}

}  // namespace
}  // namespace perdure
