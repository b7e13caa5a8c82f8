#include "engine/read/review.h"

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"
#include "engine/read/log_line.h"

namespace perdure {
namespace {

Status CheckMayReview(const ReadView& view) {
  if (view.principal().Has(kReviewer | kAuditor | kOperator)) return {};
  return Fail(Code::kForbidden,
              "What waits for review is for tokens with the role reviewer, auditor or operator.");
}

Result<std::vector<std::string>> Waiting(const ReadView& view, ReviewQueue queue) {
  const std::string prefix = tables::QueuePrefix(view.space(), static_cast<std::uint8_t>(queue));
  std::vector<std::string> keys;
  RETURN_IF_ERROR(view.then().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                   [&](std::string_view key, std::string_view) {
                                     keys.emplace_back(key.substr(prefix.size()));
                                     return true;
                                   }));
  return keys;
}

// The memory, unless the caller may not see it or its text is gone.
Result<std::optional<Memory>> Seen(const ReadView& view, const std::optional<Uuid>& id) {
  if (!id) return std::nullopt;
  auto memory = view.Get(*id);
  if (memory) return *std::move(memory);
  const Code code = memory.error().code;
  if (code == Code::kNotFound || code == Code::kErased || code == Code::kCompacted) {
    return std::nullopt;
  }
  return std::unexpected(memory.error());
}

Result<std::optional<ReviewItem>> MemoryItem(const ReadView& view, std::string_view key) {
  ReviewItem item;
  ASSIGN_OR_RETURN(item.memory, Seen(view, UuidFromBytes(key)));
  if (!item.memory) return std::nullopt;
  const fb::MemoryRecordT& record = item.memory->record;
  ASSIGN_OR_RETURN(item.rival, Seen(view, FromIdPtr(record.predecessor)));
  if (record.because != 0) item.because = FactsOf(static_cast<Rule>(record.because)).name;
  return item;
}

Result<std::optional<ReviewItem>> RefusalItem(const ReadView& view, std::string_view key) {
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(view.now(), view.space(), ReadBigEndian(key)));
  ReviewItem item;
  ASSIGN_OR_RETURN(item.refusal, DescribeEntry(view.now(), *entry));
  ASSIGN_OR_RETURN(item.rival, Seen(view, item.refusal->memory));
  // A refusal that names a memory the caller may not see is not the caller's either.
  if (!item.rival) return std::nullopt;
  item.because = item.refusal->rule;
  return item;
}

Result<std::string> RejectedText(const ReadView& view, const Entry& entry,
                                 const std::optional<Uuid>& id) {
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(view.now(), view.space(), entry->seq()));
  if (payload && (*payload)->text()) return (*payload)->text()->str();
  ASSIGN_OR_RETURN(const auto memory, Seen(view, id));
  return memory ? memory->text : std::string("[erased]");
}

Result<SuppressionInfo> Describe(const ReadView& view, Seq seq,
                                 const fb::SuppressionRecordT& record) {
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(view.now(), view.space(), seq));
  const auto* event = entry->event_as_ValueSuppressed();
  if (!event) return Fail(Code::kCorrupt, "A suppression is not where it should be.");
  SuppressionInfo info;
  info.seq = seq;
  info.record_time = entry->record_time();
  info.reviewer = FromId(*entry->principal());
  info.memory = FromIdPtr(event->memory());
  ASSIGN_OR_RETURN(info.text, RejectedText(view, entry, info.memory));
  ASSIGN_OR_RETURN(const LogLine line, DescribeEntry(view.now(), *entry));
  info.reason = line.reason;
  ASSIGN_OR_RETURN(info.scope, view.NameScope(record.scope));
  info.expires_at = ToStd(record.expires_at);
  info.lifted_seq = record.lifted_seq;
  info.refused = record.refused;
  return info;
}

}  // namespace

Result<ReviewPage> ListReview(const ReadView& view, ReviewQueue queue, std::size_t limit) {
  RETURN_IF_ERROR(CheckMayReview(view));
  ASSIGN_OR_RETURN(std::vector<std::string> keys, Waiting(view, queue));
  const bool refusals = queue == ReviewQueue::kRefusals;
  if (refusals) std::ranges::reverse(keys);
  ReviewPage page;
  for (const std::string& key : keys) {
    ASSIGN_OR_RETURN(auto item, refusals ? RefusalItem(view, key) : MemoryItem(view, key));
    if (!item) continue;
    ++page.total;
    if (page.items.size() < limit) page.items.push_back(*std::move(item));
  }
  return page;
}

Result<std::vector<SuppressionInfo>> ListSuppressions(const ReadView& view) {
  RETURN_IF_ERROR(CheckMayReview(view));
  ASSIGN_OR_RETURN(const auto own, view.ResolveScope(std::nullopt));
  std::vector<SuppressionInfo> listed;
  if (!own) return listed;
  std::vector<std::pair<Seq, fb::SuppressionRecordT>> records;
  const std::string prefix = tables::SuppressionPrefix(view.space());
  Status malformed;
  RETURN_IF_ERROR(view.then().Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        auto record = Unpack<fb::SuppressionRecordT>(value);
        if (!record) {
          malformed = std::unexpected(record.error());
          return false;
        }
        records.emplace_back(ReadBigEndian(key.substr(prefix.size())), *std::move(record));
        return true;
      }));
  RETURN_IF_ERROR(malformed);
  for (const auto& [seq, record] : records) {
    ASSIGN_OR_RETURN(const bool inside,
                     ScopeContains(view.now(), view.space(), *own, record.scope));
    if (!inside) continue;
    ASSIGN_OR_RETURN(listed.emplace_back(), Describe(view, seq, record));
  }
  return listed;
}

}  // namespace perdure
