#include "index/search/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "engine/apply/memory_fold.h"
#include "engine/base/check.h"
#include "engine/model/codec.h"

namespace perdure {
namespace {

template <std::size_t N>
std::uint64_t HashOfBytes(const std::array<std::uint8_t, N>& bytes) {
  static_assert(N == 16);
  std::uint64_t halves[2];
  std::memcpy(halves, bytes.data(), sizeof(halves));
  return halves[0] * 31 + halves[1];
}

std::uint64_t HashOfScope(Seq container, const rows::Scope& scope) {
  return (((container * 31 + scope.user) * 31 + scope.agent) * 31 + scope.run) * 31 + scope.store;
}

bool SameRow(const rows::Scope& a, const rows::Scope& b) {
  return a.container == b.container && a.user == b.user && a.agent == b.agent && a.run == b.run &&
         a.store == b.store;
}

std::unexpected<Error> Contradiction(const fb::Entry& entry, std::string_view what) {
  return Fail(Code::kCorrupt,
              fmt::format("Entry {} {}. Run `perdure log verify`.", entry.seq(), what));
}

}  // namespace

Columns::Columns() { containers.Append({}); }

// --- Reading -------------------------------------------------------------------------------------

std::uint32_t Columns::FindMemory(const Uuid& id) const {
  PERDURE_CHECK(writer_ready_);
  return memory_rows_.Find(HashOfBytes(id.bytes),
                           [&](std::uint32_t row) { return memories[row].id == id.bytes; });
}

std::vector<std::uint64_t> Columns::ChunksOfMemory(std::uint32_t memory) const {
  std::vector<std::uint64_t> found;
  std::uint32_t last = kNoRow;
  for (std::uint32_t state = LatestState(memory); state != kNoRow; state = states[state].previous) {
    const std::uint32_t version = states[state].version;
    if (version == last) continue;
    last = version;
    for (std::uint32_t i = 0; i < versions[version].chunk_count; ++i) {
      found.push_back(versions[version].first_chunk + i);
    }
  }
  std::ranges::sort(found);
  return found;
}

std::uint32_t Columns::FindLabel(const ValueKey& key) const {
  const MutexLock lock(labels_mutex_);
  const std::size_t count = label_keys.size();
  for (std::size_t row = 0; row < count; ++row) {
    if (label_keys[row].key == key) return static_cast<std::uint32_t>(row);
  }
  return kNoRow;
}

ValueKey Columns::KeyOfLabel(std::uint32_t label) const {
  const MutexLock lock(labels_mutex_);
  return label_keys[label].key;
}

std::uint32_t Columns::FindContainer(Seq node) const {
  std::size_t low = 0;
  std::size_t high = containers.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (containers[middle].seq < node) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < containers.size() && containers[low].seq == node ? static_cast<std::uint32_t>(low)
                                                                : kNoRow;
}

bool Columns::HasLabel(std::uint32_t version, std::uint32_t label) const {
  const rows::Version& row = versions[version];
  for (std::uint32_t i = 0; i < row.label_count; ++i) {
    const std::atomic_ref ref(label_refs.Mutable(row.first_label + i));
    if (ref.load(std::memory_order_relaxed) == label) return true;
  }
  return false;
}

std::uint64_t Columns::HeapBytes() const {
  return memories.HeapBytes() + states.HeapBytes() + versions.HeapBytes() + chunks.HeapBytes() +
         label_refs.HeapBytes() + label_keys.HeapBytes() + containers.HeapBytes() +
         scopes.HeapBytes() + valid_spans.HeapBytes() + turns.HeapBytes() + latest_.HeapBytes() +
         turn_of_.HeapBytes() + turn_order_.HeapBytes();
}

// --- Folding -------------------------------------------------------------------------------------

std::uint8_t Columns::MarksOf(const fb::MemoryRecordT& record) {
  return static_cast<std::uint8_t>(
      (record.pinned ? rows::kPinned : 0) | (record.shadowed ? rows::kShadowed : 0) |
      (record.dispute != fb::Dispute::none ? rows::kDisputed : 0) |
      (record.memory_class == fb::MemoryClass::communication ? rows::kCommunication : 0));
}

fb::MemoryRecordT Columns::RecordOf(std::uint32_t memory) const {
  const rows::Memory& head = memories[memory];
  const rows::State& state = states[LatestState(memory)];
  const rows::Version& version = versions[state.version];
  const rows::Scope& scope = scopes[state.scope];
  fb::MemoryRecordT record;
  record.record_time = state.record_time;
  record.created_time = states[head.first_state].record_time;
  record.version = version.version;
  record.version_time = version.record_time;
  record.text_seq = version.text_seq;
  record.label_seq = version.label_seq;
  record.kind = static_cast<fb::MemoryKind>(head.kind);
  record.state = static_cast<fb::MemoryState>(state.state);
  record.authorship = static_cast<fb::Authorship>(state.authorship);
  record.pinned = state.Has(rows::kPinned);
  record.shadowed = state.Has(rows::kShadowed);
  record.genre = static_cast<fb::Genre>(state.genre);
  record.store = containers[scope.store].seq;
  if (state.Has(rows::kCommunication)) record.memory_class = fb::MemoryClass::communication;
  record.scope = fb::ScopeRef(containers[scope.container].seq, scope.user, scope.agent, scope.run);
  if (state.expires_at != rows::kNever) record.expires_at = state.expires_at;
  if (state.valid_span != kNoRow) {
    const rows::ValidSpan& span = valid_spans[state.valid_span];
    if (span.from != kTimeMin) record.valid_from = span.from;
    if (span.until != rows::kNever) record.valid_until = span.until;
  }
  return record;
}

Result<std::optional<fb::MemoryRecordT>> Columns::RecordAfter(const fb::Entry& entry) const {
  const fb::Id* memory = MemoryOf(entry);
  if (memory == nullptr || !TouchesRecord(entry)) return std::nullopt;
  const std::uint32_t row = FindMemory(FromId(*memory));
  const bool stores = entry.event_type() == fb::Event::MemoryStored;
  if (stores && row != kNoRow) return Contradiction(entry, "stores a memory that exists");
  if (!stores && row == kNoRow) return Contradiction(entry, "is about an unknown memory");
  return FoldRecord(entry, stores ? std::nullopt : std::optional(RecordOf(row)));
}

std::uint32_t Columns::ValidSpanFor(const fb::MemoryRecordT& after, std::uint32_t before) {
  if (!after.valid_from && !after.valid_until) return kNoRow;
  const rows::ValidSpan span{after.valid_from.value_or(kTimeMin),
                             after.valid_until.value_or(rows::kNever)};
  const std::uint32_t known = before == kNoRow ? kNoRow : states[before].valid_span;
  if (known != kNoRow && valid_spans[known] == span) return known;
  return valid_spans.Append(span);
}

std::uint32_t Columns::MemoryFor(const Uuid& id, const fb::MemoryRecordT& after) {
  const std::uint32_t known = FindMemory(id);
  if (known != kNoRow) return known;
  const rows::Memory memory{id.bytes, static_cast<std::uint32_t>(states.size()),
                            static_cast<std::uint32_t>(after.kind)};
  const std::uint32_t row = memories.Append(memory);
  memory_rows_.Insert(row, [this](std::uint32_t r) { return HashOfBytes(memories[r].id); });
  latest_.Append(kNoRow);
  turn_of_.Append(kNoRow);
  return row;
}

std::uint32_t Columns::LabelFor(const ValueKey& key) {
  const std::uint32_t known = label_rows_.Find(
      HashOfBytes(key), [&](std::uint32_t row) { return label_keys[row].key == key; });
  if (known != kNoRow) return known;
  const std::uint32_t row = label_keys.Append({key});
  label_rows_.Insert(row, [this](std::uint32_t r) { return HashOfBytes(label_keys[r].key); });
  return row;
}

std::uint32_t Columns::ScopeFor(const fb::ScopeRef& scope, Seq store) {
  const auto row_of = [this](Seq node) {
    const std::uint32_t found = FindContainer(node);
    return found == kNoRow ? 0 : found;
  };
  const rows::Scope row{scope.user(), scope.agent(), scope.run(), row_of(scope.container()),
                        row_of(store)};
  const auto hash = [](const rows::Scope& r) { return HashOfScope(r.container, r); };
  const std::uint32_t known =
      scope_rows_.Find(hash(row), [&](std::uint32_t r) { return SameRow(scopes[r], row); });
  if (known != kNoRow) return known;
  const std::uint32_t added = scopes.Append(row);
  scope_rows_.Insert(added, [&](std::uint32_t r) { return hash(scopes[r]); });
  return added;
}

void Columns::AddTurn(std::uint32_t memory, const fb::MemoryRecordT& record, const Keys& keys) {
  const auto said = std::chrono::microseconds(record.reference_time.value_or(record.created_time));
  const auto day = std::chrono::floor<std::chrono::days>(said).count();
  const std::uint32_t turn =
      turns.Append({record.position.value_or(std::numeric_limits<std::int64_t>::max()), memory,
                    LabelFor(*keys.session), keys.speaker ? LabelFor(*keys.speaker) : kNoRow,
                    day < 0 ? 0 : static_cast<std::uint32_t>(day)});
  turn_order_.Append();
  std::atomic_ref(turn_of_.Mutable(memory)).store(turn, std::memory_order_release);
}

void Columns::AddContainer(Seq node, Seq parent) {
  const std::uint32_t above = FindContainer(parent);
  containers.Append({node, above == kNoRow ? 0 : above, 0});
}

std::uint32_t Columns::AppendVersion(const fb::Entry& entry, const fb::MemoryRecordT& after,
                                     std::uint32_t memory, std::span<const ChunkSpan> spans,
                                     std::span<const ValueKey> labels) {
  const auto version = static_cast<std::uint32_t>(versions.size());
  const rows::Version row{entry.seq(),
                          after.text_seq,
                          after.label_seq,
                          entry.record_time(),
                          memory,
                          after.version,
                          static_cast<std::uint32_t>(chunks.size()),
                          static_cast<std::uint32_t>(spans.size()),
                          static_cast<std::uint32_t>(label_refs.size()),
                          static_cast<std::uint32_t>(labels.size())};
  for (const ChunkSpan& span : spans) {
    chunks.Append({memory, version, static_cast<std::uint32_t>(span.begin),
                   static_cast<std::uint32_t>(span.end)});
  }
  for (const ValueKey& label : labels) label_refs.Append(LabelFor(label));
  return versions.Append(row);
}

Columns::Change Columns::Fold(const fb::Entry& entry, const std::optional<fb::MemoryRecordT>& after,
                              std::span<const ChunkSpan> spans, const Keys& keys) {
  if (const auto* node = entry.event_as_ScopeNodeCreated();
      node != nullptr && (node->node_class() == fb::NodeClass::container ||
                          node->node_class() == fb::NodeClass::store)) {
    AddContainer(entry.seq(), node->parent());
  }
  if (entry.event_type() == fb::Event::ContainerMoved) {
    containers.Append({entry.seq(), 0, 1});
    have_moved_.store(true, std::memory_order_release);
  }
  Change change;
  if (!after) return change;
  change.memory = MemoryFor(FromId(*MemoryOf(entry)), *after);
  change.erased = after->state == fb::MemoryState::erased;
  const std::uint32_t before = LatestState(change.memory);
  const std::uint32_t shown = before == kNoRow ? kNoRow : states[before].version;
  if (VersionMadeBy(entry) != 0) {
    change.version = AppendVersion(entry, *after, change.memory, spans, keys.labels);
    change.replaced = shown;
  }
  if (keys.session && TurnOf(change.memory) == kNoRow) {
    AddTurn(change.memory, *after, keys);
  }
  const std::uint32_t state = states.Append(
      {entry.record_time(), after->expires_at ? *after->expires_at : rows::kNever, change.memory,
       before, change.version != kNoRow ? change.version : shown,
       ScopeFor(after->scope, after->store), ValidSpanFor(*after, before),
       static_cast<std::uint8_t>(after->state), static_cast<std::uint8_t>(after->authorship),
       static_cast<std::uint8_t>(after->genre), MarksOf(*after)});
  std::atomic_ref(latest_.Mutable(change.memory)).store(state, std::memory_order_release);
  return change;
}

// --- Erasing -------------------------------------------------------------------------------------

void Columns::Erase(std::uint32_t memory) {
  for (std::uint32_t state = LatestState(memory); state != kNoRow; state = states[state].previous) {
    const rows::Version& version = versions[states[state].version];
    for (std::uint32_t i = 0; i < version.label_count; ++i) {
      std::atomic_ref(label_refs.Mutable(version.first_label + i))
          .store(kNoRow, std::memory_order_relaxed);
    }
  }
  if (const std::uint32_t turn = TurnOf(memory); turn != kNoRow) {
    turns.Mutable(turn).session = kNoRow;
    std::atomic_ref(turns.Mutable(turn).speaker).store(kNoRow, std::memory_order_relaxed);
    std::atomic_ref(turns.Mutable(turn).day).store(kNoRow, std::memory_order_relaxed);
    turn_order_.Remove(turn);
  }
  DropUnusedLabels();
}

void Columns::DropUnusedLabels() {
  std::vector<bool> used(label_keys.size());
  for (std::size_t i = 0; i < label_refs.size(); ++i) {
    if (label_refs[i] != kNoRow) used[label_refs[i]] = true;
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].session != kNoRow) used[turns[i].session] = true;
    if (turns[i].speaker != kNoRow) used[turns[i].speaker] = true;
  }
  const MutexLock lock(labels_mutex_);
  for (std::size_t row = 0; row < used.size(); ++row) {
    if (!used[row]) label_keys.Mutable(row) = {};
  }
  // Keys of zeros sit at places of other hashes: the map is built again without them.
  label_rows_ = {};
  for (std::uint32_t row = 0; row < used.size(); ++row) {
    if (used[row]) {
      label_rows_.Insert(row, [this](std::uint32_t r) { return HashOfBytes(label_keys[r].key); });
    }
  }
}

// --- Loading -------------------------------------------------------------------------------------

Status Columns::CheckRows() const {
  const auto corrupt = [](std::string_view table) {
    return Fail(Code::kCorrupt, fmt::format("A row of {} refers to one that is not there.", table));
  };
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const rows::Memory& row = memories[i];
    if (row.first_state >= states.size()) return corrupt("memories");
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].memory >= memories.size() || chunks[i].version >= versions.size()) {
      return corrupt("chunks");
    }
  }
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const rows::Version& row = versions[i];
    if (row.memory >= memories.size() || row.first_chunk > chunks.size() ||
        row.chunk_count > chunks.size() - row.first_chunk || row.first_label > label_refs.size() ||
        row.label_count > label_refs.size() - row.first_label) {
      return corrupt("versions");
    }
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const rows::Turn& row = turns[i];
    if (row.memory >= memories.size() ||
        (row.session != kNoRow && row.session >= label_keys.size()) ||
        (row.speaker != kNoRow && row.speaker >= label_keys.size())) {
      return corrupt("turns");
    }
  }
  return {};
}

Status Columns::FinishLoading() {
  for (std::size_t i = 0; i < memories.size(); ++i) {
    latest_.Append(kNoRow);
    turn_of_.Append(kNoRow);
  }
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    const rows::State& row = states[i];
    if (row.memory >= memories.size() || row.version >= versions.size() ||
        row.scope >= scopes.size() ||
        (row.valid_span != kNoRow && row.valid_span >= valid_spans.size()) ||
        row.previous != latest_[row.memory]) {
      return Fail(Code::kCorrupt, "A row of states refers to one that is not there.");
    }
    latest_.Mutable(row.memory) = i;
  }
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (scopes[i].container >= containers.size() || scopes[i].store >= containers.size()) {
      return Fail(Code::kCorrupt, "A row of scopes refers to one that is not there.");
    }
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].moved != 0) have_moved_.store(true, std::memory_order_release);
  }
  RETURN_IF_ERROR(CheckRows());
  for (std::uint32_t i = 0; i < turns.size(); ++i) {
    turn_of_.Mutable(turns[i].memory) = i;
    turn_order_.Append();
  }
  return {};
}

void Columns::PrepareWriter() {
  if (writer_ready_) return;
  const auto hash_memory = [this](std::uint32_t r) { return HashOfBytes(memories[r].id); };
  memory_rows_.Reserve(memories.size(), hash_memory);
  for (std::uint32_t row = 0; row < memories.size(); ++row) memory_rows_.Insert(row, hash_memory);
  const auto hash_scope = [this](std::uint32_t r) {
    return HashOfScope(scopes[r].container, scopes[r]);
  };
  for (std::uint32_t row = 0; row < scopes.size(); ++row) scope_rows_.Insert(row, hash_scope);
  const auto hash_label = [this](std::uint32_t r) { return HashOfBytes(label_keys[r].key); };
  for (std::uint32_t row = 0; row < label_keys.size(); ++row) {
    if (label_keys[row].key != ValueKey{}) label_rows_.Insert(row, hash_label);
  }
  writer_ready_ = true;
}

}  // namespace perdure
