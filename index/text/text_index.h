// The text index of one space: chunk number -> terms, searched by BM25 (bm25.h).
//
// A cache with a cursor: all of it can be rebuilt from the log. Chunks have one of two generations:
// those of current versions, whose statistics every score uses, and those of past versions, which
// only a search of the past looks at. Both live in one Xapian database, told apart by a prefix of
// their terms, so that one commit moves both and the cursor together.
//
// A chunk is searchable when Add returns: it waits in memory. Seal closes what is in memory, at
// once; Flush writes it to disk, in its own time, while a new part in memory takes what comes. The
// same calls give the same answers whenever chunks moved to disk, and across Open at any point.
//
// Threads: any may search. One writes (Add, Retire, Remove, Seal, in log order) and one calls Flush
// and Compact; more than one of each wait for each other. A search waits for neither for longer
// than it takes to copy the postings in memory of the query's terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "index/text/matcher.h"
#include "index/text/memory_part.h"
#include "index/text/posting_cache.h"
#include "index/text/reader_pool.h"
#include "index/text/slot_table.h"
#include "index/text/terms.h"
#include "index/text/text_home.h"
#include "index/text/text_sums.h"
#include "index/text/xapian_adapter.h"

namespace perdure {

inline constexpr std::uint64_t kChunkNumberMax = kNoChunk - 2;

struct TextDocument {
  std::uint64_t chunk = 0;  // at most kChunkNumberMax; 4 bytes of memory for each below the largest
  DocumentTerms terms;
};

struct TextIndexOptions {
  // Postings of a term that are read from disk at once, and kept decoded for the next search while
  // there is room. Of more, a search reads step by step what it needs.
  std::size_t list_max = 1 << 20;
};

// All that is to be known of where a query's terms occur.
struct QueryPostings {
  std::vector<std::vector<Posting>> terms;  // by place in the query; in no order
  SlotTable slots;
  LengthStatistics lengths;  // of current chunks
};

struct TextIndexStats {
  std::uint64_t current = 0;    // chunks of current versions
  std::uint64_t past = 0;       // and of past ones
  std::uint64_t in_memory = 0;  // of all these, not sealed yet
};

class TextIndex {
  struct OpenOnly {
    explicit OpenOnly() = default;
  };

 public:
  TextIndex(OpenOnly, TextHome home, const TextIndexOptions& options)
      : list_max_(options.list_max), home_(std::move(home)) {}

  // Opens the index in `directory`, which is created if need be. A database that is damaged or of
  // another kTermsVersion is removed and named by discarded(); the index is then empty, its cursor
  // 0. Takes a few milliseconds per million chunks, and reads databases of up to 64 MiB.
  static Result<std::unique_ptr<TextIndex>> Open(const std::string& directory,
                                                 const TextIndexOptions& options = {});
  const std::string& discarded() const { return discarded_; }  // why, or empty

  // A large database is not read as a whole by Open; this does it then, and a search fails from
  // there on when a block is damaged. Flush and Compact look too, before they change anything.
  // Searches go on meanwhile.
  Status CheckFiles();
  bool is_checked() const;

  // As current chunks. A chunk that is there already is replaced.
  Status Add(std::span<const TextDocument> documents);
  // Makes current chunks past ones. Those that are past or unknown stay so.
  Status Retire(std::span<const std::uint64_t> chunks);
  // Never an answer again. Unknown chunks are ignored. Terms leave the files with Compact.
  Status Remove(std::span<const std::uint64_t> chunks);

  // Closes the part in memory, which holds the log up to `cursor`. False if the one sealed before
  // still waits for Flush. Takes microseconds.
  bool Seal(std::uint64_t cursor);
  // Writes what is sealed, with its cursor, atomically and synced; nothing if nothing is.
  Status Flush();
  // Seal and Flush, waiting for a flush under way.
  Status Commit(std::uint64_t cursor);
  // Writes a new database without what was ever removed and flushed, switches to it, and deletes
  // the old one: when this returns, removed terms are in no file (Commit first). Searches go on.
  Status Compact();

  std::uint64_t cursor() const;  // of the last flush; 0: none

  // The best chunks that `allowed` admits, at most `limit`: by score, then by chunk number.
  // `allowed` is called outside all locks, for chunks that would enter the answer. Chunks with a
  // lower share of the query's words than `least_words` are left out.
  Result<std::vector<TextHit>> Search(std::span<const QueryTerm> query, std::size_t limit,
                                      bool include_past, const ChunkFilter& allowed,
                                      double least_words = 0) const;
  // The scores that Search gives these chunks (ascending), of those that hold a term of the query.
  Result<std::vector<TextHit>> Score(std::span<const QueryTerm> query,
                                     std::span<const ChunkNumber> chunks, bool include_past) const;

  // Every posting of the query's terms in chunks that are there; nullopt when the terms have more
  // than `max` postings. Costs a copy of them.
  Result<std::optional<QueryPostings>> Postings(std::span<const QueryTerm> query, std::size_t max,
                                                bool include_past) const;

  TextIndexStats Stats() const;

 private:
  struct View;

  Status Load() REQUIRES(flushing_, state_);
  Status CheckDatabase() const REQUIRES(flushing_);
  Status RemoveSums() const REQUIRES(flushing_);
  Status WriteSums(std::uint64_t number) const REQUIRES(flushing_);
  Status CheckBlocks() REQUIRES(flushing_) EXCLUDES(state_);
  Status Damage() const EXCLUDES(state_);
  Status StartAnew(std::string why) REQUIRES(flushing_, state_);
  void SetSlot(ChunkNumber chunk, Slot slot) REQUIRES(state_);
  Status Take(ChunkNumber chunk, bool keep_as_past) REQUIRES(writing_);
  Result<DocumentTerms> TermsOf(ChunkNumber chunk) REQUIRES(writing_);
  Status FlushSealed() REQUIRES(flushing_);
  Status OpenDisk() REQUIRES(flushing_) EXCLUDES(state_);
  Result<DiskBatch> MakeBatch(const MemoryPart& part, std::uint64_t cursor) const
      REQUIRES(flushing_);
  // Of home_ only the number changes.
  std::string PathOf(std::uint64_t database) const NO_THREAD_SAFETY_ANALYSIS {
    return home_.DatabasePath(database);
  }

  template <typename Use>
  auto Retrying(Use use) const -> decltype(use());
  View TakeView(std::span<const QueryTerm> query, bool include_past) const;
  template <typename Choose>
  auto Match(View view, Choose choose) const -> Result<
      std::invoke_result_t<Choose, std::vector<MatchTerm>, const SlotTable&, const Bm25&>>;
  Status ReadLists(View& view, DiskReader& disk) const;

  const std::size_t list_max_;
  std::string discarded_;
  Mutex writing_ ACQUIRED_BEFORE(flushing_, state_);
  mutable Mutex flushing_ ACQUIRED_BEFORE(state_);
  mutable Mutex state_;  // held for microseconds

  TextHome home_ GUARDED_BY(flushing_);
  // nullptr: a commit failed, and so did opening it again.
  std::unique_ptr<DiskWriter> disk_ GUARDED_BY(flushing_) PT_GUARDED_BY(flushing_);
  mutable ReaderPool readers_;

  bool is_checked_ GUARDED_BY(state_) = true;
  std::string damage_ GUARDED_BY(state_);
  DiskRevision on_disk_ GUARDED_BY(state_);
  std::uint64_t cursor_ GUARDED_BY(state_) = 0;
  mutable SlotTable slots_ GUARDED_BY(state_);
  mutable PostingCache cache_ GUARDED_BY(state_);  // of on_disk_
  // Above every one that was ever there, as far as cache_ knows.
  ChunkNumber next_chunk_ GUARDED_BY(state_) = 0;
  LengthStatistics lengths_[2] GUARDED_BY(state_);  // by Generation
  std::unique_ptr<MemoryPart> active_ GUARDED_BY(state_)
      PT_GUARDED_BY(state_) = std::make_unique<MemoryPart>(Layer::kMemoryEven);
  std::shared_ptr<const MemoryPart> sealed_ GUARDED_BY(state_);
  std::uint64_t sealed_cursor_ GUARDED_BY(state_) = 0;
};

}  // namespace perdure
