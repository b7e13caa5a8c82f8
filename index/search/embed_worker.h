// Fills a space's vector index in log order, in the background: loads it, embeds what is missing,
// grows its graphs, and writes its checkpoints. Nothing else waits for the model.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/state.h"
#include "index/embed/embedder.h"
#include "index/search/columns.h"
#include "index/search/vector_cache.h"
#include "index/search/version_text.h"
#include "index/vector/vector_index.h"

namespace perdure {

struct EmbedWorkerOptions {
  const StateReader* reader = nullptr;  // all pointers must outlive the worker
  const Columns* columns = nullptr;
  const Embedder* embedder = nullptr;
  std::shared_ptr<VectorCache> cache;
  SpaceId space = 0;
  Secret secret{};
  std::string directory;  // of the vector index
  std::string cache_directory;
};

class EmbedWorker {
 public:
  // `changed` is called, on the worker's thread, whenever it got on.
  EmbedWorker(EmbedWorkerOptions options, std::function<void()> changed);
  ~EmbedWorker();

  void Start();
  void Stop();    // writes a checkpoint if it may; waits for what the model is at
  void Notify();  // there are new versions

  // nullptr until the vectors are loaded. Valid as long as the worker.
  const VectorIndex* vectors() const { return ready_.load(std::memory_order_acquire); }
  // Every version below this row has its vectors. May be ahead of a checkpoint of the columns.
  std::uint32_t next_version() const { return next_.load(std::memory_order_acquire); }
  std::uint64_t PendingChunks() const;
  std::string failure() const;                 // why it stands still, or empty
  std::vector<std::string> discarded() const;  // damaged files that were built anew
  std::uint64_t FileBytes() const;

  // Versions up to here survive a crash in the columns and may in the vectors.
  void AllowCheckpoint(std::uint32_t versions) { persisted_versions_ = versions; }

  struct Erased {
    std::uint32_t memory;
    Uuid id;
    std::vector<std::uint64_t> chunks;
  };
  // When this returns no vector of these chunks, and none cached for the memories, is in memory or
  // in any file, nor will be again. Waits for the index to be loaded. Cost: reads all keys of the
  // caches and writes each segment that held one of the chunks, once a call.
  Status Erase(std::span<const Erased> erased);

 private:
  struct Piece {  // a chunk on its way into the index
    std::uint32_t chunk;
    std::uint32_t memory;
    std::string text;
    ValueKey key;
    std::vector<float> vector;
  };

  void Run();
  Status Load();
  bool Step();
  Status EmbedNext();
  Result<std::size_t> Grow(std::size_t insertions_max);
  Result<std::vector<Piece>> PiecesOf(std::uint32_t version) const;
  Status FillVectors(std::span<Piece> pieces);
  Status AddToIndex(std::span<const Piece> pieces);
  Status CheckpointIfDue(bool at_end);
  void SetFailure(const Status& status);
  void Pause(std::chrono::milliseconds time);

  EmbedWorkerOptions in_;
  std::function<void()> changed_;
  std::unique_ptr<VectorIndex> index_;
  std::atomic<const VectorIndex*> ready_{nullptr};
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> persisted_versions_{0};
  std::atomic<bool> stopping_{false};
  std::uint32_t checkpointed_ = 0;
  bool grew_ = false;  // the graphs differ from the last checkpoint
  std::chrono::steady_clock::time_point last_checkpoint_;
  std::chrono::milliseconds backoff_{0};

  Mutex adding_;  // held to add vectors, and to erase: nothing erased is added afterwards
  std::unordered_set<std::uint32_t> erased_ GUARDED_BY(adding_);

  mutable Mutex mutex_;
  CondVar wake_;
  bool notified_ GUARDED_BY(mutex_) = false;
  bool loaded_ GUARDED_BY(mutex_) = false;
  std::string failure_ GUARDED_BY(mutex_);
  std::vector<std::string> discarded_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace perdure
