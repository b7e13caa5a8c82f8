// The states of a memory, and what moves it from one to another: the table that docs/GOVERNANCE.md
// shows.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/decide/principal.h"
#include "schema/entry_generated.h"

namespace perdure::testing {

using States = std::vector<fb::MemoryState>;

inline constexpr RoleMask kWriters = kAgent | kReviewer | kOperator;
inline constexpr RoleMask kDeciders = kReviewer | kOperator;

// From each of these states (none: the memory is new) the event leads to each of those.
struct Move {
  fb::Event event;
  States from;
  States to;
  RoleMask who;
};

inline const std::vector<Move>& Moves() {
  using enum fb::MemoryState;
  using E = fb::Event;
  static const States kAll = {pending, live, disputed, superseded, archived, rejected, forgotten};
  static const std::vector<Move> kMoves = {
      {E::MemoryStored, {}, {live, pending}, kWriters},
      {E::MemoryRevised, {live}, {live}, kWriters},
      {E::MemoryRevised, {pending}, {pending}, kDeciders},
      {E::MemoryDescribed, {live}, {live}, kWriters},
      {E::MemoryDescribed, {pending}, {pending}, kWriters},
      {E::MemoryPinned, {live}, {live}, kDeciders},
      {E::MemoryUnpinned, {live}, {live}, kDeciders},
      {E::MemoryArchived, {live}, {archived}, kWriters},
      {E::MemoryRestored, {live, archived}, {live}, kWriters},
      {E::MemoryRestored, {forgotten}, {live}, kDeciders},
      {E::MemoryForgotten, {live, disputed, superseded, archived}, {forgotten}, kWriters},
      {E::MemoryReverted, {live}, {live}, kWriters},
      {E::MemoryReverted, {superseded}, {live}, kWriters},  // a merge undone
      {E::MemoryReverted, kAll, kAll, kDeciders},           // a rollback, or a decision undone
      {E::MemoryErased, kAll, {erased}, kOperator},
      {E::FactReinforced, {live}, {live}, kWriters},
      {E::FactFaded, {live}, {live}, kWriters},
      {E::ValidityBounded, {live}, {live}, kWriters},
      {E::MemorySuperseded, {live}, {superseded}, kWriters},
      {E::MemoryDisputed, {live}, {live, disputed}, kWriters},
      {E::DisputeSettled, {live}, {live}, kDeciders},
      {E::DisputeSettled, {archived}, {archived}, kDeciders},
      {E::DisputeSettled, {forgotten}, {forgotten}, kDeciders},
      {E::CandidateApproved, {pending}, {live}, kDeciders},
      {E::CandidateRejected, {pending}, {rejected}, kDeciders},
      {E::MemoryVerified, {live}, {live}, kReviewer},
      {E::MemoryScored, {live}, {live}, kWriters},
      {E::GenreChanged, {live}, {live}, kDeciders},
      {E::MemoryMerged, {live}, {superseded}, kWriters},
      {E::SymmetryChanged, {pending}, {pending}, kDeciders},
      {E::SymmetryChanged, {live}, {live}, kDeciders},
      {E::SymmetryChanged, {disputed}, {disputed}, kDeciders},
      {E::SymmetryChanged, {superseded}, {superseded}, kDeciders},
      {E::SymmetryChanged, {archived}, {archived}, kDeciders},
      {E::SymmetryChanged, {rejected}, {rejected}, kDeciders},
      {E::SymmetryChanged, {forgotten}, {forgotten}, kDeciders},
      {E::MemoryMoved, {pending}, {pending}, kDeciders},
      {E::MemoryMoved, {live}, {live}, kDeciders},
      {E::MemoryMoved, {disputed}, {disputed}, kDeciders},
      {E::MemoryMoved, {superseded}, {superseded}, kDeciders},
      {E::MemoryMoved, {archived}, {archived}, kDeciders},
      {E::MemoryMoved, {rejected}, {rejected}, kDeciders},
      {E::MemoryMoved, {forgotten}, {forgotten}, kDeciders}};
  return kMoves;
}

inline bool MayMove(fb::Event event, std::optional<fb::MemoryState> from, fb::MemoryState to,
                    RoleMask roles) {
  return std::ranges::any_of(Moves(), [&](const Move& move) {
    const bool comes =
        from ? std::ranges::find(move.from, *from) != move.from.end() : move.from.empty();
    return move.event == event && (move.who & roles) != 0 && comes &&
           std::ranges::find(move.to, to) != move.to.end();
  });
}

}  // namespace perdure::testing
