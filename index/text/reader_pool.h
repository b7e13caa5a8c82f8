// Open readers of a text index's database, kept between searches: opening one takes longer than a
// search. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "index/text/xapian_adapter.h"

namespace perdure {

// One state of the index on disk.
struct DiskRevision {
  std::uint64_t database = 0;  // number of TextHome
  std::uint64_t revision = 0;

  friend bool operator==(const DiskRevision&, const DiskRevision&) = default;
};

class ReaderPool {
 public:
  struct Reader {
    std::uint64_t database = 0;
    std::unique_ptr<DiskReader> disk;
  };

  // A reader of exactly that revision of the database at `path`. kUnavailable if there is a newer
  // one, or another database is kept meanwhile: look again what is current.
  Result<Reader> Acquire(const DiskRevision& wanted, const std::string& path);
  // Keeps the reader for the next one who asks, unless it failed or enough are idle.
  void Release(Reader reader);
  // Forgets all readers but those of this database: they hold its files open. Those that are being
  // used go when they come back. Called before a file of another is removed.
  void Keep(std::uint64_t database);

 private:
  static Status Open(std::uint64_t database, const std::string& path, Reader& reader);
  bool IsKept(std::uint64_t database) const;

  mutable Mutex mutex_;
  std::uint64_t database_ GUARDED_BY(mutex_) = 0;
  std::vector<Reader> idle_ GUARDED_BY(mutex_);
};

}  // namespace perdure
