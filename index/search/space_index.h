// The indexes of one space: columns, text and vectors, built by following its log.
//
//   DIR/columns/  columns_file.h      DIR/text/  text_index.h      DIR/vectors/  vector_index.h
//
// The text index's cursor is the one that holds: the columns are loaded from the checkpoint of that
// very entry, and the vectors are never ahead of it. Whatever is missing or damaged makes the whole
// be built anew, vectors from their cache.
//
// Of each entry, in this order: its rows are folded, its chunks added to the text index, its seq
// published, and the chunks of the version that it replaced retired. So a search as of a published
// entry misses nothing, unless a retirement overtakes it: retired_time() tells.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/engine.h"
#include "index/embed/embedder.h"
#include "index/search/columns.h"
#include "index/search/columns_file.h"
#include "index/search/described.h"
#include "index/search/embed_worker.h"
#include "index/search/fold_entry.h"
#include "index/search/search_service.h"
#include "index/search/vector_cache.h"
#include "index/search/version_text.h"
#include "index/text/text_index.h"

namespace perdure {

struct SpaceIndexOptions {
  Engine* engine = nullptr;  // both must outlive the index
  const Embedder* embedder = nullptr;
  SearchOptions search;
  SpaceId space = 0;
  std::string directory;
  std::string cache_directory;
  std::shared_ptr<VectorCache> cache;
  std::uint64_t generation = 1;  // of an index that starts anew
};

class SpaceIndex {
 public:
  // Open calls it.
  explicit SpaceIndex(SpaceIndexOptions options);
  using Deadline = std::chrono::steady_clock::time_point;

  // Loads the checkpoint; starts nothing.
  static Result<std::unique_ptr<SpaceIndex>> Open(SpaceIndexOptions options);
  ~SpaceIndex();

  void Start();
  void Stop();  // with a last checkpoint

  const Columns& columns() const { return *columns_; }
  const TextIndex& text() const { return *text_; }
  const VectorIndex* vectors() const { return worker_->vectors(); }  // nullptr: not loaded yet
  const Secret& secret() const { return secret_; }
  DescribedCache& described() const { return described_; }

  Seq lexical_seq() const { return lexical_seq_.load(std::memory_order_acquire); }
  Seq semantic_seq() const;
  // The record time of the last entry that made chunks past ones; never too low when read after a
  // search.
  Micros retired_time() const { return retired_time_.load(std::memory_order_acquire); }
  std::uint64_t PendingChunks() const { return worker_->PendingChunks(); }
  std::string LexicalFailure() const;
  // False at first where the files of words are large: they are searched and checked at once.
  bool IsTextChecked() const { return text_->is_checked(); }
  std::string SemanticFailure() const { return worker_->failure(); }

  // Whether the arm holds entry `seq`, waiting until then at most.
  bool WaitLexical(Seq seq, Deadline deadline) const;
  bool WaitSemantic(Seq seq, Deadline deadline) const;

  // Takes the memories out of every file and of memory, and returns the generation without them.
  Result<std::uint64_t> Erase(std::span<const Uuid> memories);
  Status Checkpoint();

  SpaceIndexStatus Report() const;

  SpaceIndex(const SpaceIndex&) = delete;
  SpaceIndex& operator=(const SpaceIndex&) = delete;

 private:
  Status Load();
  Status LoadCheckpoint(Seq seq);
  Status StartAnew(std::string why);
  Status OpenFiles();
  Hash Identity() const;
  Result<Hash> HashOfEntry(Seq seq, Micros& time) const;

  void Follow();
  Status IndexEntry(Seq seq);
  Status FinishEntry() REQUIRES(writing_);
  Status FinishFolded();
  Status IndexVersion(const Columns::Change& change, const VersionText& text) REQUIRES(writing_);
  Status Purge(std::uint32_t memory) REQUIRES(writing_);
  Status EraseVectors() REQUIRES(checkpointing_);
  void Publish(const fb::Entry& entry, const Columns::Change& change) REQUIRES(writing_);
  void WaitForRoom();

  void KeepCheckpoints();
  bool CheckpointIsDue() const;
  Status SealAndCut(ColumnsCut& cut) REQUIRES(checkpointing_, writing_);
  Status Write(const ColumnsCut& cut) REQUIRES(checkpointing_);
  void SetFailure(std::string SpaceIndex::* failure, const Status& status);
  bool Pause(std::chrono::milliseconds time);  // false when stopping
  void NotifyChanged() const;

  SpaceIndexOptions in_;
  Secret secret_{};
  std::unique_ptr<Columns> columns_;
  std::unique_ptr<ColumnsFile> columns_file_;  // what it maps must outlive the columns' readers
  mutable DescribedCache described_;
  std::unique_ptr<TextIndex> text_;
  std::unique_ptr<EmbedWorker> worker_;
  std::vector<std::string> repairs_;

  Mutex checkpointing_ ACQUIRED_BEFORE(writing_);  // held to write checkpoints and to erase
  Mutex writing_;                                  // held for each entry
  bool labels_changed_ GUARDED_BY(checkpointing_) = false;
  std::unordered_set<std::uint32_t> purged_ GUARDED_BY(writing_);  // memories
  std::vector<std::uint32_t> labelled_ GUARDED_BY(writing_);       // purged, labels still there
  std::vector<std::uint32_t> embedded_ GUARDED_BY(writing_);       // purged, vectors still there
  // The entry that the columns hold and the text index does not, or not wholly.
  std::optional<FoldedEntry> folded_ GUARDED_BY(writing_);

  std::atomic<std::uint64_t> generation_{1};
  std::atomic<std::uint64_t> unsealed_{0};  // chunks
  std::atomic<Seq> lexical_seq_{0};
  std::atomic<Micros> retired_time_{kTimeMin};
  std::atomic<Seq> checkpointed_seq_{0};
  std::atomic<bool> stopping_{false};
  std::chrono::steady_clock::time_point last_checkpoint_;

  mutable Mutex changed_mutex_;
  mutable CondVar changed_;
  CondVar stopped_;
  std::string failure_ GUARDED_BY(changed_mutex_);  // of following
  std::string checkpoint_failure_ GUARDED_BY(changed_mutex_);
  std::thread follower_;
  std::thread checkpointer_;
};

}  // namespace perdure
