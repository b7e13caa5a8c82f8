#include "engine/decide/novelty.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/canonical.h"
#include "engine/decide/rules.h"

namespace perdure {
namespace {

constexpr std::size_t kComparedBytesMax = 256;  // the distance costs their product
constexpr std::size_t kLettersAChange = 8;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// What separates words: ASCII that is neither letter nor digit.
bool Separates(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && !IsDigit(c) && !(c >= 'a' && c <= 'z');
}

std::multiset<std::string> WordsOf(std::string_view text) {
  std::multiset<std::string> words;
  std::string word;
  for (const char c : text) {
    if (!Separates(c)) {
      word.push_back(c);
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.insert(std::move(word));
  return words;
}

std::string DigitsOf(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), IsDigit);
  return digits;
}

// Levenshtein's, over bytes.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// What stands in the slot, whether its predicate takes one value or many.
Result<std::vector<Member>> StandingIn(const Transaction& txn, const Claim& claim,
                                       const Slot& slot) {
  std::vector<Member> standing;
  for (const Member& rival : slot.rivals) {
    if (Stands(rival.record)) standing.push_back(rival);
  }
  if (!claim.predicate.multi_valued) return standing;
  const FactValue& value = claim.draft.value;
  ASSIGN_OR_RETURN(
      std::vector<Member> all,
      FactsOfSlot(txn, FactWords::Of(value.subject, value.predicate, value.object), false));
  std::erase_if(all, [&](const Member& fact) {
    const fb::MemoryRecordT& record = fact.record;
    return !Stands(record) || !SameScope(record.scope, claim.seat.scope) ||
           record.genre != claim.seat.genre || HasExpired(record, txn.NextTime()) ||
           !ValidTime::Of(record).Overlaps(claim.seat.valid);
  });
  return all;
}

}  // namespace

bool NearlySame(std::string_view a, std::string_view b) {
  if (WordsOf(a) == WordsOf(b)) return true;
  const std::size_t longer = std::max(a.size(), b.size());
  if (longer > kComparedBytesMax || DigitsOf(a) != DigitsOf(b)) return false;
  return Distance(a, b) <= longer / kLettersAChange;
}

Result<std::optional<Rule>> CheckNovelty(const Transaction& txn, const Claim& claim,
                                         const Slot& slot) {
  if (claim.policy.novelty == fb::Admission::admit || !slot.same.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string object, Canonical(claim.draft.value.object));
  ASSIGN_OR_RETURN(const std::vector<Member> standing, StandingIn(txn, claim, slot));
  for (const Member& fact : standing) {
    ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, fact.record.text_seq));
    if (!NearlySame(object, FactWords::Of(*held).object)) continue;
    if (claim.policy.novelty == fb::Admission::quarantine) return Rule::kNovelty;
    return RefuseWith(Rule::kNovelty,
                      fmt::format("Memory {} says nearly the same. Give its very value with new "
                                  "evidence, or ask a reviewer.",
                                  ToString(fact.id)),
                      {.suppression = 0, .memory = ToString(fact.id)});
  }
  return std::nullopt;
}

}  // namespace perdure
