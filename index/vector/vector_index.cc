#include "index/vector/vector_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/mutex.h"
#include "index/vector/byte_io.h"

namespace perdure {
namespace {

constexpr double kNormTolerance = 1e-2;  // of the squared norm

// A graph whose filter admits one in s visits about s times as many nodes; from here on a scan of
// what is admitted is as fast.
constexpr std::size_t kScanSelectivity = 4;

}  // namespace

VectorIndex::VectorIndex(OpenOnly, const std::string& directory, const VectorIndexOptions& options)
    : options_(options),
      format_(options.dimensions),
      store_(directory, {options.dimensions, options.model_hash}, options.segment_chunks) {}

Result<std::unique_ptr<VectorIndex>> VectorIndex::Open(const std::string& directory,
                                                       const VectorIndexOptions& options) {
  PERDURE_CHECK(options.dimensions > 0);
  PERDURE_CHECK(options.segment_chunks > 0 && options.segment_chunks <= Graph::kNodesMax);
  auto index = std::make_unique<VectorIndex>(OpenOnly(), directory, options);
  const MutexLock writing(index->writing_);
  ASSIGN_OR_RETURN(auto loaded, index->store_.Load(index->format_));
  const WriterLock content(index->content_);
  index->segments_ = std::move(loaded.segments);
  index->discarded_ = std::move(loaded.discarded);
  return index;
}

Status VectorIndex::CheckVector(std::span<const float> vector, const char* field) const {
  if (vector.size() != options_.dimensions) {
    return Fail(Code::kInvalidArgument,
                fmt::format("A vector of {} dimensions was given to an index of {}.", vector.size(),
                            options_.dimensions),
                field);
  }
  double norm = 0;
  for (const float value : vector) norm += static_cast<double>(value) * static_cast<double>(value);
  if (!(std::abs(norm - 1) <= kNormTolerance) && norm != 0) {
    return Fail(Code::kInvalidArgument, "A vector must have norm 1 or be all zeros.", field);
  }
  return {};
}

std::uint64_t VectorIndex::FirstChunkOf(std::uint64_t chunk) const { return chunk - SlotOf(chunk); }

std::uint32_t VectorIndex::SlotOf(std::uint64_t chunk) const {
  return static_cast<std::uint32_t>(chunk % options_.segment_chunks);
}

Segment* VectorIndex::Find(std::uint64_t chunk) const {
  const auto found = segments_.find(FirstChunkOf(chunk));
  return found == segments_.end() ? nullptr : found->second.get();
}

Status VectorIndex::Add(std::uint64_t chunk, std::span<const float> vector) {
  RETURN_IF_ERROR(CheckVector(vector, "vector"));
  const MutexLock writing(writing_);
  Segment* const segment = FindAsWriter(chunk);
  if (segment == nullptr || !segment->WouldReplace(SlotOf(chunk), vector)) {
    return AddTo(segment, chunk, vector);
  }
  const WriterLock growing(growing_);
  return AddTo(segment, chunk, vector);
}

Status VectorIndex::AddTo(Segment* segment, std::uint64_t chunk, std::span<const float> vector) {
  const WriterLock content(content_);
  if (segment == nullptr) {
    auto& place = segments_[FirstChunkOf(chunk)];
    place = std::make_unique<Segment>(format_, FirstChunkOf(chunk));
    segment = place.get();
  }
  if (segment->Add(SlotOf(chunk), vector)) dirty_.insert(segment->first_chunk());
  return {};
}

void VectorIndex::DropIfEmpty(std::uint64_t first_chunk) {
  const auto found = segments_.find(first_chunk);
  if (found == segments_.end() || found->second->chunk_count() > 0) return;
  if (growth_ && growth_->first_chunk == first_chunk) growth_.reset();
  segments_.erase(found);
}

Status VectorIndex::Remove(std::uint64_t chunk) {
  const MutexLock writing(writing_);
  Segment* segment = FindAsWriter(chunk);
  if (segment == nullptr) return {};
  const WriterLock growing(growing_);
  const WriterLock content(content_);
  if (!segment->Remove(SlotOf(chunk))) return {};
  dirty_.insert(segment->first_chunk());
  if (segment->Crowded()) segment->Compact();
  DropIfEmpty(FirstChunkOf(chunk));
  return {};
}

Status VectorIndex::Erase(std::span<const std::uint64_t> chunks) {
  const MutexLock writing(writing_);
  const WriterLock growing(growing_);
  SegmentStore::Changes changes;
  {
    const WriterLock content(content_);
    for (const std::uint64_t chunk : chunks) {
      Segment* segment = Find(chunk);
      if (segment == nullptr || !segment->Erase(SlotOf(chunk))) continue;
      const std::uint64_t first_chunk = segment->first_chunk();
      dirty_.insert(first_chunk);
      if (store_.Holds(first_chunk)) unpurged_.insert(first_chunk);
      DropIfEmpty(first_chunk);
    }
    changes = ChangesOf(unpurged_);
  }
  RETURN_IF_ERROR(store_.Save(store_.cursor(), changes));
  const WriterLock content(content_);
  for (const std::uint64_t first_chunk : unpurged_) dirty_.erase(first_chunk);
  unpurged_.clear();
  return {};
}

std::size_t VectorIndex::ChunkCount() const {
  std::size_t chunks = 0;
  for (const auto& [first_chunk, segment] : segments_) chunks += segment->chunk_count();
  return chunks;
}

std::size_t VectorIndex::RowCount() const {
  std::size_t rows = 0;
  for (const auto& [first_chunk, segment] : segments_) rows += segment->row_count();
  return rows;
}

bool VectorIndex::ScanIsCheaper(std::size_t allowed_count) const {
  if (allowed_count <= options_.exact_max) return true;
  const std::size_t rows = RowCount();
  return rows <= options_.exact_max || allowed_count < rows / kScanSelectivity;
}

Result<std::vector<VectorHit>> VectorIndex::Search(std::span<const float> query, std::size_t limit,
                                                   ChunkPredicate allowed,
                                                   std::size_t allowed_count) const {
  RETURN_IF_ERROR(CheckVector(query, "query"));
  RowTable row(format_);
  row.Append(query);
  const ReaderLock content(content_);
  limit = std::min(limit, ChunkCount());
  Nearest nearest(limit);
  const bool exact = ScanIsCheaper(allowed_count);
  for (const auto& [first_chunk, segment] : segments_) {
    RETURN_IF_ERROR(segment->Search(row.View(0), limit, allowed, exact, nearest));
  }
  return std::move(nearest).Take();
}

Result<std::vector<VectorHit>> VectorIndex::Compare(std::span<const float> query,
                                                    std::span<const std::uint64_t> chunks) const {
  RETURN_IF_ERROR(CheckVector(query, "query"));
  RowTable row(format_);
  row.Append(query);
  const ReaderLock content(content_);
  return CosinesOf(chunks, row.View(0));
}

Result<std::vector<VectorHit>> VectorIndex::CompareWith(
    std::uint64_t chunk, std::span<const std::uint64_t> chunks) const {
  const ReaderLock content(content_);
  const Segment* segment = Find(chunk);
  const auto row = segment == nullptr ? std::nullopt : segment->RowOf(SlotOf(chunk));
  if (!row) return std::vector<VectorHit>();
  return CosinesOf(chunks, *row);
}

std::vector<VectorHit> VectorIndex::CosinesOf(std::span<const std::uint64_t> chunks,
                                              const RowView& row) const {
  std::vector<VectorHit> hits;
  for (const std::uint64_t chunk : chunks) {
    const Segment* segment = Find(chunk);
    if (segment == nullptr) continue;
    const auto cosine = segment->CosineOf(SlotOf(chunk), row);
    if (cosine) hits.push_back({chunk, *cosine});
  }
  return hits;
}

bool VectorIndex::GrowthHolds() const {
  if (!growth_) return false;
  const ReaderLock content(content_);
  const Segment* segment = Find(growth_->first_chunk);
  return segment != nullptr && segment->IsCurrent(growth_->step);
}

Result<bool> VectorIndex::StartGrowth(std::uint64_t pending_from) {
  growth_.reset();
  {
    const WriterLock content(content_);
    if (RowCount() <= options_.exact_max) return false;
    for (const auto& [first_chunk, segment] : segments_) {
      if (first_chunk >= pending_from) break;
      const std::uint64_t settled =
          std::min<std::uint64_t>(pending_from - first_chunk, options_.segment_chunks);
      const bool last =
          settled == options_.segment_chunks && first_chunk != segments_.rbegin()->first;
      auto step = segment->NextStep(static_cast<std::uint32_t>(settled), last);
      if (step.nodes.empty()) continue;
      growth_.emplace(first_chunk, std::move(step), 0, nullptr);
      break;
    }
  }
  if (!growth_) return false;
  const ReaderLock content(content_);
  const Segment* segment = Find(growth_->first_chunk);
  ASSIGN_OR_RETURN(growth_->graph, segment->GraphToExtend(growth_->step));
  return true;
}

Status VectorIndex::Grow() {
  const Segment::Node& node = growth_->step.nodes[growth_->inserted];
  RETURN_IF_ERROR(growth_->graph->Insert(node.code, node.label, node.chunk));
  if (++growth_->inserted < growth_->step.nodes.size()) return {};
  {
    const WriterLock content(content_);
    Segment* segment = Find(growth_->first_chunk);
    if (segment->IsCurrent(growth_->step)) {
      segment->Publish(growth_->step, std::move(growth_->graph));
      dirty_.insert(growth_->first_chunk);
    }
  }
  growth_.reset();
  return {};
}

Result<std::size_t> VectorIndex::Advance(std::size_t insertions_max, std::uint64_t pending_from) {
  for (std::size_t inserted = 0; inserted < insertions_max; ++inserted) {
    const WriterLock growing(growing_);
    if (!GrowthHolds()) {
      ASSIGN_OR_RETURN(const bool started, StartGrowth(pending_from));
      if (!started) return inserted;
    }
    if (auto grown = Grow(); !grown) {
      growth_.reset();
      return std::unexpected(std::move(grown).error());
    }
  }
  return insertions_max;
}

SegmentStore::Changes VectorIndex::ChangesOf(const std::set<std::uint64_t>& first_chunks) const {
  SegmentStore::Changes changes;
  for (const std::uint64_t first_chunk : first_chunks) {
    changes.emplace_back(first_chunk, Find(first_chunk));
  }
  return changes;
}

Status VectorIndex::Checkpoint(std::uint64_t cursor) {
  const MutexLock writing(writing_);
  const WriterLock growing(growing_);
  SegmentStore::Changes changes;
  {
    const ReaderLock content(content_);
    changes = ChangesOf(dirty_);
  }
  RETURN_IF_ERROR(store_.Save(cursor, changes));
  const WriterLock content(content_);
  dirty_.clear();
  unpurged_.clear();
  return {};
}

std::uint64_t VectorIndex::cursor() const {
  const MutexLock writing(writing_);
  return store_.cursor();
}

VectorIndexStats VectorIndex::Stats() const {
  const MutexLock writing(writing_);
  const ReaderLock content(content_);
  VectorIndexStats stats;
  for (const auto& [first_chunk, segment] : segments_) {
    stats.chunks += segment->chunk_count() - segment->removed_count();
    stats.removed += segment->removed_count();
    stats.rows += segment->row_count();
    stats.tail += segment->row_count() - (segment->graph() ? segment->graph()->size() : 0);
    stats.memory_bytes += segment->MemoryBytes();
  }
  stats.segments = segments_.size();
  stats.file_bytes = store_.FileBytes();
  return stats;
}

Hash VectorIndex::GraphDigest() const {
  const ReaderLock content(content_);
  Sha256Stream hash;
  for (const auto& [first_chunk, segment] : segments_) {
    ByteWriter out;
    out.Put(first_chunk);
    out.Put(segment->frontier());
    for (const Segment::Chunk& chunk : segment->Chunks()) {
      out.Put(chunk.slot);
      out.Put(chunk.row);
      out.Put(static_cast<std::uint8_t>(chunk.removed));
    }
    if (segment->graph() != nullptr) out.Put(segment->graph()->Encode());
    hash.Update(out.bytes());
  }
  return hash.Finish();
}

}  // namespace perdure
