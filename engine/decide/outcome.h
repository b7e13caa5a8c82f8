// How a command is to be done, and what it came to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/storage/keys.h"

namespace perdure {

struct WriteOptions {
  std::string idempotency_key;
  std::string request_digest;  // of the command's arguments; the same request has the same digest
  std::optional<std::uint32_t> expected_version;
  bool dry_run = false;
  bool keep = false;  // a dry run leaves an entry that says what it came to
  std::string reason;
  Seq source = 0;            // the folder that asks for the write; its store's memories are its own
  bool cross_scope = false;  // moves or links memories of one user, agent or run to another's
};

// What an assertion came to.
enum class FactOutcome : std::uint8_t { kStored, kReinforced, kChanged, kCandidate, kRefused };

struct MemoryOutcome {
  Uuid id;  // of a refused member: the memory that the refusal names, or zeros
  std::uint32_t version = 0;
  bool created = false;
  bool changed = false;
  std::vector<std::string> not_applied;  // arguments of a repeated write that were left alone
  std::optional<FactOutcome> fact;       // of an asserted fact
  bool candidate = false;                // waits for a reviewer
  std::uint16_t rule = 0;                // why it is a candidate, or was refused
  std::string message;                   // of a refused member
  Seq seq = 0;                           // of the entry that says so
  std::vector<Uuid> faded;               // rivals that lost confidence, and live on as history
  std::vector<Uuid> superseded;          // rivals that the fact took the place of
};

// What a command did; the same whether it is answered at once or again for its idempotency key.
struct WriteOutcome {
  Seq seq = 0;             // of the command's last entry; 0 for a dry run
  Micros record_time = 0;  // of the same entry
  Seq first_seq = 0;
  bool dry_run = false;
  Seq kept_seq = 0;       // the entry that keeps a dry run, 0 for none
  bool repeated = false;  // answered from the log for an idempotency key
  std::vector<MemoryOutcome> memories;
  std::uint32_t moved_out = 0;   // rollback: left where they are now
  std::uint32_t erased = 0;      // rollback: gone for good
  std::uint32_t kept_out = 0;    // rollback: suppressed since, or another value stands
  std::vector<Uuid> copies;      // erasure: memories that say the same and stay
  Seq made = 0;                  // the container, source or link that it made or changed
  std::uint32_t containers = 0;  // that it deleted
};

}  // namespace perdure
