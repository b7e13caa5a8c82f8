#include <algorithm>
#include <numeric>

#include "index/search/space_index.h"

namespace perdure {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLogWait(100);  // how long Stop may have to wait
constexpr milliseconds kRetry(500);
constexpr milliseconds kCheckpointTick(500);
// Chunks that may wait in memory for the text index to write: about 4 KiB each.
constexpr std::uint64_t kUnsealedMax = 100'000;

std::vector<std::uint64_t> ChunksOf(const Columns& columns, std::uint32_t version) {
  const rows::Version& row = columns.versions[version];
  std::vector<std::uint64_t> chunks(row.chunk_count);
  std::iota(chunks.begin(), chunks.end(), row.first_chunk);
  return chunks;
}

}  // namespace

// --- Following the log ---------------------------------------------------------------------------

void SpaceIndex::Follow() {
  {
    const MutexLock lock(writing_);
    columns_->PrepareWriter();
  }
  while (!stopping_) {
    if (const Status finished = FinishFolded(); !finished) {
      SetFailure(&SpaceIndex::failure_, finished);
      Pause(kRetry);
      continue;
    }
    const Seq next = lexical_seq() + 1;
    const Seq head = in_.engine->WaitFor(in_.space, next, kLogWait).seq;
    for (Seq seq = next; seq <= head && !stopping_; ++seq) {
      WaitForRoom();
      const Status indexed = IndexEntry(seq);
      if (indexed) continue;
      SetFailure(&SpaceIndex::failure_, indexed);
      Pause(kRetry);
      break;
    }
    if (lexical_seq() >= head && !LexicalFailure().empty()) SetFailure(&SpaceIndex::failure_, {});
  }
}

void SpaceIndex::WaitForRoom() {
  while (unsealed_ > kUnsealedMax && Pause(kLogWait)) {
  }
}

Status SpaceIndex::IndexEntry(Seq seq) {
  const MutexLock lock(writing_);
  ASSIGN_OR_RETURN(folded_, FoldEntry({in_.engine->Latest(), in_.space, secret_, *in_.embedder},
                                      seq, *columns_));
  return FinishEntry();
}

Status SpaceIndex::FinishFolded() {
  const MutexLock lock(writing_);
  return folded_ ? FinishEntry() : Status{};
}

// What it does may be done again: where it failed, a later call goes through it all.
Status SpaceIndex::FinishEntry() {
  const Columns::Change& change = folded_->change;
  if (folded_->text) RETURN_IF_ERROR(IndexVersion(change, *folded_->text));
  if (change.erased) RETURN_IF_ERROR(Purge(change.memory));
  Publish(*folded_->entry, change);
  if (change.replaced != kNoRow) {
    RETURN_IF_ERROR(text_->Retire(ChunksOf(*columns_, change.replaced)));
  }
  folded_.reset();
  return {};
}

Status SpaceIndex::IndexVersion(const Columns::Change& change, const VersionText& text) {
  const std::uint32_t first = columns_->versions[change.version].first_chunk;
  std::vector<TextDocument> documents;
  for (std::size_t i = 0; i < text.chunks.size(); ++i) {
    documents.push_back({first + i, TermsOfChunk(text, i)});
  }
  unsealed_ += documents.size();
  return text_->Add(documents);
}

void SpaceIndex::Publish(const fb::Entry& entry, const Columns::Change& change) {
  if (change.replaced != kNoRow) {
    retired_time_.store(entry.record_time(), std::memory_order_release);
  }
  lexical_seq_.store(entry.seq(), std::memory_order_release);
  NotifyChanged();
  if (change.version != kNoRow) worker_->Notify();
}

// --- Erasing -------------------------------------------------------------------------------------

// The labels go with the next cut, since a checkpoint may be copying them; so do the vectors, since
// taking many at once costs no more than taking one.
Status SpaceIndex::Purge(std::uint32_t memory) {
  described_.Forget(*columns_, memory);
  const std::vector<std::uint64_t> chunks = columns_->ChunksOfMemory(memory);
  if (chunks.empty() || purged_.contains(memory)) return {};
  RETURN_IF_ERROR(text_->Remove(chunks));
  labelled_.push_back(memory);
  embedded_.push_back(memory);
  purged_.insert(memory);
  return {};
}

Status SpaceIndex::EraseVectors() {
  std::vector<EmbedWorker::Erased> erased;
  {
    const MutexLock lock(writing_);
    for (const std::uint32_t memory : embedded_) {
      erased.push_back(
          {memory, Uuid{columns_->memories[memory].id}, columns_->ChunksOfMemory(memory)});
    }
  }
  if (erased.empty()) return {};
  RETURN_IF_ERROR(worker_->Erase(erased));
  const MutexLock lock(writing_);
  embedded_.erase(embedded_.begin(), embedded_.begin() + std::ssize(erased));
  return {};
}

Result<std::uint64_t> SpaceIndex::Erase(std::span<const Uuid> memories) {
  const MutexLock checkpointing(checkpointing_);
  RETURN_IF_ERROR(text_->Flush());  // what a checkpoint sealed and could not write
  ColumnsCut cut;
  {
    const MutexLock lock(writing_);
    if (folded_) {
      return Fail(Code::kUnavailable,
                  "The index stands in the middle of an entry: " + LexicalFailure());
    }
    columns_->PrepareWriter();
    for (const Uuid& id : memories) {
      const std::uint32_t memory = columns_->FindMemory(id);
      if (memory != kNoRow) RETURN_IF_ERROR(Purge(memory));
    }
    ++generation_;
    RETURN_IF_ERROR(SealAndCut(cut));
  }
  RETURN_IF_ERROR(Write(cut));
  RETURN_IF_ERROR(text_->Compact());
  return cut.generation;
}

// --- Checkpoints ---------------------------------------------------------------------------------

Status SpaceIndex::SealAndCut(ColumnsCut& cut) {
  const Seq seq = lexical_seq();
  Micros time = kTimeMin;
  ASSIGN_OR_RETURN(const Hash hash, HashOfEntry(seq, time));
  if (!text_->Seal(seq)) return Fail(Code::kUnavailable, "The text index cannot be written.");
  unsealed_ = 0;
  for (const std::uint32_t memory : labelled_) columns_->Erase(memory);
  labels_changed_ |= !labelled_.empty();
  labelled_.clear();
  cut = ColumnsCut::Of(*columns_, seq, hash, generation_);
  cut.labels_changed = labels_changed_;
  return {};
}

Status SpaceIndex::Write(const ColumnsCut& cut) {
  RETURN_IF_ERROR(EraseVectors());
  RETURN_IF_ERROR(columns_file_->Save(*columns_, cut));
  labels_changed_ = false;
  RETURN_IF_ERROR(text_->Flush());
  RETURN_IF_ERROR(columns_file_->KeepOnly(cut.seq));
  checkpointed_seq_ = cut.seq;
  worker_->AllowCheckpoint(static_cast<std::uint32_t>(cut.rows[2]));
  return {};
}

Status SpaceIndex::Checkpoint() {
  const MutexLock checkpointing(checkpointing_);
  RETURN_IF_ERROR(text_->Flush());
  ColumnsCut cut;
  {
    const MutexLock lock(writing_);
    if (folded_ || lexical_seq() == checkpointed_seq_) return {};
    RETURN_IF_ERROR(SealAndCut(cut));
  }
  return Write(cut);
}

bool SpaceIndex::CheckpointIsDue() const {
  const Seq behind = lexical_seq() - checkpointed_seq_;
  if (behind == 0) return false;
  return behind >= in_.search.checkpoint_entries || unsealed_ > kUnsealedMax / 2 ||
         steady_clock::now() - last_checkpoint_ >= in_.search.checkpoint_interval;
}

void SpaceIndex::KeepCheckpoints() {
  SetFailure(&SpaceIndex::checkpoint_failure_, text_->CheckFiles());
  while (Pause(kCheckpointTick)) {
    if (!CheckpointIsDue()) continue;
    SetFailure(&SpaceIndex::checkpoint_failure_, Checkpoint());
    last_checkpoint_ = steady_clock::now();
  }
}

}  // namespace perdure
