// The entries of one command while it is being decided: each is numbered, timed, chained and
// applied as it is appended, over a state that is thrown away unless the whole command stands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "engine/decide/command.h"
#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "engine/storage/state.h"

namespace perdure {

// All that decide may depend on besides the state: handed in, so that the same inputs give the
// same bytes.
struct Circumstances {
  SpaceId space = kMainSpace;
  LogHead head;    // of the space's log
  Micros now = 0;  // the wall clock
  Hash seed{};     // unpredictable; ids and salts are drawn from it
  const Secret* secret = nullptr;
  const Principal* principal = nullptr;
  const WriteOptions* options = nullptr;
  std::uint32_t writes_of_minute = 0;  // that the principal was answered before this one
  std::uint32_t refusals_left = limits::kRefusalsPerSecondMax;  // entries of the principal's own
};

class Transaction {
 public:
  // `base` and what `circumstances` points to must outlive the transaction.
  Transaction(const StateReader& base, const Circumstances& circumstances);

  const StateReader& state() const { return state_; }
  SpaceId space() const { return in_.space; }
  const Secret& secret() const { return *in_.secret; }
  const Principal& principal() const { return *in_.principal; }
  const WriteOptions& options() const { return *in_.options; }
  std::uint32_t writes_of_minute() const { return in_.writes_of_minute; }
  std::uint32_t refusals_left() const { return in_.refusals_left; }

  // The record time that the next entry will have: max(now, last + 1).
  Micros NextTime() const;
  Uuid NewId();

  // Appends and applies one entry, and returns its seq. The payload gets the client's name, on the
  // first entry that is not a scope node's the idempotency key, and `with_reason` the reason.
  struct Extra {
    Seq cause = 0;
    bool with_reason = true;
  };
  Result<Seq> Append(fb::EventUnion event, fb::PayloadT payload, Extra extra);
  Result<Seq> Append(fb::EventUnion event, fb::PayloadT payload = {}) {
    return Append(std::move(event), std::move(payload), Extra{});
  }

  const LogHead& head() const { return head_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry> TakeEntries() && { return std::move(entries_); }
  Overlay TakeState() && { return std::move(state_); }

 private:
  Hash Draw();
  void Sign(fb::PayloadT& payload, fb::Event type, bool with_reason);

  Circumstances in_;
  Overlay state_;
  LogHead head_;
  std::vector<Entry> entries_;
  std::uint64_t draws_ = 0;
  bool keyed_ = false;  // the idempotency key is on an entry
};

// Wraps a native event table.
template <typename Native>
fb::EventUnion MakeEvent(Native native) {
  fb::EventUnion event;
  event.Set(std::move(native));
  return event;
}

}  // namespace perdure
