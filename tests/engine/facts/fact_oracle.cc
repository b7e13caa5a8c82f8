#include "engine/facts/fact_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/apply/memory_fold.h"
#include "engine/base/canonical.h"
#include "engine/decide/rules.h"
#include "engine/facts/state_table.h"
#include "engine/model/codec.h"

namespace perdure::testing {
namespace {

constexpr float kNear = 1e-5f;

std::string WordsOf(const flatbuffers::String* text) {
  return text ? *Canonical(text->string_view()) : std::string();
}

bool IsSymmetric(const Told& told) { return told.record.symmetric; }

bool Overlap(const fb::MemoryRecordT& a, const fb::MemoryRecordT& b) {
  const auto from = [](const fb::MemoryRecordT& r) { return r.valid_from.value_or(kTimeMin); };
  const auto until = [](const fb::MemoryRecordT& r) { return r.valid_until.value_or(kTimeMax); };
  return from(a) < until(b) && from(b) < until(a);
}

bool SameValue(const Told& a, const Told& b) {
  if (a.predicate != b.predicate) return false;
  if (a.subject == b.subject && a.object == b.object) return true;
  return IsSymmetric(a) && a.subject == b.object && a.object == b.subject;
}

bool SameSlot(const Told& a, const Told& b) {
  if (a.predicate != b.predicate) return false;
  if (a.subject == b.subject) return true;
  return IsSymmetric(a) && (a.subject == b.object || a.object == b.subject || a.object == b.object);
}

// What a suppression knows it by: as its predicate was when it was made.
bool IsRefusedAs(const Told& told, const Told& refused) {
  if (told.predicate != refused.predicate) return false;
  if (told.subject == refused.subject && told.object == refused.object) return true;
  return IsSymmetric(refused) && told.subject == refused.object && told.object == refused.subject;
}

bool IsLiveFact(const Told& told, Micros now) {
  const fb::MemoryRecordT& record = told.record;
  return record.kind == fb::MemoryKind::fact && record.state == fb::MemoryState::live &&
         (!record.expires_at || *record.expires_at > now);
}

bool SameSeat(const Told& a, const Told& b) {
  return SameSlot(a, b) && SameScope(a.record.scope, b.record.scope) &&
         a.record.genre == b.record.genre && Overlap(a.record, b.record);
}

bool IsHeldUp(const fb::MemoryRecordT& record) {
  return record.pinned || record.trust == fb::Trust::verified;
}

}  // namespace

void FactOracle::Wrong(const Uuid& id, const std::string& what) {
  const Told& told = told_[id];
  problems_.push_back(fmt::format("{} ({} {} {} '{}'), at entry {}: {}", ToString(id), told.subject,
                                  told.predicate, told.object, told.text, seen_, what));
}

bool FactOracle::IsOfRest(const fb::Entry& entry) const {
  return bounded_ && entry.cause() == bounded_seq_;
}

bool FactOracle::HasRivals(const Uuid& id, const Told& told, Micros now) const {
  if (many_.contains(told.predicate)) return false;
  return std::ranges::any_of(told_, [&](const auto& other) {
    return other.first != id && IsLiveFact(other.second, now) && SameSeat(other.second, told) &&
           !SameValue(other.second, told);
  });
}

// The confidence that the entry leaves, by what the design says of such an entry.
void FactOracle::TakeConfidence(const fb::Entry& entry, const Told& before, Told& told) {
  const Uuid id = FromId(*MemoryOf(entry));
  const auto faded = [&] {
    return before.confidence * (before.record.importance >= 0.8f ? 0.9f : 0.6f);
  };
  if (IsOfRest(entry)) {
    // What is left of a bounded fact has its confidence, whatever evidence it takes along.
  } else if (const auto* reinforced = entry.event_as_FactReinforced(); reinforced) {
    told.confidence = std::min(1.0f, before.confidence + 0.1f);
  } else if (entry.event_type() == fb::Event::FactFaded) {
    told.confidence = faded();
    if (told.confidence < 0.25f || IsHeldUp(before.record)) Wrong(id, "must not fade");
  } else if (const auto* superseded = entry.event_as_MemorySuperseded(); superseded) {
    const bool joins = SameValue(told_[FromId(*superseded->by())], told);
    if (!joins && !IsHeldUp(before.record)) {
      told.confidence = faded();
      if (told.confidence >= 0.25f) Wrong(id, "was superseded too early");
    }
  } else if (const auto* scored = entry.event_as_MemoryScored(); scored) {
    told.confidence = scored->confidence();
  } else if (const auto* reverted = entry.event_as_MemoryReverted();
             reverted && reverted->state()) {
    const auto past = std::ranges::find_if(before.confidences, [&](float one) {
      return std::abs(one - *reverted->confidence()) < kNear;
    });
    if (past == before.confidences.end()) Wrong(id, "got back a confidence that it never had");
    told.confidence = *reverted->confidence();
  }
  if (std::abs(told.confidence - told.record.confidence) > kNear) {
    Wrong(id, fmt::format("{}: confidence is {}, must be {}", fb::EnumNameEvent(entry.event_type()),
                          told.record.confidence, told.confidence));
  }
  told.confidences.push_back(told.confidence);
}

void FactOracle::TakeMemory(const Entry& entry) {
  const Uuid id = FromId(*MemoryOf(*entry));
  const bool is_new = !told_.contains(id);
  const Told before = is_new ? Told{} : std::move(told_[id]);
  Told& told = told_[id];
  told = before;
  const auto from = is_new ? std::nullopt : std::optional(before.record.state);
  told.record =
      FoldRecord(*entry, is_new ? std::nullopt : std::optional(fb::MemoryRecordT(before.record)));
  if (!MayMove(entry->event_type(), from, told.record.state, entry->role())) {
    Wrong(id, fmt::format("{} led from {} to {} by {}", fb::EnumNameEvent(entry->event_type()),
                          from ? fb::EnumNameMemoryState(*from) : "nothing",
                          fb::EnumNameMemoryState(told.record.state), int{entry->role()}));
  }
  if (is_new || told.record.text_seq != before.record.text_seq) {
    told.verified = false;
    const auto payload = ReadPayload((*engine_).Latest(), kMainSpace, told.record.text_seq);
    if (payload && *payload) {
      told.subject = WordsOf((**payload)->subject());
      told.predicate = WordsOf((**payload)->predicate());
      told.object = WordsOf((**payload)->object());
      told.text = WordsOf((**payload)->text());
    }
  }
  if (entry->event_type() == fb::Event::MemoryVerified) told.verified = true;
  if (told.record.trust == fb::Trust::verified && !told.verified) Wrong(id, "nobody verified it");
  if (is_new) {
    const bool fact = told.record.kind == fb::MemoryKind::fact;
    told.confidence = fact && HasRivals(id, told, entry->record_time()) ? 0.6f : 0.5f;
    if (IsOfRest(*entry)) told.confidence = told_[*bounded_].confidence;
  }
  TakeConfidence(*entry, is_new ? told : before, told);
}

void FactOracle::TakePredicate(const Entry& entry, const fb::PredicateDeclared& declared) {
  const auto payload = ReadPayload((*engine_).Latest(), *entry);
  const std::string name = WordsOf((**payload)->predicate());
  const auto put = [&name](std::set<std::string>& names, bool in) {
    if (in) names.insert(name);
    if (!in) names.erase(name);
  };
  put(many_, declared.multi_valued());
  put(symmetric_, declared.symmetric());
}

void FactOracle::Take(const Entry& entry) {
  seen_ = entry->seq();
  if (const auto* suppressed = entry->event_as_ValueSuppressed()) {
    Refused refused{.seq = entry->seq(), .value = {}};
    if (suppressed->memory()) {
      refused.value = told_[FromId(*suppressed->memory())];
    } else {
      const auto payload = ReadPayload((*engine_).Latest(), *entry);
      refused.value.text = WordsOf((**payload)->text());
      const std::string& text = refused.value.text;
      const std::size_t first = text.find(' ');
      const std::size_t last = text.rfind(' ');
      refused.value.subject = text.substr(0, first);
      refused.value.predicate = text.substr(first + 1, last - first - 1);
      refused.value.object = text.substr(last + 1);
      refused.value.record.symmetric = symmetric_.contains(refused.value.predicate);
    }
    refused.value.record.scope = *suppressed->scope();
    refused.value.record.expires_at = suppressed->expires_at();
    refused_.push_back(std::move(refused));
  }
  if (const auto* declared = entry->event_as_PredicateDeclared()) TakePredicate(entry, *declared);
  if (const auto* lifted = entry->event_as_SuppressionLifted()) {
    for (Refused& refused : refused_) {
      if (refused.seq == lifted->suppression()) refused.lifted = true;
    }
  }
  if (MemoryOf(*entry) && TouchesRecord(*entry)) TakeMemory(entry);
  if (entry->event_type() == fb::Event::ValidityBounded) {
    bounded_ = FromId(*MemoryOf(*entry));
    bounded_seq_ = entry->seq();
  }
}

void FactOracle::CheckSeats(Micros now) {
  const auto stands = [&](const Told& told) {
    return IsLiveFact(told, now) && !told.record.shadowed && !many_.contains(told.predicate);
  };
  for (auto a = told_.begin(); a != told_.end(); ++a) {
    if (!stands(a->second)) continue;
    for (auto b = std::next(a); b != told_.end(); ++b) {
      if (stands(b->second) && SameSeat(a->second, b->second)) {
        Wrong(a->first, "stands beside " + ToString(b->first));
      }
    }
  }
}

void FactOracle::CheckSuppressions(Micros now) {
  for (const Refused& refused : refused_) {
    if (refused.lifted) continue;
    const fb::MemoryRecordT& reach = refused.value.record;
    if (reach.expires_at && *reach.expires_at <= now) continue;
    for (const auto& [id, told] : told_) {
      if (told.record.state != fb::MemoryState::live) continue;
      const bool is_fact = told.record.kind == fb::MemoryKind::fact;
      const bool holds =
          is_fact && !refused.value.subject.empty() && IsRefusedAs(told, refused.value);
      const bool is_over = told.record.expires_at && *told.record.expires_at <= now;
      const bool says = told.text == refused.value.text && !is_over;
      if (!holds && !says) continue;
      if (*ScopeContains((*engine_).Latest(), kMainSpace, reach.scope, told.record.scope)) {
        Wrong(id, fmt::format("is live under suppression {}", refused.seq));
      }
    }
  }
}

void FactOracle::CheckRecords() {
  for (const auto& [id, told] : told_) {
    const auto record = ReadMemory((*engine_).Latest(), kMainSpace, id);
    if (!record || !*record || Pack(**record) != Pack(told.record)) {
      Wrong(id, "the store has another record than its entries make");
    }
    if (told.record.dispute != fb::Dispute::challenged) continue;
    const bool waits = std::ranges::any_of(told_, [&, &me = id](const auto& other) {
      return other.second.record.state == fb::MemoryState::pending &&
             FromIdPtr(other.second.record.predecessor) == me;
    });
    if (!waits) Wrong(id, "is challenged by nobody");
  }
}

void FactOracle::Follow() {
  const LogHead head = (*engine_).Visible(kMainSpace);
  while (seen_ < head.seq) {
    const auto entry = ReadEntry((*engine_).Latest(), kMainSpace, seen_ + 1);
    ASSERT_THAT(entry, IsOk());
    Take(*entry);
  }
  CheckSeats(head.time);
  CheckSuppressions(head.time);
  CheckRecords();
}

}  // namespace perdure::testing
