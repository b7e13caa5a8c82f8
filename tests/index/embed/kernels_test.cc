#include "index/embed/kernels.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "index/embed/bert_shape.h"
#include "index/embed/kernel_list.h"

namespace perdure {
namespace {

using bert::kHeadSize;
using bert::kHidden;

class KernelsTest : public ::testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels() const { return *GetParam(); }

  std::vector<float> RandomFloats(std::size_t count, float size) {
    std::uniform_real_distribution<float> distribution(-size, size);
    std::vector<float> values(count);
    for (float& value : values) value = distribution(random_);
    return values;
  }

  std::mt19937_64 random_{3};
};

double HalfValue(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

TEST_P(KernelsTest, WidensEveryFiniteHalfExactly) {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7c00) != 0x7c00) halves.push_back(static_cast<std::uint16_t>(half));
  }
  std::vector<float> floats(halves.size());
  kernels().widen(halves.data(), halves.size(), floats.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    ASSERT_EQ(double{floats[i]}, HalfValue(halves[i])) << halves[i];
    ASSERT_EQ(std::signbit(floats[i]), (halves[i] & 0x8000) != 0) << halves[i];
  }
}

struct RandomLinear {
  std::size_t inputs;
  std::vector<std::uint16_t> panels;
  std::vector<double> weights;  // outputs x inputs
  std::vector<float> bias;

  LinearView view() const { return {panels.data(), bias.data(), inputs, bias.size()}; }
};

RandomLinear MakeLinear(std::size_t outputs, std::size_t inputs, std::size_t panel_columns,
                        std::mt19937_64& random) {
  RandomLinear linear{inputs, std::vector<std::uint16_t>(outputs * inputs), {}, {}};
  for (std::size_t output = 0; output < outputs; ++output) {
    linear.bias.push_back(static_cast<float>(random() % 1000) / 500.0F - 1.0F);
    for (std::size_t input = 0; input < inputs; ++input) {
      const std::uint64_t bits = random();  // sizes from 2^-10 to 2^-3
      const auto half =
          static_cast<std::uint16_t>((bits & 0x83ffU) | (5 + (bits >> 32U) % 7) << 10U);
      linear.weights.push_back(HalfValue(half));
      linear.panels[output / panel_columns * panel_columns * inputs + input * panel_columns +
                    output % panel_columns] = half;
    }
  }
  return linear;
}

TEST_P(KernelsTest, MultipliesAsTheFormulaSays) {
  for (const std::size_t rows : {1, 2, 5, 7, 13, 127, 128, 129, 150}) {
    const RandomLinear linear = MakeLinear(64, 48, kernels().panel_columns, random_);
    const std::vector<float> x = RandomFloats(rows * 48, 1);
    std::vector<float> y(rows * 64);
    std::vector<float> scratch(48 * kPanelColumnsMax);
    kernels().linear(linear.view(), x.data(), rows, y.data(), scratch.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      double expected = linear.bias[i % 64];
      for (std::size_t k = 0; k < 48; ++k) {
        expected += double{x[i / 64 * 48 + k]} * linear.weights[i % 64 * 48 + k];
      }
      ASSERT_NEAR(y[i], expected, 1e-5) << rows << " rows, value " << i;
    }
  }
}

TEST_P(KernelsTest, GivesARowTheSameBitsInEveryCompany) {
  const RandomLinear linear = MakeLinear(32, kHidden, kernels().panel_columns, random_);
  const std::vector<float> x = RandomFloats(140 * kHidden, 1);
  std::vector<float> scratch(kHidden * kPanelColumnsMax);
  std::vector<float> alone(140 * 32);
  for (std::size_t row = 0; row < 140; ++row) {
    kernels().linear(linear.view(), &x[row * kHidden], 1, &alone[row * 32], scratch.data());
  }
  for (std::size_t rows = 1; rows <= 140; ++rows) {
    std::vector<float> together(rows * 32);
    kernels().linear(linear.view(), x.data(), rows, together.data(), scratch.data());
    ASSERT_TRUE(std::equal(together.begin(), together.end(), alone.begin())) << rows;
  }
}

TEST_P(KernelsTest, GeluIsTheExactOne) {
  std::vector<float> x = RandomFloats(4096, 8);
  x[0] = 0.0F;
  x[1] = -0.0F;
  x[2] = 100.0F;
  x[3] = -100.0F;
  x[4] = 1e-30F;
  x[5] = -1e-30F;
  std::vector<float> y = x;
  kernels().gelu(y.size(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = 0.5 * x[i] * (1 + std::erf(x[i] / std::sqrt(2.0)));
    ASSERT_NEAR(y[i], expected, 1e-6 * std::max(1.0F, std::abs(x[i]))) << x[i];
  }
}

TEST_P(KernelsTest, NormalisesEachRow) {
  constexpr std::size_t kRows = 3;
  const std::vector<float> weight = RandomFloats(kHidden, 2);
  const std::vector<float> bias = RandomFloats(kHidden, 1);
  const std::vector<float> residual = RandomFloats(kRows * kHidden, 3);
  const std::vector<float> before = RandomFloats(kRows * kHidden, 3);
  for (const bool with_residual : {false, true}) {
    std::vector<float> after = before;
    kernels().layer_norm({weight.data(), bias.data()}, with_residual ? residual.data() : nullptr,
                         kRows, after.data());
    const auto input = [&](std::size_t at) {
      return double{before[at]} + (with_residual ? double{residual[at]} : 0.0);
    };
    for (std::size_t row = 0; row < kRows; ++row) {
      double mean = 0;
      double variance = 0;
      for (std::size_t i = 0; i < kHidden; ++i) mean += input(row * kHidden + i) / kHidden;
      for (std::size_t i = 0; i < kHidden; ++i) {
        variance += std::pow(input(row * kHidden + i) - mean, 2) / kHidden;
      }
      for (std::size_t i = 0; i < kHidden; ++i) {
        const double expected =
            (input(row * kHidden + i) - mean) / std::sqrt(variance + 1e-12) * weight[i] + bias[i];
        ASSERT_NEAR(after[row * kHidden + i], expected, 1e-5);
      }
    }
  }
}

// One head's output for one query, in double.
std::vector<double> AttentionOracle(const std::vector<float>& qkv, std::size_t tokens,
                                    std::size_t head, std::size_t query) {
  const auto at = [&](std::size_t token, std::size_t part, std::size_t d) {
    return double{qkv[token * 3 * kHidden + part * kHidden + head * kHeadSize + d]};
  };
  std::vector<double> shares(tokens);
  double total = 0;
  for (std::size_t token = 0; token < tokens; ++token) {
    double score = 0;
    for (std::size_t d = 0; d < kHeadSize; ++d) score += at(query, 0, d) * at(token, 1, d);
    shares[token] = std::exp(score / std::sqrt(double{kHeadSize}));
    total += shares[token];
  }
  std::vector<double> out(kHeadSize);
  for (std::size_t token = 0; token < tokens; ++token) {
    for (std::size_t d = 0; d < kHeadSize; ++d) out[d] += shares[token] / total * at(token, 2, d);
  }
  return out;
}

TEST_P(KernelsTest, AttendsAsTheFormulaSays) {
  for (const std::size_t tokens : {1, 2, 15, 16, 17, 31, 32, 33, 70, 256}) {
    const std::vector<float> qkv = RandomFloats(tokens * 3 * kHidden, 1.5F);
    std::vector<float> out(tokens * kHidden);
    std::vector<float> scratch(AttentionScratchFloats(tokens), std::nanf(""));
    kernels().attend(qkv.data(), tokens, out.data(), scratch.data());
    for (std::size_t head = 0; head < bert::kHeads; head += 5) {
      for (std::size_t query = 0; query < tokens; query += 7) {
        const std::vector<double> expected = AttentionOracle(qkv, tokens, head, query);
        for (std::size_t d = 0; d < kHeadSize; ++d) {
          ASSERT_NEAR(out[query * kHidden + head * kHeadSize + d], expected[d], 1e-5)
              << tokens << " tokens, head " << head << ", query " << query;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KernelsTest, ::testing::ValuesIn(testing::EveryKernel()),
                         testing::KernelName);

TEST(SupportedKernelsTest, EndsWithThePortableOne) {
  EXPECT_STREQ(testing::EveryKernel().back()->name, "portable");
}

}  // namespace
}  // namespace perdure
