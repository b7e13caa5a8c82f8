// What a caller may ask of the log: one struct a command. Ids are resolved, times parsed; decide
// checks everything else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "engine/decide/fact_commands.h"
#include "engine/decide/memory_commands.h"
#include "engine/decide/outcome.h"
#include "engine/decide/place_commands.h"
#include "engine/decide/principal.h"
#include "engine/decide/system_commands.h"

namespace perdure {

// The places are permanent: the log counts commands by them.
using Command =
    std::variant<StoreMemories, EditMemory, DescribeMemory, MoveState, EraseMemories, RevertMemory,
                 Rollback, NameSnapshot, IssueToken, RevokeToken, CreateSpace, CompleteErasure,
                 CompactHistory, DropPayloads, AssertFacts, ProposeCandidate, ReviewCandidate,
                 UndoReview, SuppressValue, LiftSuppression, DeclarePredicate, SetPolicy,
                 VerifyMemory, ScoreMemory, ChangeGenre, MergeMemories, UnmergeMemory, MarkRestored,
                 CarrySuppression, DismissRefusals, CreateContainer, DescribeContainer,
                 MoveContainer, DeleteContainer, AddLink, RemoveLink, ForgetMatching, AddSource,
                 RemoveSource>;

// One command as it is asked for.
struct WriteCall {
  Command command;
  WriteOptions options;
};

// The place of a command, by which the log counts it.
template <typename C, typename... All>
constexpr std::uint8_t PlaceIn(std::type_identity<std::variant<All...>> /*commands*/) {
  constexpr std::array<bool, sizeof...(All)> kIsIt = {std::is_same_v<C, All>...};
  return static_cast<std::uint8_t>(std::ranges::find(kIsIt, true) - kIsIt.begin());
}
template <typename C>
constexpr std::uint8_t kCommandNumber = PlaceIn<C>(std::type_identity<Command>{});

}  // namespace perdure
