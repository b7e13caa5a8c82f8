// retrieval.k_is_an_upper_bound: at most k records and at most the byte budget in an answer;
// exactly k where k exist.
#include "acceptance/facts.h"
#include "engine/base/limits.h"

namespace perdure::testing {
namespace {

constexpr std::size_t kMemories = 101;

class Bound : public ::testing::Test {
 protected:
  // As many memories, each with `tags` bytes of tags to weigh.
  void Store(std::size_t count, std::size_t tags) {
    Json memories = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      Json memory = {{"text", "The walnut number " + std::to_string(i) + " lies in the basket"},
                     {"tags", Json::array()}};
      for (std::size_t at = 0; at < tags; ++at) {
        memory["tags"].push_back(std::to_string(i * tags + at) + std::string(110, 'x'));
      }
      memories.push_back(std::move(memory));
    }
    house_.Must(agent_, "memory_store_many", {{"memories", memories}});
  }
  std::size_t Found(std::size_t k) {
    return house_.Find(agent_, "walnut basket", {{"limit", k}}).size();
  }
  std::size_t Listed(std::size_t k) {
    return house_.Must(agent_, "memory_list", {{"limit", k}})["memories"].size();
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
};

TEST_F(Bound, OfASearchIsKAndKAreFoundWhereKExist) {
  Store(kMemories, 0);
  for (const std::size_t k : {1U, 2U, 9U, 10U, 11U, 99U, 100U}) EXPECT_EQ(Found(k), k);
  EXPECT_EQ(house_.Find(agent_, "walnut basket").size(), 10u);
  for (const Json& k : {Json(0), Json(-1), Json(limits::kSearchLimitMax + 1)}) {
    const Json call = {{"query", "walnut"}, {"limit", k}};
    EXPECT_EQ(house_.Ask(agent_, "memory_search", call).code, "invalid_argument") << k;
  }
}

TEST_F(Bound, OfAListIsKAndAllPagesTogetherAreEverything) {
  Store(kMemories, 0);
  for (const std::size_t k : {1U, 2U, 50U, 100U, 101U}) EXPECT_EQ(Listed(k), k);
  EXPECT_EQ(Listed(102), kMemories);
  std::size_t all = 0;
  for (Json call = {{"limit", 7}};;) {
    const Json page = house_.Must(agent_, "memory_list", call);
    EXPECT_LE(page["memories"].size(), 7u);
    all += page["memories"].size();
    if (!page.contains("cursor") || all > kMemories) break;
    call["cursor"] = page["cursor"];
  }
  EXPECT_EQ(all, kMemories);
}

TEST_F(Bound, OfBytesHoldsWhereKWouldBeMore) {
  Store(80, 60);  // more than 6 kB of tags each
  const Json found =
      house_.Must(agent_, "memory_search", {{"query", "walnut basket"}, {"limit", 80}});
  EXPECT_EQ(found["truncated"], true);
  EXPECT_LT(found["results"].size(), 80u);
  EXPECT_GT(found["results"].size(), 20u);
  EXPECT_LE(found["results"].dump().size(), limits::kAnswerBytesDefault + 1000);
  const Json listed = house_.Must(agent_, "memory_list", {{"limit", 80}});
  EXPECT_LT(listed["memories"].size(), 80u);
  EXPECT_GT(listed["memories"].size(), 20u);
  EXPECT_LE(listed["memories"].dump().size(), limits::kAnswerBytesDefault + 1000);
  EXPECT_EQ(Found(20), 20u);
}

}  // namespace
}  // namespace perdure::testing
