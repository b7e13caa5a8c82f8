// How decide turns a write down: the rule that was broken, the gate it belongs to, and a sentence
// that says what would be needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "schema/entry_generated.h"

namespace perdure {

// Numbers are permanent: they stand in the log.
enum class Rule : std::uint16_t {
  kRole = 1,            // the token's roles do not include the command
  kScope = 2,           // outside the token's scope
  kNoMemory = 3,        // no such memory that the caller may see
  kErased = 4,          // the memory is erased
  kState = 5,           // the memory's state does not allow the command
  kKeyReused = 6,       // the idempotency key came with other arguments
  kVersion = 7,         // expected_version is not the current version
  kTextNotFound = 8,    // old_text does not stand in the text
  kTextNotUnique = 9,   // old_text stands in the text more than once
  kLimit = 10,          // over a maximum
  kMalformed = 11,      // not UTF-8, an empty text, a wrong name
  kInterval = 12,       // times that contradict each other
  kNoVersion = 13,      // no such version, or nothing at that time
  kNameTaken = 14,      // the name is in use
  kTooMany = 15,        // more memories than one command may touch
  kCompacted = 16,      // the needed payload went with compaction
  kNothing = 17,        // no such token, snapshot, space, suppression, decision
  kKind = 18,           // the command is not for memories of this kind
  kSuppressed = 19,     // the value was rejected
  kStaleEvidence = 20,  // the value no longer stands, and its evidence is seen, older, or none
  kStands = 21,         // the value stands, and its evidence has counted
  kWaits = 22,          // the same candidate waits for review
  kChallenge = 23,      // the standing value is pinned or verified: a reviewer decides
  kRival = 24,          // another value stands
  kQuoteNotFound = 25,  // the quote does not stand in the memory that it names
  kInjection = 26,      // the text gives orders to whoever reads it
  kShape = 27,          // not what the predicate expects
  kProtected = 28,      // pinned and verified memories are not scored
  kCap = 29,            // further than one call or one pass may move a score
  kEvidence = 30,       // the command needs evidence
  kAgentFact = 31,      // facts of agents go to a reviewer, or not at all
  kRate = 32,           // more writes a minute than the policy allows
  kNovelty = 33,        // the slot nearly says so already
  kNotEmpty = 34,       // memories lie in the container
  kMirror = 35,         // the memory is a file's, and changes with it
  kRecord = 36,         // nobody may rewrite the memory
};

// Numbers of the rules, for whoever goes through all of them.
inline constexpr std::uint16_t kRules = 36;

struct RuleFacts {
  fb::Gate gate;
  Code code;
  std::string_view name;
};
RuleFacts FactsOf(Rule rule);

// Whether a gate of facts turned the write down: an answer, where other refusals are errors.
bool IsVerdict(Rule rule);

// What the entry of a refusal says besides gate and rule.
struct RefusalNotes {
  std::uint64_t suppression = 0;  // that turned the write down
  std::string memory;             // whose place was claimed: an id
};

// An error whose details name gate and rule; the sequencer turns it into a WriteRefused entry.
std::unexpected<Error> Refuse(Rule rule, std::string message, std::string field = {});
std::unexpected<Error> RefuseWith(Rule rule, std::string message, const RefusalNotes& notes);

// The entry for an error made by them; `command` is the command's number.
fb::WriteRefusedT RefusalEvent(const Error& error, std::uint8_t command);

// The rule of an error made by Refuse, or nullopt.
std::optional<Rule> RuleOf(const Error& error);

}  // namespace perdure
