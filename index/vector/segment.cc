#include "index/vector/segment.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "engine/base/check.h"

namespace perdure {
namespace {

// Only ever compared within one run, and confirmed by the bytes.
std::uint64_t HashOf(std::span<const float> vector) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(vector.data()), vector.size_bytes()});
}

constexpr std::size_t kScanAhead = 8;  // rows fetched ahead of their turn
constexpr std::size_t kFilterSample = 64;

}  // namespace

Segment::~Segment() = default;

bool Segment::Equal(std::uint32_t row, std::span<const float> vector) const {
  return std::memcmp(table_.Values(row), vector.data(), vector.size_bytes()) == 0;
}

std::uint32_t Segment::FindRow(std::uint64_t hash, std::span<const float> vector) const {
  const auto found = row_of_hash_.find(hash);
  return found != row_of_hash_.end() && Equal(found->second, vector) ? found->second : kNone;
}

bool Segment::WouldReplace(std::uint32_t slot, std::span<const float> vector) const {
  return Present(slot) && !Equal(slots_[slot].row, vector);
}

bool Segment::Add(std::uint32_t slot, std::span<const float> vector) {
  PERDURE_CHECK(vector.size() == table_.format().dimensions());
  if (Present(slot)) {
    if (Equal(slots_[slot].row, vector)) {
      if (!slots_[slot].removed) return false;
      slots_[slot].removed = false;
      --removed_count_;
      return true;
    }
    Erase(slot);
  }
  if (slots_.size() <= slot) slots_.resize(slot + 1);
  const std::uint64_t hash = HashOf(vector);
  std::uint32_t row = FindRow(hash, vector);
  if (row == kNone) {
    row = static_cast<std::uint32_t>(rows_.size());
    table_.Append(vector);
    rows_.push_back({hash, kNone, kNone});
    row_of_hash_.try_emplace(hash, row);
    if (graph_ != nullptr) tail_.push_back(row);
  }
  Link(slot, row);
  ++chunk_count_;
  return true;
}

void Segment::Link(std::uint32_t slot, std::uint32_t row) {
  DistinctRow& r = rows_[row];
  std::uint32_t* place = &r.highest;
  while (*place != kNone && *place > slot) place = &slots_[*place].lower;
  slots_[slot] = {row, *place, false};
  *place = slot;
  if (r.lowest == kNone || slot < r.lowest) {
    r.lowest = slot;
    OrderChangedAt(slot);
  }
}

void Segment::Unlink(std::uint32_t slot) {
  DistinctRow& r = rows_[slots_[slot].row];
  std::uint32_t above = kNone;
  std::uint32_t* place = &r.highest;
  while (*place != slot) {
    above = *place;
    place = &slots_[above].lower;
  }
  *place = slots_[slot].lower;
  if (r.lowest == slot) r.lowest = above;
  slots_[slot] = Slot();
}

bool Segment::Remove(std::uint32_t slot) {
  if (!Present(slot) || slots_[slot].removed) return false;
  slots_[slot].removed = true;
  ++removed_count_;
  return true;
}

bool Segment::Erase(std::uint32_t slot) {
  if (!Present(slot)) return false;
  const std::uint32_t row = slots_[slot].row;
  if (slots_[slot].removed) --removed_count_;
  --chunk_count_;
  const bool was_lowest = rows_[row].lowest == slot;
  Unlink(slot);
  if (rows_[row].highest == kNone) {
    FreeRow(row);
  } else if (was_lowest) {
    OrderChangedAt(slot);
  }
  return true;
}

void Segment::Compact() {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (Present(slot) && slots_[slot].removed) Erase(slot);
  }
}

void Segment::FreeRow(std::uint32_t row) {
  const auto found = row_of_hash_.find(rows_[row].hash);
  if (found != row_of_hash_.end() && found->second == row) row_of_hash_.erase(found);
  table_.MoveLastTo(row);
  const auto last = static_cast<std::uint32_t>(rows_.size() - 1);
  if (row != last) {
    rows_[row] = rows_[last];
    for (auto slot = rows_[row].highest; slot != kNone; slot = slots_[slot].lower) {
      slots_[slot].row = row;
    }
    const auto moved = row_of_hash_.find(rows_[row].hash);
    if (moved != row_of_hash_.end() && moved->second == last) moved->second = row;
  }
  rows_.pop_back();
  DropGraph();  // it holds the row's address, and row numbers have changed
}

void Segment::OrderChangedAt(std::uint32_t slot) {
  if (slot < frontier_) {
    DropGraph();
  } else if (slot < step_frontier_) {
    ++epoch_;
  }
}

void Segment::DropGraph() {
  ++epoch_;
  graph_.reset();
  tail_.clear();
  frontier_ = 0;
  step_frontier_ = 0;
}

bool Segment::AnyAllowed(std::uint32_t row, ChunkPredicate allowed) const {
  for (auto slot = rows_[row].highest; slot != kNone; slot = slots_[slot].lower) {
    if (!slots_[slot].removed && allowed(first_chunk_ + slot)) return true;
  }
  return false;
}

void Segment::AddHits(std::uint32_t row, const RowView& query, ChunkPredicate allowed,
                      Nearest& nearest) const {
  if (!AnyAllowed(row, allowed)) return;
  const float cosine = table_.format().Cosine(query.vector, table_.Values(row));
  if (!nearest.Admits(cosine)) return;
  for (auto slot = rows_[row].highest; slot != kNone; slot = slots_[slot].lower) {
    const std::uint64_t chunk = first_chunk_ + slot;
    if (!slots_[slot].removed && allowed(chunk)) nearest.Add({chunk, cosine});
  }
}

// Whether the filter lets so few of the rows pass that it is asked before the codes are.
template <typename RowAt>
bool Segment::AllowsFew(std::size_t rows, RowAt row_at, ChunkPredicate allowed) const {
  const std::size_t step = rows / kFilterSample + 1;
  std::size_t asked = 0;
  std::size_t allowed_count = 0;
  for (std::size_t i = 0; i < rows; i += step, ++asked) {
    allowed_count += AnyAllowed(row_at(i), allowed) ? 1 : 0;
  }
  return allowed_count * 2 < asked;
}

// Compares codes alone at first; then the best of them by their vectors, so that few of the others
// can still get among the nearest and need theirs.
template <typename RowAt>
void Segment::Scan(std::size_t rows, RowAt row_at, const RowView& query, ChunkPredicate allowed,
                   Nearest& nearest) const {
  struct Bounded {
    float most;  // that the cosine can be
    std::uint32_t row;
  };
  const bool filter_first = AllowsFew(rows, row_at, allowed);
  std::vector<Bounded> all;
  all.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i + kScanAhead < rows) {
      table_.format().Prefetch(table_.CodeOf(row_at(i + kScanAhead)));
    }
    const std::uint32_t row = row_at(i);
    if (filter_first && !AnyAllowed(row, allowed)) continue;
    all.push_back({MostCosine(row, query), row});
  }
  std::span<Bounded> rest(all);
  if (!nearest.IsFull()) {
    const std::size_t best = std::min(rest.size(), 2 * nearest.limit());
    std::ranges::nth_element(rest, rest.begin() + static_cast<std::ptrdiff_t>(best),
                             std::ranges::greater(), &Bounded::most);
    for (const Bounded& bounded : rest.first(best)) {
      if (nearest.Admits(bounded.most)) AddHits(bounded.row, query, allowed, nearest);
    }
    rest = rest.subspan(best);
  }
  for (const Bounded& bounded : rest) {
    if (nearest.Admits(bounded.most)) AddHits(bounded.row, query, allowed, nearest);
  }
}

float Segment::MostCosine(std::uint32_t row, const RowView& query) const {
  const RowCode* const code = table_.CodeOf(row);
  return table_.format().CodeCosine(query.code, code) + RowFormat::CodeError(query.code, code);
}

Status Segment::Search(const RowView& query, std::size_t limit, ChunkPredicate allowed, bool exact,
                       Nearest& nearest) const {
  if (exact || graph_ == nullptr) {
    const auto every = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
    Scan(rows_.size(), every, query, allowed, nearest);
    return {};
  }
  const auto in_tail = [this](std::size_t i) { return tail_[i]; };
  Scan(tail_.size(), in_tail, query, allowed, nearest);
  // Some more than asked for: the graph orders by codes, the answer by vectors.
  const std::size_t candidates = std::max(Graph::kEfSearch, limit + limit / 4);
  ASSIGN_OR_RETURN(const auto hits, graph_->Search(query.code, candidates, [&](std::uint32_t row) {
    return AnyAllowed(row, allowed);
  }));
  for (const GraphHit& hit : hits) {
    const float error = RowFormat::CodeError(query.code, table_.CodeOf(hit.label));
    if (nearest.Admits(hit.code_cosine + error)) AddHits(hit.label, query, allowed, nearest);
  }
  return {};
}

std::optional<float> Segment::CosineOf(std::uint32_t slot, const RowView& query) const {
  const auto row = RowOf(slot);
  if (!row) return std::nullopt;
  return table_.format().Cosine(query.vector, row->vector);
}

std::optional<RowView> Segment::RowOf(std::uint32_t slot) const {
  if (!Present(slot) || slots_[slot].removed) return std::nullopt;
  return table_.View(slots_[slot].row);
}

std::vector<std::uint32_t> Segment::RowOrder() const {
  std::vector<std::uint32_t> order;
  order.reserve(rows_.size());
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (Present(slot) && rows_[slots_[slot].row].lowest == slot) order.push_back(slots_[slot].row);
  }
  return order;
}

Segment::Step Segment::NextStep(std::uint32_t below, bool last) {
  Step step;
  for (std::uint32_t slot = frontier_; slot < std::min<std::size_t>(below, slots_.size()); ++slot) {
    if (!Present(slot) || rows_[slots_[slot].row].lowest != slot) continue;
    const std::uint32_t row = slots_[slot].row;
    step.nodes.push_back({table_.CodeOf(row), row, first_chunk_ + slot});
    step.frontier = slot + 1;
    if (step.nodes.size() == kStepRows) break;
  }
  if (step.nodes.size() < kStepRows && !last) return {};
  step.epoch = epoch_;
  step_frontier_ = step.frontier;
  return step;
}

Result<std::unique_ptr<Graph>> Segment::GraphToExtend(const Step& step) const {
  if (graph_ == nullptr) return Graph::Create(table_.format(), step.nodes.size());
  return graph_->Copy(graph_->size() + step.nodes.size());
}

void Segment::Publish(const Step& step, std::unique_ptr<Graph> graph) {
  PERDURE_CHECK(IsCurrent(step));
  Restore(std::move(graph), step.frontier);
}

void Segment::Restore(std::unique_ptr<Graph> graph, std::uint32_t frontier) {
  graph_ = std::move(graph);
  frontier_ = frontier;
  step_frontier_ = 0;
  tail_.clear();
  for (std::uint32_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].lowest >= frontier_) tail_.push_back(row);
  }
}

std::vector<Segment::Chunk> Segment::Chunks() const {
  std::vector<std::uint32_t> number(rows_.size());
  const auto order = RowOrder();
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<Chunk> chunks;
  chunks.reserve(chunk_count_);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (Present(slot)) chunks.push_back({slot, number[slots_[slot].row], slots_[slot].removed});
  }
  return chunks;
}

std::size_t Segment::MemoryBytes() const {
  constexpr std::size_t kMapNodeBytes = 40;
  return slots_.capacity() * sizeof(Slot) + rows_.capacity() * sizeof(DistinctRow) +
         rows_.size() * kMapNodeBytes + table_.MemoryBytes() +
         (graph_ == nullptr ? 0 : graph_->MemoryBytes());
}

}  // namespace perdure
