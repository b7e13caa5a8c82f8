// Memory that runs out: the n-th allocation of a call fails, for every n. The call answers with an
// error or lets std::bad_alloc through to the one adapter that catches it; it leaks nothing, and
// the same call right afterwards gives the right answer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>

#include "engine/base/canonical.h"
#include "engine/log/entry.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"
#include "engine/token.h"
#include "engine/write/execute.h"
#include "index/chunk/chunker.h"
#include "index/text/terms.h"
#include "server/api/json.h"
#include "support/test_engine.h"

namespace {

thread_local std::int64_t fail_after = -1;  // allocations of this thread; -1: never
thread_local bool has_failed = false;
thread_local std::int64_t balance = 0;  // blocks this thread took and did not give back

void* Allocate(std::size_t bytes, std::size_t alignment) {
  if (fail_after == 0) {
    fail_after = -1;
    has_failed = true;
    return nullptr;
  }
  if (fail_after > 0) --fail_after;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (block != nullptr) ++balance;
  return block;
}
void Free(void* block) {
  if (block == nullptr) return;
  --balance;
  std::free(block);
}
void* AllocateOrThrow(std::size_t bytes, std::size_t alignment = 16) {
  void* block = Allocate(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(std::size_t bytes) { return AllocateOrThrow(bytes); }
void* operator new[](std::size_t bytes) { return AllocateOrThrow(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return AllocateOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return Allocate(bytes, 16);
}
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, std::size_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t) noexcept { Free(block); }
void operator delete(void* block, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { Free(block); }

namespace perdure {
namespace {

using testing::IsOk;
using testing::TestEngine;

// What a store holds, without RocksDB, which does not bear a failed allocation.
class Frozen final : public StateReader {
 public:
  explicit Frozen(const StateReader& store) {
    for (int i = 0; i < kFamilies; ++i) {
      const auto keep = [&](std::string_view key, std::string_view value) {
        rows_[i].emplace(key, value);
        return true;
      };
      EXPECT_THAT(store.Scan(static_cast<Family>(i), "", "", keep), IsOk());
    }
  }
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    const auto& rows = rows_[static_cast<int>(family)];
    const auto found = rows.find(key);
    if (found == rows.end()) return std::nullopt;
    return found->second;
  }
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override {
    const auto& rows = rows_[static_cast<int>(family)];
    const auto end = to.empty() ? rows.end() : rows.lower_bound(to);
    for (auto row = rows.lower_bound(from); row != end; ++row) {
      if (!visit(row->first, row->second)) break;
    }
    return {};
  }

 private:
  std::map<std::string, std::string, std::less<>> rows_[kFamilies];
};

// Makes every allocation of `call` fail in turn; `call` says whether its answer is the right one.
// Returns at how many places it failed.
int FailEach(const std::function<bool()>& call) {
  EXPECT_TRUE(call()) << "with all the memory that it wants";
  int places = 0;
  for (std::int64_t n = 0;; ++n) {
    const std::int64_t before = balance;
    has_failed = false;
    bool right = false;
    fail_after = n;
    try {
      right = call();
    } catch (const std::bad_alloc&) {
    }
    fail_after = -1;
    if (!has_failed) {
      EXPECT_TRUE(right);
      return places;
    }
    ++places;
    EXPECT_EQ(balance, before) << "blocks leaked when allocation " << n << " failed";
    if (n % 16 == 0) {
      EXPECT_TRUE(call()) << "after allocation " << n << " failed";
    }
  }
}

// What the n-th failure must not do here is crash; that a wrong answer is seen is the control.
TEST(Allocation, TheHarnessSeesALeakAndAFailure) {
  EXPECT_EQ(FailEach([] { return std::string(100, 'a').size() == 100; }), 1);
  EXPECT_EQ(FailEach([] { return std::vector<std::string>(3, std::string(50, 'b')).size() == 3; }),
            5);
}

TEST(Allocation, EntriesAndPayloadsAndHeadsOfLogs) {
  TestEngine engine;
  NoteDraft draft = testing::Note("a text of some length, so that it is no short string", "title");
  draft.tags = {"a tag that is rather long, too"};
  engine.Store(draft);
  const Seq seq = engine->Visible(kMainSpace).seq;
  const std::string entry = ReadEntry(engine->Latest(), kMainSpace, seq)->bytes();
  const std::string row =
      **engine->Latest().Get(Family::kPayload, tables::PayloadOf(kMainSpace, seq));
  const std::string head = engine->Visible(kMainSpace).Encode();
  EXPECT_GT(FailEach([&] { return Entry::Parse(entry).has_value(); }), 0);
  EXPECT_GT(FailEach([&] { return PayloadRow::Parse(row).has_value(); }), 0);
  EXPECT_GT(FailEach([&] {
              std::unique_ptr<fb::EntryT> unpacked((*Entry::Parse(entry))->UnPack());
              return PackEntry(*unpacked).size() > 100;
            }),
            0);
  FailEach([&] { return LogHead::Decode(head)->seq == seq; });
  FailEach([&] { return !LogHead::Decode("short").has_value(); });
  FailEach([&] { return !Entry::Parse(entry.substr(0, 40)).has_value(); });
}

TEST(Allocation, SignedTreeHeads) {
  testing::SeededRandom random;
  std::array<std::uint8_t, 32> seed{};
  random.Fill(seed);
  const SigningKey key = SigningKeyFromSeed(seed);
  const std::string note = SignTreeHead({"perdure/main", 77, EmptyRoot(), {}}, key);
  EXPECT_GT(
      FailEach([&] { return OpenTreeHead(note, "perdure/main", key.public_key).has_value(); }), 0);
  EXPECT_GT(FailEach([&] {
              return !OpenTreeHead(note + "x", "perdure/main", key.public_key).has_value();
            }),
            0);
}

TEST(Allocation, TokensScopesTimesAndCanonicalText) {
  TestEngine engine;
  IssueToken command;
  command.roles = kAgent;
  command.scope = "team/project;user=someone-with-a-long-name";
  const auto issued = engine->Issue(BootstrapPrincipal(), command, {});
  ASSERT_THAT(issued, IsOk());
  const std::string token = issued->first;
  const Frozen store(engine->Latest());
  const Micros now = engine.clock().Now();
  EXPECT_GT(FailEach([&] { return AuthenticateToken(store, token, now).has_value(); }), 5);
  EXPECT_GT(FailEach([&] {
              return !AuthenticateToken(store, "perdure_no_token_of_ours", now).has_value();
            }),
            0);
  const auto scope = [](std::string_view text) {
    return [text] {
      const auto parsed = ParseScope(text, "scope");
      return parsed && FormatScope(*parsed) == text;
    };
  };
  const std::string text = FormatScope(
      {.containers = {"a-workspace-with-a-long-name", "a-project-within-the-workspace"}});
  EXPECT_GT(FailEach(scope(text)), 2);
  FailEach([] { return ParseTime("2024-05-01T08:30:00.25Z", "t").has_value(); });
  EXPECT_GT(FailEach([] { return !ParseTime("the day before yesterday", "t").has_value(); }), 0);
  EXPECT_GT(FailEach([] {
              return *Canonical("Straße  ÜBER\u00ad alles, so that it is long") ==
                     *Canonical("strasse über alles, so that it is long");
            }),
            2);
}

TEST(Allocation, ChunksAndTerms) {
  std::string text = "# Heading\n\n";
  for (int i = 0; i < 40; ++i)
    text += "A sentence of several words, number " + std::to_string(i) + ". ";
  const auto count = [](std::string_view part) { return part.size() / 4; };
  const std::size_t chunks = ChunkMarkdown("title", text, count).size();
  EXPECT_GT(chunks, 1u);
  EXPECT_GT(FailEach([&] { return ChunkMarkdown("title", text, count).size() == chunks; }), 10);
  const std::size_t terms = TermsOfQuery("Which of the running foxes is src/a.cc?").size();
  EXPECT_GT(FailEach([&] {
              return TermsOfQuery("Which of the running foxes is src/a.cc?").size() == terms;
            }),
            10);
}

// The destructor of a nlohmann::json that is no scalar allocates and may not throw: values outlive
// the failure here, and so does what is parsed before an error.
TEST(Allocation, Json) {
  const std::string text =
      R"({"query": "words that are long enough to be on the heap", "filter": {"tags": ["a", "b"]}})";
  EXPECT_GT(FailEach([&] {
              const auto parsed = ParseJson(text);
              fail_after = -1;
              return parsed.has_value();
            }),
            5);
  const std::string cut = '"' + std::string(100, 'a');
  EXPECT_GT(FailEach([&] { return !ParseJson(cut).has_value(); }), 2);
  const nlohmann::json value = *ParseJson(text);
  EXPECT_GT(FailEach([&] { return DumpJson(value).size() > 60; }), 0);
}

TEST(Allocation, ACommandThatIsDecidedWritesAllOfItselfOrNothing) {
  TestEngine engine;
  const Uuid id = engine.Store(testing::Note("a note of some length that is edited", "title"));
  const Principal principal = testing::With(kAgent);
  const Command command = EditMemory{id, AppendText{" and then some more text, so that it grows"}};
  WriteOptions options{.idempotency_key = "key",
                       .request_digest = "digest",
                       .dry_run = true,
                       .reason = "because it is worth trying"};
  const SpaceKeys& keys = engine->KeysOf(kMainSpace);
  const Frozen base(engine->Latest());
  int refused = 0;
  const int places = FailEach([&] {
    Overlay group(base);
    const Circumstances circumstances{.space = kMainSpace,
                                      .head = engine->Visible(kMainSpace),
                                      .now = engine.clock().Now(),
                                      .seed = {},
                                      .secret = &keys.secret,
                                      .principal = &principal,
                                      .options = &options};
    const Execution execution = Execute(group, circumstances, command, [] { return 0U; });
    EXPECT_TRUE(group.mutations().empty());
    if (!execution.answer) {
      EXPECT_EQ(execution.answer.error().code, Code::kUnavailable);
      ++refused;
    }
    return execution.answer.has_value();
  });
  EXPECT_GT(places, 50);
  EXPECT_GT(refused, places / 2);
}

}  // namespace
}  // namespace perdure
