// An engine that is spoken to in facts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/decide/refusal.h"
#include "engine/read/facts.h"
#include "engine/read/review.h"
#include "engine/replay/replay.h"
#include "support/test_engine.h"

namespace perdure::testing {

inline constexpr Micros kDay = 86'400'000'000;

inline Evidence Quote(std::string quote, std::string source, std::optional<Micros> time = {}) {
  Evidence evidence;
  evidence.quote = std::move(quote);
  evidence.source = std::move(source);
  evidence.memory = ParseUuid(evidence.source);
  evidence.reference_time = time;
  return evidence;
}

inline FactDraft Fact(std::string subject, std::string predicate, std::string object,
                      std::optional<Evidence> evidence = {}) {
  FactDraft draft;
  draft.value = {std::move(subject), std::move(predicate), std::move(object)};
  draft.evidence = std::move(evidence);
  return draft;
}

class FactEngine : public TestEngine {
 public:
  using TestEngine::TestEngine;

  Result<WriteOutcome> Assert(FactDraft draft, const Principal& principal = With(kAgent)) {
    return Do(AssertFacts{{std::move(draft)}, false}, {}, principal);
  }
  // Asserts what must be let in, and returns the fact's id.
  Uuid Asserted(FactDraft draft, const Principal& principal = With(kAgent)) {
    const auto asserted = Assert(std::move(draft), principal);
    EXPECT_THAT(asserted, IsOk());
    return asserted && !asserted->memories.empty() ? asserted->memories[0].id : Uuid{};
  }
  FactAnswer About(std::string subject, std::string predicate = "", const ReadAt& at = {},
                   const Principal& principal = With(kAgent)) {
    const auto view = engine().Read(principal, at);
    EXPECT_THAT(view, IsOk());
    FactQuery query{std::move(subject), std::move(predicate), {}, true};
    auto answer = FactsAbout(*view, query);
    EXPECT_THAT(answer, IsOk());
    return answer ? *std::move(answer) : FactAnswer{};
  }
  // The object that stands, or nothing.
  std::string Standing(const std::string& subject, const std::string& predicate,
                       const ReadAt& at = {}) {
    const FactAnswer answer = About(subject, predicate, at);
    return answer.facts.empty() ? "" : answer.facts.front().object;
  }
  fb::MemoryRecordT Record(const Uuid& id) {
    const auto memory = Get(id, {}, With(kReviewer));
    EXPECT_THAT(memory, IsOk());
    return memory ? memory->record : fb::MemoryRecordT{};
  }
  // Parks what must be let wait, and returns its id.
  Uuid Proposed(std::variant<NoteDraft, FactDraft> draft,
                const Principal& principal = With(kAgent)) {
    const auto proposed = Do(ProposeCandidate{std::move(draft)}, {}, principal);
    EXPECT_THAT(proposed, IsOk());
    return proposed && !proposed->memories.empty() ? proposed->memories[0].id : Uuid{};
  }
  Result<WriteOutcome> Approve(const Uuid& id, const Principal& principal = With(kReviewer)) {
    return Do(ReviewCandidate{.id = id, .approve = true}, {.reason = "seen"}, principal);
  }
  Result<WriteOutcome> Reject(const Uuid& id, Refusing refusing = {},
                              const Principal& principal = With(kReviewer)) {
    return Do(ReviewCandidate{.id = id, .approve = false, .refusing = refusing},
              {.reason = "wrong"}, principal);
  }
  // Forgets the memory, and its value may not come back.
  Result<WriteOutcome> Refuse(const Uuid& id, Refusing refusing = {},
                              const Principal& principal = With(kReviewer)) {
    return Do(MoveState{id, Transition::kForget, refusing}, {.reason = "wrong"}, principal);
  }
  std::vector<SuppressionInfo> Suppressions(const Principal& principal = With(kReviewer)) {
    auto listed = ListSuppressions(*engine().Read(principal));
    EXPECT_THAT(listed, IsOk());
    return listed ? *std::move(listed) : std::vector<SuppressionInfo>{};
  }
  ReviewPage Queue(ReviewQueue queue, const Principal& principal = With(kReviewer)) {
    auto page = ListReview(*engine().Read(principal), queue, 100);
    EXPECT_THAT(page, IsOk());
    return page ? *std::move(page) : ReviewPage{};
  }
  // What default reads list, newest first.
  std::vector<std::string> Listed(const ListFilter& filter = {},
                                  const Principal& principal = With(kAgent)) {
    const auto page = engine().Read(principal)->List(filter, 100, "");
    EXPECT_THAT(page, IsOk());
    std::vector<std::string> texts;
    if (!page) return texts;
    for (const Memory& memory : page->memories) texts.push_back(Get(memory.id)->text);
    return texts;
  }
  void ExpectSound() {  // folding the log anew gives the same bytes
    const auto replayed = Replay(engine(), dir() / "replay");
    ASSERT_THAT(replayed, IsOk());
    EXPECT_EQ(replayed->difference, "");
  }
  // The refusals in the log with this rule.
  std::uint64_t Refusals(Rule rule) {
    const auto view = engine().Read(With(kOperator));
    std::uint64_t count = 0;
    LogQuery query{.event = fb::Event::WriteRefused, .limit = 1000};
    const auto page = view->QueryLog(query);
    EXPECT_THAT(page, IsOk());
    for (const LogLine& line : page->entries) {
      if (line.rule == FactsOf(rule).name) count += line.count;
    }
    return count;
  }

 private:
  Engine& engine() { return **this; }
};

// The record without what every entry changes: compares what a memory is, not how it came to be.
inline std::string Being(fb::MemoryRecordT record) {
  record.record_time = record.version_time = 0;
  record.seq = 0;
  record.version = 0;
  return Pack(record);
}

// EXPECT_THAT(result, IsRefusedBy(Rule::kSuppressed));
MATCHER_P(IsRefusedBy, rule, "is refused as asked") {
  if (arg.has_value()) {
    *result_listener << "which holds a value";
    return false;
  }
  *result_listener << arg.error();
  return RuleOf(arg.error()) == rule;
}

}  // namespace perdure::testing
