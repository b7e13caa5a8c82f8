#include "index/search/turn_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace perdure {
namespace {

class Turns {
 public:
  void Add(std::uint32_t session, std::int64_t position) {
    turns_.Append({position, 0, session, kNoRow, 0});
    order_.Append();
    if (session != kNoRow) {
      expected_[session].push_back(static_cast<std::uint32_t>(turns_.size() - 1));
    }
  }
  void Remove(std::uint32_t turn) {
    order_.Remove(turn);
    std::erase(expected_[turns_[turn].session], turn);
  }
  std::size_t size() const { return turns_.size(); }
  std::uint32_t SessionOf(std::uint32_t turn) const { return turns_[turn].session; }

  // Both ways, each session is what sorting says.
  void Check() {
    for (auto& [session, turns] : expected_) {
      std::ranges::sort(turns, [this](std::uint32_t a, std::uint32_t b) {
        return std::tuple(turns_[a].position, a) < std::tuple(turns_[b].position, b);
      });
      for (std::size_t i = 0; i < turns.size(); ++i) {
        ASSERT_EQ(order_.Previous(turns[i]), i == 0 ? kNoRow : turns[i - 1]);
        ASSERT_EQ(order_.Next(turns[i]), i + 1 == turns.size() ? kNoRow : turns[i + 1]);
      }
    }
  }

 private:
  BlockedTable<rows::Turn> turns_;
  TurnOrder order_{turns_};
  std::map<std::uint32_t, std::vector<std::uint32_t>> expected_;
};

TEST(TurnOrderTest, IsThatOfSortingHoweverTurnsComeAndGo) {
  std::mt19937 generator(7);
  Turns turns;
  std::vector<std::uint32_t> there;
  for (int i = 0; i < 3000; ++i) {
    if (generator() % 4 == 0 && !there.empty()) {
      const std::size_t at = generator() % there.size();
      turns.Remove(there[at]);
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      there.push_back(static_cast<std::uint32_t>(turns.size()));
      turns.Add(static_cast<std::uint32_t>(generator() % 5),
                static_cast<std::int64_t>(generator() % 50));
    }
    if (i % 50 == 0) turns.Check();
  }
  turns.Check();
}

TEST(TurnOrderTest, ATurnWithoutASessionStandsAlone) {
  BlockedTable<rows::Turn> turns;
  TurnOrder order(turns);
  for (const std::uint32_t session : {std::uint32_t{3}, kNoRow, std::uint32_t{3}}) {
    turns.Append({0, 0, session, kNoRow, 0});
    order.Append();
  }
  EXPECT_EQ(order.Next(0), 2u);
  EXPECT_EQ(order.Next(1), kNoRow);
  EXPECT_EQ(order.Previous(1), kNoRow);
  EXPECT_EQ(order.sessions(), 1u);
  order.Remove(1);
  order.Remove(0);
  order.Remove(2);
  turns.Append({0, 0, 3, kNoRow, 0});
  order.Append();
  EXPECT_EQ(order.Previous(3), kNoRow);
}

}  // namespace
}  // namespace perdure
