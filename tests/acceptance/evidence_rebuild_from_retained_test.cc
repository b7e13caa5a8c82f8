// evidence.rebuild_from_retained: after every projection and index is dropped, random tokens come
// back through search and context. What comes back are the tokens themselves.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kMemories = 60;

// A word that nothing but the log can know.
std::string Token(SeededRandom& random) {
  std::array<std::uint8_t, 10> bytes{};
  random.Fill(bytes);
  std::string word;
  for (const std::uint8_t byte : bytes) word += static_cast<char>('a' + byte % 26);
  return word;
}

struct Kept {
  std::string id;
  std::string token;
  std::string title;
};

TEST(RandomTokens, ComeBackFromTheLogAlone) {
  AcceptanceHouse house;
  SeededRandom random(20231114);
  const Caller agent = house.Agent();
  std::vector<Kept> kept;
  for (int i = 0; i < kMemories; ++i) {
    Kept memory{{}, Token(random), Token(random)};
    memory.id = house.Store(agent, "It was " + memory.token + ".", {{"title", memory.title}});
    if (i % 3 == 0) {
      const std::string first = memory.token;
      memory.token = Token(random);
      house.Must(agent, "memory_edit",
                 {{"id", memory.id}, {"old_text", first}, {"new_text", memory.token}});
    }
    kept.push_back(memory);
  }
  const std::string object = Token(random);
  Claimed(house, agent, Fact("Alice", "says", object));
  const Json listed = house.Must(agent, "memory_list", {{"limit", 1000}})["memories"];
  ASSERT_EQ(listed.size(), kMemories + 1u);

  house.RebuildFromLog();

  EXPECT_EQ(house.Must(agent, "memory_list", {{"limit", 1000}})["memories"], listed);
  for (const Kept& memory : kept) {
    EXPECT_THAT(house.Find(agent, memory.token), Contains(memory.id));
    EXPECT_THAT(house.Find(agent, memory.title), Contains(memory.id));
    EXPECT_EQ(house.Get(agent, memory.id)["text"], "It was " + memory.token + ".");
  }
  EXPECT_THAT(Standing(house, agent, "Alice", "says"), ElementsAre(object));
  // A token that was never stored is nowhere, and one that was edited away is history only.
  const std::string never = Token(random);
  EXPECT_THAT(house.Must(agent, "memory_search", {{"query", never}}).dump(), Not(HasSubstr(never)));
  const Json first = house.Must(agent, "memory_get", {{"ids", {kept[0].id}}, {"version", 1}});
  EXPECT_NE(first["memories"][0]["text"], house.Get(agent, kept[0].id)["text"]);
}

}  // namespace
}  // namespace perdure::testing
