// The rows of a space as its log says that they must be.
#include <algorithm>
#include <cmath>

#include "engine/apply/memory_fold.h"
#include "engine/facts/fact_oracle.h"
#include "engine/log/entry.h"
#include "engine/model/fact_keys.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure::testing {
namespace {

std::string ScopeBytes(const fb::ScopeRef& scope) {
  return Key().U64(scope.container()).U64(scope.user()).U64(scope.agent()).U64(scope.run()).Take();
}

class RowBuilder {
 public:
  explicit RowBuilder(FactEngine& engine)
      : engine_(engine), secret_((*engine).KeysOf(kMainSpace).secret) {}

  Rows Build() {
    for (Seq seq = 1; seq <= (*engine_).Visible(kMainSpace).seq; ++seq) {
      Take(*ReadEntry(state(), kMainSpace, seq));
    }
    for (const auto& [id, record] : records_) {
      if (record->kind == fb::MemoryKind::fact && record->state == fb::MemoryState::live) {
        for (const ValueKey& slot : KeysAt(*record).scoped) {
          rows_[tables::Slot(kMainSpace, slot, id)] = "";
        }
      }
    }
    return std::move(rows_);
  }

 private:
  const StateReader& state() { return (*engine_).Latest(); }
  FactKeys KeysAt(const fb::MemoryRecordT& record) {
    const auto text = ReadPayload(state(), kMainSpace, record.text_seq);
    return KeysOfFact(secret_, FactWords::Of(***text), record.symmetric, record.scope);
  }
  void AddValue(const ValueKey& key, const Uuid& id, std::uint64_t number) {
    rows_[tables::Value(kMainSpace, key, id, number)] = "";
  }
  void Take(const Entry& entry) {
    const auto payload = *ReadPayload(state(), *entry);
    const fb::Payload* words = payload ? &**payload : nullptr;
    if (entry->event_type() == fb::Event::PredicateDeclared) {
      rows_[tables::Predicate(kMainSpace,
                              PredicateKey(secret_, words->predicate()->string_view()))] =
          Key().U64(entry->seq()).Take();
    }
    if (const auto* suppressed = entry->event_as_ValueSuppressed()) {
      rows_[tables::Suppressed(kMainSpace, ValueKey{})] = "";
      for (const fb::Id* key : *suppressed->keys()) {
        rows_[tables::Suppressed(kMainSpace, ToKey(*key))] += Key().U64(entry->seq()).Take();
      }
    }
    const fb::Id* memory = MemoryOf(*entry);
    if (memory && TouchesRecord(*entry)) TakeMemory(entry, words);
  }
  void TakeMemory(const Entry& entry, const fb::Payload* words) {
    const Uuid id = FromId(*MemoryOf(*entry));
    auto& record = records_[id];
    const float importance = record ? record->importance : 0;
    const float confidence = record ? record->confidence : 0;
    record = FoldRecord(*entry, std::move(record));
    if ((*ReadMemory(state(), kMainSpace, id))->state == fb::MemoryState::erased) return;
    if (VersionMadeBy(*entry) != 0) {
      AddValue(**ContentKeyOf(state(), kMainSpace, *record, secret_), id, record->version);
      if (record->label_seq == entry->seq()) {
        for (const ValueKey& key : LabelKeys(secret_, *words)) AddValue(key, id, entry->seq());
      }
    }
    if (words && words->pass()) {
      auto& [first, second] = moved_[{id, words->pass()->str()}];
      first += std::lround(std::abs(record->importance - importance) * 1000);
      second += std::lround(std::abs(record->confidence - confidence) * 1000);
      rows_[tables::Scored(kMainSpace, PassKey(secret_, words->pass()->string_view()), id)] =
          Key()
              .U32(static_cast<std::uint32_t>(first))
              .U32(static_cast<std::uint32_t>(second))
              .Take();
    }
    if (record->kind == fb::MemoryKind::fact) TakeFact(*entry, words, id, *record);
  }
  void TakeFact(const fb::Entry& entry, const fb::Payload* words, const Uuid& id,
                const fb::MemoryRecordT& record) {
    if (words) {
      for (const ValueKey& key : EvidenceKeys(secret_, *words, EvidenceTimeOf(entry))) {
        AddValue(key, id, entry.seq());
      }
    }
    const FactKeys keys = KeysAt(record);
    const auto* turned = entry.event_as_SymmetryChanged();
    if (turned && !turned->symmetric()) DropOtherEnd(id, record, keys);
    const std::string scope = ScopeBytes(record.scope);
    for (const auto* some : {&keys.subjects, &keys.slots, &keys.values}) {
      for (const ValueKey& key : *some) {
        const std::string row = tables::Value(kMainSpace, key, id, record.text_seq);
        if (said_.insert(row + scope).second) rows_[row] += scope;
      }
    }
  }

  // The rows that the same words had while subject and object could be swapped.
  void DropOtherEnd(const Uuid& id, fb::MemoryRecordT record, const FactKeys& kept) {
    record.symmetric = true;
    const FactKeys both = KeysAt(record);
    const auto drop = [&](const std::vector<ValueKey>& all, const std::vector<ValueKey>& keep) {
      for (const ValueKey& key : all) {
        if (std::ranges::find(keep, key) != keep.end()) continue;
        const std::string row = tables::Value(kMainSpace, key, id, record.text_seq);
        rows_.erase(row);
        std::erase_if(said_, [&](const std::string& said) { return said.starts_with(row); });
      }
    };
    drop(both.subjects, kept.subjects);
    drop(both.slots, kept.slots);
    drop(both.values, kept.values);
  }

  FactEngine& engine_;
  const Secret& secret_;
  Rows rows_;
  std::map<Uuid, std::optional<fb::MemoryRecordT>> records_;
  std::map<std::pair<Uuid, std::string>, std::pair<long, long>> moved_;
  std::set<std::string> said_;  // a row and a scope
};

}  // namespace

Rows RowsByLog(FactEngine& engine) { return RowBuilder(engine).Build(); }

Rows RowsByStore(FactEngine& engine) {
  Rows rows;
  for (const int table : {1, 5, 6, 7, 8}) {
    const std::string prefix = Key().U8(static_cast<std::uint8_t>(table)).U32(kMainSpace).Take();
    EXPECT_THAT((*engine).Latest().Scan(Family::kRows, prefix, PrefixEnd(prefix),
                                        [&](std::string_view key, std::string_view value) {
                                          rows.emplace(key, value);
                                          return true;
                                        }),
                IsOk());
  }
  return rows;
}

}  // namespace perdure::testing
