#include "engine/decide/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/canonical.h"
#include "engine/base/limits.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

constexpr std::size_t kNearestBytesMax = 300;

std::string CanonicalOf(std::string_view text) {
  Result<std::string> canonical = Canonical(text);
  return canonical ? *std::move(canonical) : std::string(text);
}

std::set<std::string> WordsOf(std::string_view text) {
  std::set<std::string> words;
  const std::string canonical = CanonicalOf(text);
  for (std::string_view rest = canonical; !rest.empty();) {
    const std::size_t at = rest.find(' ');
    words.emplace(rest.substr(0, at));
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  }
  return words;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t at = text.find('\n');
    lines.push_back(text.substr(0, at));
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  }
  return lines;
}

std::string NearestTo(std::string_view text, std::string_view quote) {
  const std::set<std::string> wanted = WordsOf(quote);
  std::string_view best;
  std::ptrdiff_t most = 0;
  for (const std::string_view line : LinesOf(text)) {
    const std::set<std::string> words = WordsOf(line);
    const std::ptrdiff_t shared = std::ranges::count_if(
        wanted, [&](const std::string& word) { return words.contains(word); });
    if (shared <= most) continue;
    most = shared;
    best = line;
  }
  return std::string(CutAtGrapheme(best, kNearestBytesMax));
}

// The memory that `id` names, when the caller may quote it.
Result<std::optional<fb::MemoryRecordT>> Quotable(const Transaction& txn,
                                                  const std::optional<Uuid>& id) {
  if (!id) return std::nullopt;
  auto record = FindMemory(txn, *id);
  if (record && record->state != fb::MemoryState::pending) return std::move(*record);
  if (record || RuleOf(record.error())) return std::nullopt;  // a label that looks like an id
  return std::unexpected(record.error());
}

// Refuses with the nearest passage of the source: the refusal is about the source, and is erased
// with it.
std::unexpected<Error> QuoteNotFound(const Uuid& source, const std::string& nearest) {
  std::string message = "The quote does not stand in the memory that it names.";
  if (!nearest.empty()) message += " The nearest passage is: " + nearest;
  auto refusal = RefuseWith(Rule::kQuoteNotFound, std::move(message),
                            {.suppression = 0, .memory = ToString(source)});
  refusal.error().field = "evidence.quote";
  return refusal;
}

Status CheckQuote(const Transaction& txn, const fb::MemoryRecordT& source, fb::Trust claimed,
                  Support& support) {
  ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, source.text_seq));
  const Passage passage = FindQuote(held->text() ? held->text()->string_view() : "", support.quote);
  if (passage.found) {
    support.trust = fb::Trust::verbatim;
  } else if (claimed == fb::Trust::verbatim) {
    return QuoteNotFound(*support.memory, passage.nearest);
  }
  return {};
}

}  // namespace

Passage FindQuote(std::string_view text, std::string_view quote) {
  const std::string wanted = CanonicalOf(quote);
  if (wanted.empty()) return {};
  if (CanonicalOf(text).find(wanted) != std::string::npos) return {true, {}};
  return {false, NearestTo(text, quote)};
}

Result<Support> CheckEvidence(const Transaction& txn, const std::optional<Evidence>& evidence,
                              fb::Trust claimed) {
  Support support;
  if (evidence) {
    RETURN_IF_ERROR(CheckText(evidence->quote, limits::kQuoteBytesMax, "evidence.quote"));
    RETURN_IF_ERROR(CheckText(evidence->source, limits::kLabelBytesMax, "evidence.source"));
    if (evidence->reference_time &&
        *evidence->reference_time > txn.NextTime() + limits::kEvidenceAheadMaxMicros) {
      return Refuse(Rule::kInterval,
                    fmt::format("evidence.reference_time ({}) has not come yet.",
                                FormatTime(*evidence->reference_time)),
                    "evidence.reference_time");
    }
    support.quote = evidence->quote;
    // One memory is one source, however its id was written.
    support.source = evidence->memory ? ToString(*evidence->memory) : evidence->source;
    support.time = evidence->reference_time;
    ASSIGN_OR_RETURN(const auto source, Quotable(txn, evidence->memory));
    if (source) {
      support.memory = evidence->memory;
      support.time = ToStd(source->reference_time).value_or(source->created_time);
      RETURN_IF_ERROR(CheckQuote(txn, *source, claimed, support));
    }
    support.keys = EvidenceKeys(txn.secret(), support.source, support.quote, support.time);
  }
  if (claimed == fb::Trust::verbatim && !support.memory) {
    return Refuse(Rule::kQuoteNotFound,
                  "Only a quote from a memory can be verbatim: give its id as evidence.source, or "
                  "leave trust out.",
                  "evidence.source");
  }
  return support;
}

Result<bool> HasCounted(const Transaction& txn, const Uuid& fact, const Support& support) {
  for (const ValueKey& key : support.keys) {
    std::string prefix = tables::ValuePrefix(txn.space(), key);
    prefix += AsBytes(fact);
    bool counted = false;
    RETURN_IF_ERROR(txn.state().Scan(Family::kRows, prefix, PrefixEnd(prefix),
                                     [&](std::string_view, std::string_view) {
                                       counted = true;
                                       return false;
                                     }));
    if (counted) return true;
  }
  return false;
}

void SetEvidence(const Support& support, fb::PayloadT& payload) {
  payload.quote = support.quote;
  payload.evidence_source = support.source;
}

}  // namespace perdure
