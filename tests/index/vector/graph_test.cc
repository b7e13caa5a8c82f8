#include "index/vector/graph.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "index/vector/vectors.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::IsOk;

constexpr std::uint32_t kNodes = 400;

bool AnyLabel(std::uint32_t) { return true; }

class GraphBytes : public ::testing::Test {
 protected:
  GraphBytes() : rows_(RowFormat(32)) {
    for (const auto& vector : testing::TopicVectors(kNodes, 32, 1)) rows_.Append(vector);
    for (std::uint32_t i = 0; i < kNodes; ++i) codes_.push_back(rows_.CodeOf(i));
  }

  std::unique_ptr<Graph> Grown(std::uint32_t nodes) const {
    auto graph = Graph::Create(rows_.format(), kNodes);
    EXPECT_THAT(graph, IsOk());
    Extend(**graph, nodes);
    return std::move(*graph);
  }
  void Extend(Graph& graph, std::uint32_t nodes) const {
    for (auto i = static_cast<std::uint32_t>(graph.size()); i < nodes; ++i) {
      EXPECT_THAT(graph.Insert(codes_[i], i, i), IsOk());
    }
  }

  RowTable rows_;
  std::vector<const RowCode*> codes_;
};

TEST_F(GraphBytes, GiveBackAGraphThatGrowsIntoTheSame) {
  const std::string whole = Grown(kNodes)->Encode();
  for (const std::uint32_t half : {1U, 2U, 17U, 200U, 399U}) {
    const auto decoded = Graph::Decode(Grown(half)->Encode(), rows_.format(), codes_);
    ASSERT_THAT(decoded, IsOk());
    const auto copy = (*decoded)->Copy(kNodes);
    ASSERT_THAT(copy, IsOk());
    Extend(**copy, kNodes);
    EXPECT_EQ((*copy)->Encode(), whole) << half;
  }
}

TEST_F(GraphBytes, CutAnywhereAreRefused) {
  const std::string bytes = Grown(kNodes)->Encode();
  EXPECT_THAT(Graph::Decode(bytes, rows_.format(), codes_), IsOk());
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    const auto cut = Graph::Decode(std::string_view(bytes).substr(0, size), rows_.format(), codes_);
    ASSERT_FALSE(cut.has_value()) << size;
    EXPECT_EQ(cut.error().code, Code::kCorrupt);
  }
  EXPECT_FALSE(Graph::Decode(bytes + "x", rows_.format(), codes_).has_value());
}

// Whatever decodes must also be safe to search and to extend.
TEST_F(GraphBytes, WithRandomDamageNeverCrash) {
  const std::string bytes = Grown(kNodes - 1)->Encode();
  std::mt19937_64 random(2);
  int refused = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string damaged = bytes;
    for (std::uint64_t i = 0; i <= random() % 3; ++i) {
      const std::size_t at = random() % (round % 2 == 0 ? damaged.size() : 200);
      damaged[at] = static_cast<char>(random());
    }
    const auto graph = Graph::Decode(damaged, rows_.format(), codes_);
    if (!graph) {
      ++refused;
      continue;
    }
    EXPECT_THAT((*graph)->Search(codes_[random() % kNodes], 5, AnyLabel), IsOk());
    const auto copy = (*graph)->Copy(kNodes);
    ASSERT_THAT(copy, IsOk());
    EXPECT_THAT((*copy)->Insert(codes_[kNodes - 1], kNodes - 1, 1), IsOk());
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace perdure
