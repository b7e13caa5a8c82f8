// What Perdure uses of Xapian: its stemmers and its databases. xapian_adapter.cc is the only file
// that includes <xapian.h>, and no exception of Xapian leaves it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "index/text/posting.h"
#include "index/text/terms.h"

namespace perdure {

// A Snowball stemmer. Not thread-safe.
class Stemmer {
 public:
  explicit Stemmer(const char* language);  // an English name, e.g. "russian"; must be known
  ~Stemmer();
  Stemmer(const Stemmer&) = delete;
  Stemmer& operator=(const Stemmer&) = delete;
  Stemmer(Stemmer&&) noexcept;
  Stemmer& operator=(Stemmer&&) noexcept;

  std::string Stem(const std::string& word) const;  // NFKC and case-folded

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One revision of a database on disk. Not thread-safe: one for each search at a time.
//
// kUnavailable means that the writer has overwritten blocks of this revision: Refresh and begin
// again; kCorrupt names a file that is damaged or gone.
class DiskReader {
 public:
  struct Impl;  // only Open can make one
  explicit DiskReader(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<DiskReader>> Open(const std::string& directory);
  ~DiskReader();

  Status Refresh();  // to the newest revision
  std::uint64_t revision() const { return revision_; }

  // Both answer nothing once the reader has failed: ask for status() at the end.
  std::uint64_t CountChunks(const std::string& key);
  std::unique_ptr<PostingSource> Postings(const std::string& key);
  const Status& status() const { return status_; }

  Result<std::vector<DocumentTerm>> KeysOf(ChunkNumber chunk);

 private:
  friend class DiskPostings;

  std::unique_ptr<Impl> impl_;
  std::uint64_t revision_ = 0;
  Status status_;
};

struct DiskDocument {
  ChunkNumber chunk = 0;
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;  // sorted
};

struct DiskBatch {
  std::vector<ChunkNumber> removed;  // those that are there
  std::vector<DiskDocument> documents;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// The only writer of a database. Not thread-safe. Not to be used once Apply has failed: Open
// another, which holds the same, maybe as a later revision.
class DiskWriter {
 public:
  struct Impl;  // only Open can make one
  explicit DiskWriter(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<DiskWriter>> Create(const std::string& directory);
  static Result<std::unique_ptr<DiskWriter>> Open(const std::string& directory);
  ~DiskWriter();

  Status Apply(const DiskBatch& batch);  // all or nothing
  Status Sync();                         // makes durable what was applied
  std::uint64_t revision() const;
  Result<std::string> Metadata(const std::string& key) const;  // empty if there is none
  Status ForEachMetadata(
      const std::string& prefix,
      const std::function<void(std::string_view key, std::string_view value)>& use) const;

 private:
  static Result<std::unique_ptr<DiskWriter>> OpenWith(const std::string& directory, int action);

  std::unique_ptr<Impl> impl_;
};

// Whether its tables are whole and agree, as of the last commit. Reads all of them.
Status CheckDisk(const std::string& directory);

// Writes what `from` holds, and nothing of what it held once, as a new database `to`, durably.
Status CompactDisk(const std::string& from, const std::string& to);

}  // namespace perdure
