// The one door to RocksDB: six column families under one write-ahead log. kState carries record
// times (user-defined timestamps), the others are plain.
//
// Thread-safe: any number of readers; writers are serialised by RocksDB. Durability: a Write with
// `sync` is on disk when it returns; after a failed one every later Write fails until the store is
// opened anew, and reads go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/storage/state.h"

namespace rocksdb {
class Status;
}

namespace perdure {

inline constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

struct StoreOptions {
  bool create_if_missing = true;
  bool read_only = false;   // beside a writer, too: sees the store as it was at Open
  bool write_ahead = true;  // false for scratch stores, whose writes may be lost
};

// What keeps a store from taking writes.
enum class StoreTrouble : std::uint8_t {
  kNone,
  kFull,    // no space: Reopen helps, once there is some
  kFailed,  // what was written may not be on disk: only another Open tells
};

struct RocksFiles;

class Store final : public StateWriter {
 public:
  // Opens the files under `directory`. Fails with kUnavailable when another process holds them.
  static Result<std::unique_ptr<Store>> Open(const std::string& directory, StoreOptions options);
  ~Store() override;

  // Cost: one WAL record; one fdatasync when `sync`.
  Status Write(std::span<const Mutation> mutations, bool sync) override;
  Status SyncLog() override;

  // Whether the store takes writes, and if not, why: kStorageFull or kUnavailable.
  Status Writable() const;
  bool IsFull() const;
  // Whether a full disk has space again for what waits in memory.
  bool HasRoom() const;
  // Opens the files anew, as a restart would; reads wait for it. What could not be written may be
  // there now, so nothing is written before TakeWritesAgain. When it fails reads go on.
  Status Reopen();
  void TakeWritesAgain();

  // kState answers as of `as_of`, the other families as they are.
  Result<std::optional<std::string>> Get(Family family, std::string_view key,
                                         std::int64_t as_of) const;
  Status Scan(Family family, std::string_view from, std::string_view to, std::int64_t as_of,
              const Visitor& visit) const;
  // A scan of plain families that will not be wanted again soon: it leaves the block cache as it
  // is.
  Status ScanOnce(Family family, std::string_view from, std::string_view to,
                  const Visitor& visit) const;
  // Every kept version of the kState keys in [from, to), each key's newest first; nullopt for a
  // deletion. Compaction may have zeroed the time of the oldest one kept.
  using VersionVisitor = std::function<bool(std::string_view key, std::int64_t time,
                                            std::optional<std::string_view> value)>;
  Status ScanVersions(std::string_view from, std::string_view to,
                      const VersionVisitor& visit) const;
  // The greatest key in [from, to), or nullopt.
  Result<std::optional<std::string>> LastKey(Family family, std::string_view from,
                                             std::string_view to, std::int64_t as_of) const;

  // Makes deleted bytes leave the files: flushes every family, then rewrites the given key ranges
  // of `family` down to the bottommost level. Cost: the files that overlap the ranges, each once.
  struct Range {
    Family family;
    std::string from;
    std::string to;
  };
  Status Purge(std::span<const Range> ranges);

  // Lets compaction drop kState versions that a read at or above `horizon` cannot see, and
  // compacts. The horizon is never lowered.
  Status TrimHistory(std::int64_t horizon);

  // Moves everything in memory to table files, so that the next open replays no log.
  Status Flush();
  // Rewrites every family down to the bottommost level.
  Status CompactAll();

  // Hands the open files to what goes beyond reads and writes, in this room alone; a Reopen waits
  // for it.
  Status WithFiles(const std::function<Status(const RocksFiles&)>& use) const;

  std::uint64_t BytesOnDisk() const;
  // One named figure a family, for metrics.
  std::vector<std::pair<std::string, std::uint64_t>> Figures() const;

  Store(std::string directory, StoreOptions options);  // Open calls it
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

 private:
  class InUse;
  std::unexpected<Error> Stop(const rocksdb::Status& status, std::string_view doing);
  std::unexpected<Error> FailUpkeep(const rocksdb::Status& status, std::string_view doing);

  const std::string directory_;
  const StoreOptions options_;
  const std::shared_ptr<std::atomic<StoreTrouble>> trouble_ =
      std::make_shared<std::atomic<StoreTrouble>>(StoreTrouble::kNone);
  std::atomic<bool> reopening_ = false;  // calls wait
  mutable SharedMutex files_mutex_;      // shared for each call, whole to reopen
  // nullptr: could not be opened again.
  std::unique_ptr<RocksFiles> files_ GUARDED_BY(files_mutex_);
};

// The store as of one record time. The store must outlive it. Thread-safe.
class StoreView final : public StateReader {
 public:
  StoreView(const Store& store, std::int64_t as_of) : store_(store), as_of_(as_of) {}
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return store_.Get(family, key, as_of_);
  }
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override {
    return store_.Scan(family, from, to, as_of_, visit);
  }
  std::int64_t as_of() const { return as_of_; }

 private:
  const Store& store_;
  std::int64_t as_of_;
};

}  // namespace perdure
