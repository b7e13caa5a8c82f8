#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/front_limits.h"
#include "index/context/context_pack.h"
#include "index/search/searchable_engine.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::Note;
using testing::SearchableEngine;
using testing::With;

ContextPack Pack(SearchableEngine& engine, ContextRequest request = {},
                 const Principal& principal = With(kAgent)) {
  if (request.tokens == 0) request.tokens = 2000;
  auto pack = AssembleContext(**engine, &engine.search(), principal, request);
  EXPECT_THAT(pack, IsOk());
  return pack ? *std::move(pack) : ContextPack();
}

std::vector<Uuid> IdsOf(const ContextPack& pack) {
  std::vector<Uuid> ids;
  for (const ContextEntry& entry : pack.entries) ids.push_back(entry.memory.id);
  return ids;
}

ContextReason ReasonOf(const ContextPack& pack, const Uuid& id) {
  const auto at = std::ranges::find(pack.considered, id, &ContextConsidered::id);
  EXPECT_NE(at, pack.considered.end());
  return at->reason;
}

Uuid StoreOf(SearchableEngine& engine, const std::string& text, float importance) {
  NoteDraft draft = Note(text);
  draft.importance = importance;
  return engine->Store(draft);
}

TEST(ContextPack, BeginsWithWhatIsPinnedThenFactsThenTheWorthiest) {
  SearchableEngine engine;
  const Uuid plain = StoreOf(engine, "Lunch is at noon.", .2F);
  const Uuid worthy = StoreOf(engine, "Deploys need two approvals.", .9F);
  const auto fact = engine->Do(
      AssertFacts{{{.value = {"api", "speaks", "http"}, .evidence = Evidence{.quote = "q"}}}});
  ASSERT_THAT(fact, IsOk());
  const Uuid pinned = StoreOf(engine, "Never force push.", .1F);
  ASSERT_THAT(engine->Do(MoveState{pinned, Transition::kPin}, {}, With(kReviewer)), IsOk());
  const ContextPack pack = Pack(engine);
  EXPECT_EQ(IdsOf(pack), (std::vector<Uuid>{pinned, fact->memories.front().id, worthy, plain}));
  EXPECT_EQ(ReasonOf(pack, pinned), ContextReason::kPinned);
  EXPECT_EQ(ReasonOf(pack, fact->memories.front().id), ContextReason::kStandingFact);
  EXPECT_EQ(ReasonOf(pack, plain), ContextReason::kWorth);
}

TEST(ContextPack, OfAQueryHoldsWhatASearchFinds) {
  SearchableEngine engine;
  const Uuid found = engine->Store(Note("The pipeline deploys on Fridays."));
  const Uuid pinned = engine->Store(Note("Never force push."));
  ASSERT_THAT(engine->Do(MoveState{pinned, Transition::kPin}, {}, With(kReviewer)), IsOk());
  ASSERT_TRUE(engine.Settle());
  const ContextPack pack = Pack(engine, {.query = "when does the pipeline deploy"});
  ASSERT_GE(pack.entries.size(), 2u);
  EXPECT_EQ(pack.entries[0].memory.id, pinned);
  EXPECT_EQ(pack.entries[1].memory.id, found);
}

TEST(ContextPack, KeepsToItsBudgetAndSaysWhatHadNoRoom) {
  SearchableEngine engine;
  for (int i = 0; i < 20; ++i) {
    engine->Store(Note("memory " + std::to_string(i) + " " + std::string(400, 'x')));
  }
  const Uuid brief = StoreOf(engine, "brief", .01F);
  const ContextPack pack = Pack(engine, {.tokens = 700});
  EXPECT_LE(pack.tokens, 700u);
  EXPECT_LT(pack.entries.size(), 21u);
  EXPECT_EQ(pack.considered.size(), 21u);
  EXPECT_EQ(ReasonOf(pack, brief), ContextReason::kWorth) << "what is short may still fit";
  EXPECT_GT(std::ranges::count(pack.considered, ContextReason::kNoRoom, &ContextConsidered::reason),
            10);
  using limits::kContextTokensMax;
  using limits::kContextTokensMin;
  const auto assemble = [&](std::size_t tokens) {
    return AssembleContext(**engine, nullptr, With(kAgent), {.tokens = tokens});
  };
  for (const std::size_t tokens : {kContextTokensMin - 1, kContextTokensMax + 1}) {
    EXPECT_EQ(assemble(tokens).error().field, "tokens");
  }
  for (const std::size_t tokens :
       {kContextTokensMin, kContextTokensMin + 1, kContextTokensMax - 1, kContextTokensMax}) {
    EXPECT_THAT(assemble(tokens), IsOk());
  }
}

TEST(ContextPack, SaysNothingTwiceButNumbersApart) {
  SearchableEngine engine;
  NoteDraft other = Note("The port is 8080.");
  other.type = "copy";
  other.reference_time = 1;
  const Uuid first = StoreOf(engine, "The port is 8080.", .9F);
  const Uuid same = engine->Store(other);
  const Uuid differs = engine->Store(Note("The port is 8081."));
  ASSERT_NE(first, same);
  const ContextPack pack = Pack(engine);
  EXPECT_EQ(ReasonOf(pack, same), ContextReason::kDuplicate);
  EXPECT_EQ(ReasonOf(pack, differs), ContextReason::kWorth);
}

TEST(ContextPack, ShowsNothingOfOtherScopes) {
  SearchableEngine engine;
  NoteDraft theirs = Note("secret of b");
  theirs.scope = ScopePath{.containers = {"b"}};
  const Uuid other = engine->Store(theirs);
  NoteDraft own = Note("known in a");
  own.scope = ScopePath{.containers = {"a"}};
  const Uuid mine = engine->Store(own);
  Principal narrow = With(kAgent);
  narrow.scope = ScopePath{.containers = {"a"}};
  const ContextPack pack = Pack(engine, {}, narrow);
  EXPECT_EQ(IdsOf(pack), std::vector<Uuid>{mine});
  for (const ContextConsidered& considered : pack.considered) EXPECT_NE(considered.id, other);
  EXPECT_EQ(Pack(engine).entries.size(), 2u);
}

TEST(ContextPack, IsTheSameToTheByteWhateverTheTime) {
  SearchableEngine engine;
  for (int i = 0; i < 8; ++i) engine->Store(Note("memory number " + std::to_string(i)));
  const auto text = [&] {
    std::string all;
    for (const ContextEntry& entry : Pack(engine).entries) all += entry.head + entry.content;
    return all;
  };
  const std::string before = text();
  engine->clock().Advance(std::int64_t{90} * 86'400'000'000);
  EXPECT_EQ(text(), before);
}

TEST(ContextPack, CountsTokensByCharacters) {
  EXPECT_EQ(EstimateTokens(""), 0u);
  EXPECT_EQ(EstimateTokens("abcde"), 2u);
  EXPECT_EQ(EstimateTokens("三个月"), 3u);
}

}  // namespace
}  // namespace perdure
