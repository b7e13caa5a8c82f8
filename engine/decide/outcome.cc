#include <algorithm>

#include "engine/base/check.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"

namespace perdure {
namespace {

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t at = text.find(' ');
    words.emplace_back(text.substr(0, at));
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  }
  return words;
}

struct Effect {
  std::uint32_t version = 0;
  bool created = false;
  bool changed = true;
};

std::optional<Effect> EffectOfReview(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::FactReinforced:
      return Effect{entry.event_as_FactReinforced()->version()};
    case fb::Event::CandidateApproved:
      return Effect{entry.event_as_CandidateApproved()->version()};
    case fb::Event::CandidateRejected:
      return Effect{entry.event_as_CandidateRejected()->version()};
    case fb::Event::MemoryVerified:
      return Effect{entry.event_as_MemoryVerified()->version()};
    case fb::Event::MemoryScored:
      return Effect{entry.event_as_MemoryScored()->version()};
    case fb::Event::GenreChanged:
      return Effect{entry.event_as_GenreChanged()->version()};
    case fb::Event::MergeUndone:
      return Effect{entry.event_as_MergeUndone()->version()};
    default:
      return std::nullopt;
  }
}

// What an event did to the memory that the command is about; nullopt for any other event.
std::optional<Effect> EffectOf(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::MemoryStored:
      return Effect{1, true, true};
    case fb::Event::MemorySeenAgain:
      return Effect{entry.event_as_MemorySeenAgain()->version(), false, false};
    case fb::Event::MemoryRevised:
      return Effect{entry.event_as_MemoryRevised()->version()};
    case fb::Event::MemoryDescribed:
      return Effect{entry.event_as_MemoryDescribed()->version()};
    case fb::Event::MemoryReverted:
      return Effect{entry.event_as_MemoryReverted()->version()};
    case fb::Event::MemoryMoved:
      return Effect{entry.event_as_MemoryMoved()->version()};
    case fb::Event::MemoryPinned:
      return Effect{entry.event_as_MemoryPinned()->version()};
    case fb::Event::MemoryUnpinned:
      return Effect{entry.event_as_MemoryUnpinned()->version()};
    case fb::Event::MemoryArchived:
      return Effect{entry.event_as_MemoryArchived()->version()};
    case fb::Event::MemoryRestored:
      return Effect{entry.event_as_MemoryRestored()->version()};
    case fb::Event::MemoryForgotten:
      return Effect{entry.event_as_MemoryForgotten()->version()};
    case fb::Event::MemoryErased:
      return Effect{entry.event_as_MemoryErased()->version()};
    default:
      return EffectOfReview(entry);
  }
}

// What an assertion came to, as its first entry tells.
std::optional<FactOutcome> FactOutcomeOf(const fb::Entry& entry) {
  if (entry.event_type() == fb::Event::FactReinforced) return FactOutcome::kReinforced;
  const auto* stored = entry.event_as_MemoryStored();
  if (!stored || stored->kind() != fb::MemoryKind::fact) return std::nullopt;
  if (stored->state() == fb::MemoryState::pending) return FactOutcome::kCandidate;
  return stored->rival() ? FactOutcome::kChanged : FactOutcome::kStored;
}

// The memory that a rival made way for; nullptr for any other event.
const fb::Id* WonBy(const fb::Entry& entry) {
  if (const auto* faded = entry.event_as_FactFaded()) return faded->by();
  if (const auto* superseded = entry.event_as_MemorySuperseded()) return superseded->by();
  return nullptr;
}

// Whether the entry makes what is left of a fact that was bounded: nothing that the command asked
// for. `bounded` is the seq of the latest bounding, 0 for none.
bool IsRest(const fb::Entry& entry, Seq bounded) {
  return bounded != 0 && entry.cause() == bounded;
}

void AddRival(const fb::Entry& entry, const Uuid& winner, WriteOutcome& outcome) {
  const auto found = std::ranges::find_if(
      outcome.memories, [&](const MemoryOutcome& memory) { return memory.id == winner; });
  if (found == outcome.memories.end()) return;
  const bool faded = entry.event_type() == fb::Event::FactFaded;
  (faded ? found->faded : found->superseded).push_back(FromId(*MemoryOf(entry)));
}

// What the entry made or changed that is no memory; 0 for nothing.
Seq MadeBy(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::ScopeNodeCreated:
    case fb::Event::SourceAdded:
    case fb::Event::LinkAdded:
      return entry.seq();
    case fb::Event::ContainerDescribed:
      return entry.event_as_ContainerDescribed()->node();
    case fb::Event::ContainerMoved:
      return entry.event_as_ContainerMoved()->node();
    case fb::Event::ContainerDeleted:
      return entry.event_as_ContainerDeleted()->node();
    case fb::Event::SourceRemoved:
      return entry.event_as_SourceRemoved()->source();
    case fb::Event::LinkRemoved:
      return entry.event_as_LinkRemoved()->link();
    default:
      return 0;
  }
}

void AddCopy(const Uuid& copy, WriteOutcome& outcome) {
  if (std::ranges::find(outcome.copies, copy) == outcome.copies.end()) {
    outcome.copies.push_back(copy);
  }
}

Result<MemoryOutcome> RefusedMember(const fb::Entry& entry, const StateReader& reader) {
  const fb::WriteRefused& refused = *entry.event_as_WriteRefused();
  MemoryOutcome member;
  if (refused.memory()) member.id = FromId(*refused.memory());
  member.fact = FactOutcome::kRefused;
  member.rule = refused.rule();
  member.seq = entry.seq();
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, entry.space(), entry.seq()));
  if (payload && (*payload)->message()) member.message = (*payload)->message()->str();
  return member;
}

Result<MemoryOutcome> MemberOf(const fb::Entry& entry, const Effect& effect,
                               const StateReader& reader) {
  MemoryOutcome memory;
  memory.id = FromId(*MemoryOf(entry));
  memory.version = effect.version;
  memory.created = effect.created;
  memory.changed = effect.changed;
  memory.seq = entry.seq();
  memory.fact = FactOutcomeOf(entry);
  if (const auto* stored = entry.event_as_MemoryStored()) {
    memory.rule = stored->because();
    memory.candidate = stored->state() == fb::MemoryState::pending;
  }
  if (entry.event_type() == fb::Event::MemorySeenAgain ||
      entry.event_type() == fb::Event::MemoryDescribed ||
      entry.event_type() == fb::Event::FactReinforced) {
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, entry.space(), entry.seq()));
    if (payload && (*payload)->message()) {
      memory.not_applied = SplitWords((*payload)->message()->string_view());
    }
  }
  return memory;
}

}  // namespace

Result<WriteOutcome> OutcomeOf(const std::vector<Entry>& entries, const StateReader& reader) {
  PERDURE_CHECK(!entries.empty());
  WriteOutcome outcome;
  outcome.first_seq = entries.front()->seq();
  outcome.seq = entries.back()->seq();
  outcome.record_time = entries.back()->record_time();
  Seq bounded = 0;
  for (const Entry& entry : entries) {
    if (entry->event_type() == fb::Event::ValidityBounded) bounded = entry->seq();
    if (IsRest(*entry, bounded)) continue;
    if (const auto* erased = entry->event_as_MemoryErased(); erased && erased->copies()) {
      for (const fb::Id* copy : *erased->copies()) AddCopy(FromId(*copy), outcome);
    }
    if (const auto* rollback = entry->event_as_ScopeRolledBack()) {
      outcome.moved_out = rollback->moved_out();
      outcome.erased = rollback->erased();
      outcome.kept_out = rollback->kept_out();
    }
    if (const Seq made = MadeBy(*entry)) outcome.made = made;
    if (entry->event_type() == fb::Event::ContainerDeleted) ++outcome.containers;
    if (const fb::Id* winner = WonBy(*entry)) AddRival(*entry, FromId(*winner), outcome);
    if (entry->event_type() == fb::Event::WriteRefused) {
      ASSIGN_OR_RETURN(outcome.memories.emplace_back(), RefusedMember(*entry, reader));
      continue;
    }
    const std::optional<Effect> effect = EffectOf(*entry);
    if (!effect) continue;
    ASSIGN_OR_RETURN(outcome.memories.emplace_back(), MemberOf(*entry, *effect, reader));
  }
  return outcome;
}

}  // namespace perdure
