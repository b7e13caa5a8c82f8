// Search over the memories of every space: a follower builds the indexes from the log, a search
// fuses a lexical and a semantic arm and reads only its final hits from the store.
//
// Everything under `directory` is a cache with a cursor: it may be deleted or damaged while the
// service is closed, and comes back from the log with the same answers.
//
// Thread-safe. Writes never wait for it. A search waits for the lexical arm to reach the watermark
// at its start, so whoever has the answer to a write finds it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/engine.h"
#include "index/embed/embedder.h"
#include "index/search/search_types.h"

namespace perdure {

struct SearchOptions {
  std::string directory;        // e.g. DATA/index; created if need be
  std::string stand_in_reason;  // of BuiltInEmbedder; shown in every answer's semantic arm
  std::chrono::milliseconds lexical_wait{2000};  // at most, for the watermark
  std::chrono::milliseconds semantic_wait{50};   // at most, and only for a short backlog
  std::chrono::milliseconds embed_wait{2000};    // at most, for the query's own vector
  // A checkpoint is due after so many entries or so much time: what a start after a crash repeats.
  std::uint64_t checkpoint_entries = 10'000;
  std::chrono::seconds checkpoint_interval{10};
};

struct SpaceIndexStatus {
  SpaceId space = 0;
  std::string name;
  Seq log_seq = 0;      // the visible end of the log
  Seq lexical_seq = 0;  // indexed up to here
  Seq semantic_seq = 0;
  std::uint64_t memories = 0;
  std::uint64_t chunks = 0;
  std::uint64_t vectors = 0;
  std::uint64_t pending_embeddings = 0;
  std::uint64_t generation = 0;  // grows with every erasure and rebuild
  bool vectors_loaded = false;   // the semantic arm answers
  std::uint64_t bytes_on_disk = 0;
  std::uint64_t bytes_in_memory = 0;
  std::vector<std::string> repairs;  // what was damaged or of another version, and built anew
  std::string failure;               // why indexing stands still, or empty
};

struct IndexStatus {
  std::string model;
  std::size_t dimensions = 0;
  std::string stand_in_reason;  // empty when a real model runs
  std::vector<SpaceIndexStatus> spaces;
};

class SearchService {
 public:
  struct Impl;  // only Open can make one
  explicit SearchService(std::unique_ptr<Impl> impl);
  // `engine` must outlive the service. Loads the checkpoints and starts to follow the log; does
  // not wait for it. Hooks itself into erasure with engine.SetIndexEraser: call
  // engine.ResumeErasures afterwards.
  static Result<std::unique_ptr<SearchService>> Open(Engine& engine,
                                                     std::unique_ptr<Embedder> embedder,
                                                     SearchOptions options);
  ~SearchService();  // Stop

  // kInvalidArgument on `query`, `limit` or `min_relevance`; the errors of Engine::Read and
  // ReadView::ResolveScope. A failing arm is no error: the answer says so.
  Result<SearchAnswer> Search(const Principal& principal, const SearchRequest& request);

  IndexStatus Status() const;

  // Blocks until both arms hold every entry that is visible now, or the time is up; says which.
  bool WaitUntilIndexed(SpaceId space, std::chrono::milliseconds timeout);

  // Builds the indexes of a space from the log, vectors from their cache where it has them, and
  // returns when the new ones answer lexically. `report` is told meanwhile, on this thread, how far
  // they have come.
  using RebuildReport = std::function<void(Seq indexed, Seq end)>;
  perdure::Status Rebuild(SpaceId space, const RebuildReport& report);
  perdure::Status Rebuild(SpaceId space) {
    return Rebuild(space, [](Seq, Seq) {});
  }

  // Writes the checkpoints and stops following. Searches fail with kUnavailable afterwards.
  void Stop();

  SearchService(const SearchService&) = delete;
  SearchService& operator=(const SearchService&) = delete;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace perdure
