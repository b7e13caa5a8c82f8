#include "engine/decide/decide.h"

#include <type_traits>

#include "engine/base/check.h"

namespace perdure {
namespace {

template <typename>
inline constexpr bool kUnhandled = false;

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

// What an event did to its memory; nullopt for events about no memory.
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
      return std::nullopt;
  }
}

}  // namespace

Status Decide(Transaction& txn, const Command& command) {
  return std::visit(
      [&txn](const auto& c) -> Status {
        using C = std::decay_t<decltype(c)>;
        if constexpr (std::is_same_v<C, StoreMemories>) {
          return DecideStore(txn, c);
        } else if constexpr (std::is_same_v<C, EditMemory>) {
          return DecideEdit(txn, c);
        } else if constexpr (std::is_same_v<C, DescribeMemory>) {
          return DecideDescribe(txn, c);
        } else if constexpr (std::is_same_v<C, MoveState>) {
          return DecideMoveState(txn, c);
        } else if constexpr (std::is_same_v<C, EraseMemories>) {
          return DecideErase(txn, c);
        } else if constexpr (std::is_same_v<C, RevertMemory>) {
          return DecideRevert(txn, c);
        } else if constexpr (std::is_same_v<C, Rollback>) {
          return DecideRollback(txn, c);
        } else if constexpr (std::is_same_v<C, NameSnapshot>) {
          return DecideSnapshot(txn, c);
        } else if constexpr (std::is_same_v<C, IssueToken>) {
          return DecideIssueToken(txn, c);
        } else if constexpr (std::is_same_v<C, RevokeToken>) {
          return DecideRevokeToken(txn, c);
        } else if constexpr (std::is_same_v<C, CreateSpace>) {
          return DecideCreateSpace(txn, c);
        } else if constexpr (std::is_same_v<C, CompleteErasure>) {
          return DecideCompleteErasure(txn, c);
        } else if constexpr (std::is_same_v<C, CompactHistory>) {
          return DecideCompactHistory(txn, c);
        } else if constexpr (std::is_same_v<C, DropPayloads>) {
          return DecideDropPayloads(txn, c);
        } else {
          static_assert(kUnhandled<C>, "a command without a decision");
        }
      },
      command);
}

Result<WriteOutcome> OutcomeOf(const std::vector<Entry>& entries, const StateReader& reader) {
  PERDURE_CHECK(!entries.empty());
  WriteOutcome outcome;
  outcome.first_seq = entries.front()->seq();
  outcome.seq = entries.back()->seq();
  outcome.record_time = entries.back()->record_time();
  for (const Entry& entry : entries) {
    if (const auto* rollback = entry->event_as_ScopeRolledBack()) {
      outcome.moved_out = rollback->moved_out();
      outcome.erased = rollback->erased();
    }
    const std::optional<Effect> effect = EffectOf(*entry);
    if (!effect) continue;
    MemoryOutcome memory;
    memory.id = FromId(*MemoryOf(*entry));
    memory.version = effect->version;
    memory.created = effect->created;
    memory.changed = effect->changed;
    if (entry->event_type() == fb::Event::MemorySeenAgain ||
        entry->event_type() == fb::Event::MemoryDescribed) {
      ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, entry->space(), entry->seq()));
      if (payload && (*payload)->message()) {
        memory.not_applied = SplitWords((*payload)->message()->string_view());
      }
    }
    outcome.memories.push_back(std::move(memory));
  }
  return outcome;
}

}  // namespace perdure
