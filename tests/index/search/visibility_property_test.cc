// Searches under random histories are held to the engine's own lists, which are held to a naive
// replay of the log in tests/engine/read.
#include <gtest/gtest.h>

#include <map>

#include "engine/base/limits.h"
#include "index/search/searchable_engine.h"
#include "support/random_commands.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::RandomCommands;
using testing::SearchableEngine;
using testing::With;

using Shown = std::map<Uuid, std::uint32_t>;  // and its version

constexpr const char* kEveryWord = "oat milk cat rain tea sun";

Shown Listed(SearchableEngine& engine, const SearchRequest& request, const Principal& principal) {
  Shown shown;
  const auto view = (*engine)->Read(principal, request.at);
  EXPECT_THAT(view, IsOk());
  const auto page =
      ListDescribed(*view, request.filter, request.described, limits::kListLimitMax, "");
  EXPECT_THAT(page, IsOk());
  for (const Memory& memory : page->memories) shown[memory.id] = memory.record.version;
  return shown;
}

Shown Searched(SearchableEngine& engine, const SearchRequest& request, const Principal& principal) {
  Shown shown;
  const auto answer = engine.Search(request, principal);
  EXPECT_THAT(answer, IsOk());
  for (const SearchHit& hit : answer->hits) shown[hit.id] = hit.memory.record.version;
  EXPECT_EQ(shown.size(), answer->hits.size()) << "a memory came twice";
  return shown;
}

ScopePath RandomScope(RandomCommands& random) {
  ScopePath scope;
  for (std::size_t depth = random.Below(3); depth > 0; --depth) {
    scope.containers.emplace_back(1, static_cast<char>('a' + random.Below(3)));
  }
  return scope;
}

SearchRequest RandomRequest(RandomCommands& random, Micros start, Micros end) {
  SearchRequest request{.query = kEveryWord, .limit = limits::kSearchLimitMax};
  if (random.Below(4) != 0) {
    const auto span = static_cast<std::size_t>(end - start + 1);
    request.at.time = start + static_cast<Micros>(random.Below(span));
  }
  if (random.Below(3) == 0) request.filter.scope = RandomScope(random);
  if (random.Below(4) == 0) request.filter.tags = {"tea"};
  if (random.Below(4) == 0) request.filter.pinned = random.Below(2) == 0;
  if (random.Below(3) == 0) {
    request.filter.states = {fb::MemoryState::archived, fb::MemoryState::forgotten,
                             fb::MemoryState::pending, fb::MemoryState::rejected,
                             fb::MemoryState::superseded};
  }
  if (random.Below(4) == 0) {
    request.filter.genres = {fb::Genre::associative};
    if (random.Below(2) == 0) request.filter.genres.push_back(fb::Genre::factual);
  }
  if (random.Below(3) == 0) {
    static constexpr const char* kExpressions[] = {R"({"n":{"gte":2}})", R"({"n":{"nin":[1]}})",
                                                   R"({"or":[{"n":0},{"word":{"exists":true}}]})"};
    request.described.metadata =
        *MetadataFilter::Parse(kExpressions[random.Below(3)], "filter.metadata");
  }
  if (random.Below(5) == 0) {
    request.described.happened_from = start + static_cast<Micros>(random.Below(1000));
    request.described.happened_until = end - static_cast<Micros>(random.Below(1000));
  }
  return request;
}

// So that filters of metadata tell memories, and versions of them, apart.
void DescribeOne(SearchableEngine& engine, RandomCommands& random) {
  if (random.ids().empty()) return;
  DescribeMemory described{.id = random.ids()[random.Below(random.ids().size())]};
  described.metadata = "{\"n\":" + std::to_string(random.Below(4)) + "}";
  if (random.Below(3) == 0) described.metadata = R"({"word":"tea"})";
  // Refused where the memory is gone.
  static_cast<void>(engine->Do(std::move(described)));
}

TEST(VisibilityProperty, SearchShowsWhatAListShowsAtAnyTimeToAnyone) {
  std::size_t shown = 0;
  std::size_t empty = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SearchableEngine engine(seed);
    RandomCommands random(seed, RandomCommands::About::kFactsToo);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 150; ++i) {
        random.Step(*engine);
        if (i % 3 == 0) DescribeOne(engine, random);
      }
      if (round == 1) engine.ReopenSearch();
      const Micros end = (*engine)->Visible(kMainSpace).time;
      const Micros start = ReadEntry((*engine)->Latest(), kMainSpace, 2)->operator*().record_time();
      for (int i = 0; i < 60; ++i) {
        SearchRequest request = RandomRequest(random, start, end);
        Principal principal = With(random.Below(2) == 0 ? kAgent : kAuditor);
        if (!request.filter.scope && random.Below(3) == 0) principal.scope = RandomScope(random);
        const Shown expected = Listed(engine, request, principal);
        ASSERT_LE(expected.size(), limits::kSearchLimitMax);
        ASSERT_EQ(Searched(engine, request, principal), expected) << "seed " << seed;
        (expected.empty() ? empty : shown) += 1;
      }
    }
  }
  EXPECT_GT(shown, 200u);
  EXPECT_GT(empty, 20u);
}

}  // namespace
}  // namespace perdure
