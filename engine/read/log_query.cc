#include <fmt/format.h>

#include <algorithm>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/read/log_line.h"
#include "engine/read/read_view.h"

namespace perdure {
namespace {

std::string TextOf(const flatbuffers::String* text) { return text ? text->str() : std::string(); }

// The greatest seq of at most `last` whose record time lies before `until`; 0 when there is none.
// Record times grow with seq, so a binary search finds it.
Result<Seq> LastBefore(const StateReader& reader, SpaceId space, Seq last, Micros until) {
  Seq low = 0;
  Seq high = last;
  while (low < high) {
    const Seq middle = low + (high - low + 1) / 2;
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, middle));
    if (entry->record_time() < until) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

bool Matches(const LogQuery& query, const fb::Entry& entry) {
  if (query.principal && FromId(*entry.principal()) != *query.principal) return false;
  if (query.event && entry.event_type() != *query.event) return false;
  return !query.from || entry.record_time() >= *query.from;
}

}  // namespace

Result<LogLine> DescribeEntry(const StateReader& reader, const fb::Entry& entry) {
  LogLine line;
  line.seq = entry.seq();
  line.record_time = entry.record_time();
  line.event = entry.event_type();
  line.principal = FromId(*entry.principal());
  line.roles = entry.role();
  line.cause = entry.cause();
  line.pass = entry.pass();
  if (const fb::Id* memory = MemoryOf(entry)) line.memory = FromId(*memory);
  line.version = VersionMadeBy(entry);
  if (const auto* refused = entry.event_as_WriteRefused()) {
    line.gate = fb::EnumNameGate(refused->gate());
    line.rule = FactsOf(static_cast<Rule>(refused->rule())).name;
    line.count = refused->count();
  }
  if (const auto* kept = entry.event_as_DryRunKept(); kept && kept->rule() != 0) {
    line.gate = fb::EnumNameGate(kept->gate());
    line.rule = FactsOf(static_cast<Rule>(kept->rule())).name;
  }
  line.has_payload = entry.payload_digest() != nullptr;
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, entry.space(), entry.seq()));
  line.payload_gone = line.has_payload && !payload;
  if (payload) {
    line.client = TextOf((*payload)->client());
    line.reason = TextOf((*payload)->reason());
    if (!line.rule.empty()) {
      line.message = TextOf((*payload)->message());
    }
  }
  return line;
}

Result<LogPage> ReadView::QueryLog(const LogQuery& query) const {
  if (!in_.principal.Has(kReviewer | kAuditor | kOperator)) {
    return Fail(Code::kForbidden,
                "Reading the log needs a token with the role reviewer, auditor or operator.");
  }
  if (query.limit == 0 || query.limit > limits::kListLimitMax) {
    return Fail(
        Code::kInvalidArgument,
        fmt::format("limit is {}; it must lie in 1..{}.", query.limit, limits::kListLimitMax),
        "limit");
  }
  ASSIGN_OR_RETURN(Seq last, AsOfSeq());
  if (query.before != 0) last = std::min(last, query.before - 1);
  if (query.until) {
    ASSIGN_OR_RETURN(last, LastBefore(now_, in_.space, last, *query.until));
  }
  std::optional<std::vector<Seq>> of_memory;
  if (query.memory) {
    ASSIGN_OR_RETURN(of_memory, HistorySeqs(then_, in_.space, *query.memory));
  }
  LogPage page;
  const auto step = [&](Seq seq) -> Seq {
    if (!of_memory) return seq;
    const auto above = std::ranges::upper_bound(*of_memory, seq);
    return above == of_memory->begin() ? 0 : *std::prev(above);
  };
  for (Seq seq = step(last); seq != 0; seq = step(seq - 1)) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(now_, in_.space, seq));
    if (query.from && entry->record_time() < *query.from) return page;
    if (Matches(query, *entry)) {
      ASSIGN_OR_RETURN(const bool inside, InOwnScope(*entry));
      if (!inside) continue;
      if (page.entries.size() == query.limit) {
        page.next_before = page.entries.back().seq;
        return page;
      }
      ASSIGN_OR_RETURN(LogLine line, DescribeEntry(now_, *entry));
      page.entries.push_back(std::move(line));
    }
  }
  return page;
}

Result<Seq> ReadView::AsOfSeq() const {
  if (in_.as_of >= in_.watermark) return in_.head_seq;
  return LastBefore(now_, in_.space, in_.head_seq, in_.as_of + 1);
}

// A narrowed token reads only the entries about memories inside its scope, both ends of a link.
Result<bool> ReadView::InOwnScope(const fb::Entry& entry) const {
  if (in_.principal.scope.empty()) return true;
  ASSIGN_OR_RETURN(const auto own, ResolveScope(std::nullopt));
  const fb::Id* memory = MemoryOf(entry);
  if (!memory || !own) return false;
  const fb::Id* other = memory;
  if (const auto* added = entry.event_as_LinkAdded()) other = added->to();
  if (const auto* removed = entry.event_as_LinkRemoved()) other = removed->to();
  for (const fb::Id* end : {memory, other}) {
    ASSIGN_OR_RETURN(const auto record, ReadMemory(now_, in_.space, FromId(*end)));
    if (!record) return false;
    ASSIGN_OR_RETURN(const bool inside, ScopeContains(now_, in_.space, *own, record->scope));
    if (!inside) return false;
  }
  return true;
}

}  // namespace perdure
