// A store in which one value may have been rejected, and the ways by which it could come back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/canonical.h"
#include "engine/facts/fact_engine.h"

namespace perdure::testing {

inline constexpr const char* kValue = "cr\u00e8me";
inline constexpr const char* kSentence = "Alice drinks cr\u00e8me";
inline const ScopePath kAttic{{"attic"}, "", "", ""};

// As what the value was known: a fact, or the text of a note.
enum class Form { kFact, kNote };

inline std::string Spelled(const std::string& text) { return *Canonical(text); }

// A store in which the value may have been rejected, and what a way in has prepared there.
class World : public FactEngine {
 public:
  explicit World(Form form) : form_(form) {}

  FactDraft AsFact(std::string object = kValue) { return Fact("Alice", "drinks", object); }
  bool is_fact() const { return form_ == Form::kFact; }
  // Lets the value in, live.
  Uuid Hold(std::optional<ScopePath> scope = {}) {
    if (!is_fact()) return HoldNote(std::move(scope));
    FactDraft draft = AsFact();
    draft.scope = std::move(scope);
    return Asserted(draft);
  }
  Uuid HoldNote(std::optional<ScopePath> scope = {}) {
    NoteDraft draft = Note(kSentence);
    draft.scope = std::move(scope);
    return Store(draft);
  }
  Uuid Wait() { return is_fact() ? Proposed(AsFact()) : Proposed(Note(kSentence)); }
  Result<WriteOutcome> Enter(WriteOptions options = {}) {
    if (is_fact()) return Do(AssertFacts{{AsFact()}, false}, std::move(options));
    return Do(StoreMemories{{Note(kSentence)}}, std::move(options));
  }
  void Reject() {
    SuppressValue rejected{std::string(kSentence), reach};
    if (is_fact()) rejected.value = FactValue{"Alice", "drinks", kValue};
    ASSERT_THAT(Do(rejected), IsOk());
  }
  // The memories in this state that say the value.
  std::size_t Holders(fb::MemoryState state) {
    ListFilter filter;
    filter.states = {state};
    filter.genres = {fb::Genre::factual, fb::Genre::associative};
    std::size_t holders = 0;
    const auto page = (**this).Read(With(kOperator))->List(filter, 100, "");
    for (const Memory& listed : page->memories) {
      const auto memory = Get(listed.id, {}, With(kOperator));
      const std::string words = memory->subject + " " + memory->predicate + " " + memory->object;
      const std::string back = memory->object + " " + memory->predicate + " " + memory->subject;
      for (const std::string& text : {memory->text, words, back}) {
        if (Spelled(text) != Spelled(kSentence)) continue;
        ++holders;
        break;
      }
    }
    return holders;
  }

  std::optional<ScopePath> reach;  // of the rejection; absent: the space
  Uuid id;
  Uuid other;
  Micros then = 0;
  Seq decision = 0;

 private:
  Form form_;
};

enum class Ends {
  kRefused,   // by the rule
  kKeptOut,   // done but for the value, which is counted
  kRepeated,  // the old answer, and nothing is written
  kOverride,  // a reviewer lets it in, and the log says so
};

struct Way {
  std::string name;
  std::function<void(World&)> prepare = [](World&) {};
  std::function<Result<WriteOutcome>(World&)> attempt;
  Ends ends = Ends::kRefused;
  fb::MemoryState comes_as = fb::MemoryState::live;
};
using Ways = std::vector<Way>;

// Of every command: one without a way does not compile.
Ways AllWays();

}  // namespace perdure::testing
