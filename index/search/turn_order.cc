#include "index/search/turn_order.h"

#include <tuple>

namespace perdure {

void TurnOrder::Append() {
  const auto turn = static_cast<std::uint32_t>(links_.size());
  const std::uint32_t label = (*turns_)[turn].session;
  if (label == kNoRow) {
    links_.Append({});
    return;
  }
  const auto [session, is_new] =
      session_of_label_.emplace(label, static_cast<std::uint32_t>(sessions_.size()));
  links_.Append({kNoRow, kNoRow, session->second});
  if (is_new) {
    sessions_.Append(turn);
    return;
  }
  std::uint32_t& last = sessions_.Mutable(session->second);
  if (last != kNoRow) Insert(turn, last);
  last = turn;
}

bool TurnOrder::IsBefore(std::uint32_t a, std::uint32_t b) const {
  return std::tuple((*turns_)[a].position, a) < std::tuple((*turns_)[b].position, b);
}

// Walks from where the turn before it came in, since most come in order, forwards or backwards.
void TurnOrder::Insert(std::uint32_t turn, std::uint32_t near) {
  std::uint32_t previous = near;
  while (previous != kNoRow && IsBefore(turn, previous)) previous = Previous(previous);
  std::uint32_t next = previous == kNoRow ? near : Next(previous);
  if (previous == kNoRow) {
    while (Previous(next) != kNoRow) next = Previous(next);
  }
  while (next != kNoRow && IsBefore(next, turn)) {
    previous = next;
    next = Next(next);
  }
  Store(links_.Mutable(turn).previous, previous);
  Store(links_.Mutable(turn).next, next);
  if (previous != kNoRow) Store(links_.Mutable(previous).next, turn);
  if (next != kNoRow) Store(links_.Mutable(next).previous, turn);
}

void TurnOrder::Remove(std::uint32_t turn) {
  const std::uint32_t previous = Previous(turn);
  const std::uint32_t next = Next(turn);
  if (previous != kNoRow) Store(links_.Mutable(previous).next, next);
  if (next != kNoRow) Store(links_.Mutable(next).previous, previous);
  if (const std::uint32_t session = SessionOf(turn); session != kNoRow) {
    std::uint32_t& last = sessions_.Mutable(session);
    if (last == turn) last = previous != kNoRow ? previous : next;
  }
}

}  // namespace perdure
