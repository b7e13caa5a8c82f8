#include "engine/decide/transaction.h"

#include <algorithm>

#include "engine/apply/apply.h"
#include "engine/base/check.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

bool IsEmpty(const fb::PayloadT& payload) {
  return payload.text.empty() && payload.title.empty() && payload.tags.empty() &&
         payload.type.empty() && payload.theme.empty() && payload.metadata.empty() &&
         payload.source.empty() && payload.conversation.empty() && payload.speaker.empty() &&
         payload.session.empty() && payload.name.empty() && payload.scope.empty() &&
         payload.reason.empty() && payload.client.empty() && payload.idempotency_key.empty() &&
         payload.message.empty() && payload.subject.empty() && payload.predicate.empty() &&
         payload.object.empty() && payload.quote.empty() && payload.evidence_source.empty() &&
         payload.pass.empty();
}

// Whether reads go to the payload of this very entry: it stands there even when it says nothing, or
// it would look like one that is gone.
bool IsReadLater(fb::Event type) {
  return type == fb::Event::MemoryDescribed || type == fb::Event::TokenIssued;
}

}  // namespace

Transaction::Transaction(const StateReader& base, const Circumstances& circumstances)
    : in_(circumstances), state_(base), head_(circumstances.head) {}

Micros Transaction::NextTime() const { return std::max(in_.now, head_.time + 1); }

Hash Transaction::Draw() { return Sha256Concat({AsBytes(in_.seed), Key().U64(draws_++).Take()}); }

Uuid Transaction::NewId() {
  const Hash drawn = Draw();
  return MakeUuidV7(std::max<Micros>(NextTime(), 0),
                    std::span<const std::uint8_t, 8>(drawn.data(), 8));
}

void Transaction::Sign(fb::PayloadT& payload, fb::Event type, bool with_reason) {
  payload.client = principal().client;
  if (with_reason) payload.reason = options().reason;
  if (keyed_ || type == fb::Event::ScopeNodeCreated || options().idempotency_key.empty()) return;
  keyed_ = true;
  payload.idempotency_key = options().idempotency_key;
  payload.request_digest.assign(options().request_digest.begin(), options().request_digest.end());
}

Result<Seq> Transaction::Append(fb::EventUnion event, fb::PayloadT payload, Extra extra) {
  Sign(payload, event.type, extra.with_reason);
  const bool has_payload = !IsEmpty(payload) || IsReadLater(event.type);
  fb::EntryT entry;
  entry.format = kEntryFormat;
  entry.space = in_.space;
  entry.seq = head_.seq + 1;
  entry.record_time = NextTime();
  entry.principal = ToId(principal().id);
  entry.role = principal().roles;
  entry.session = principal().session;
  entry.prev_hash = ToDigest(head_.hash);
  entry.cause = extra.cause;
  entry.pass = in_.head.seq + 1;
  entry.event = std::move(event);
  std::string row;
  if (has_payload) {
    row = AsBytes(Draw());
    row += Pack(payload);
    entry.payload_digest = std::make_unique<fb::Digest>(ToDigest(Sha256(row)));
    state_.Put(Family::kPayload, tables::PayloadOf(in_.space, entry.seq), row, 0);
  }
  std::string bytes = PackEntry(entry);
  head_ = {entry.seq, entry.record_time, Sha256(bytes)};
  state_.Put(Family::kLog, tables::LogEntry(in_.space, entry.seq), bytes, 0);
  ASSIGN_OR_RETURN(Entry packed, Entry::Parse(std::move(bytes)));
  const fb::Payload* view =
      row.empty() ? nullptr : flatbuffers::GetRoot<fb::Payload>(row.data() + kSaltBytes);
  RETURN_IF_ERROR(Apply(*packed, view, secret(), state_));
  entries_.push_back(std::move(packed));
  return entry.seq;
}

}  // namespace perdure
