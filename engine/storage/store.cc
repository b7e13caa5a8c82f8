#include "engine/storage/store.h"

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/mutex.h"
#include "engine/storage/record_check.h"
#include "engine/storage/rocks_files.h"

namespace perdure {
namespace {

constexpr std::size_t kTimestampBytes = 8;
// What must be free, beside what waits in memory, before a full disk is tried again.
constexpr std::uint64_t kRoomBytes = 1 << 20;

// RocksDB's u64ts comparator reads timestamps as little-endian fixed64, without a sign: a time
// before 1970 would be one after everything. Nothing was recorded then, so the first moment stands
// for it.
class Timestamp {
 public:
  explicit Timestamp(std::int64_t time) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
    for (std::size_t i = 0; i < kTimestampBytes; ++i) {
      bytes_[i] = static_cast<char>(value >> (8 * i) & 0xff);
    }
  }
  rocksdb::Slice slice() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, kTimestampBytes> bytes_;
};

// internal key := user key, time (fixed64), fixed64(sequence << 8 | type)
struct InternalKey {
  std::string_view user_key;
  std::int64_t time = 0;
  bool deleted = false;
};

std::uint64_t Fixed64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kTimestampBytes; i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return value;
}

InternalKey ParseInternalKey(std::string_view key) {
  constexpr std::uint64_t kTypeValue = 1;
  PERDURE_CHECK(key.size() >= 2 * kTimestampBytes);
  const std::uint64_t packed = Fixed64(key.substr(key.size() - kTimestampBytes));
  key.remove_suffix(kTimestampBytes);
  const std::uint64_t time = Fixed64(key.substr(key.size() - kTimestampBytes));
  key.remove_suffix(kTimestampBytes);
  return {key, static_cast<std::int64_t>(time), (packed & 0xff) != kTypeValue};
}

// The first and last keys of the files of a family's bottommost level, ascending.
std::vector<std::pair<std::string, std::string>> BottommostFiles(
    rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
  rocksdb::ColumnFamilyMetaData family;
  db.GetColumnFamilyMetaData(handle, &family);
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& level : family.levels | std::views::reverse) {
    if (level.files.empty()) continue;
    for (const auto& file : level.files) files.emplace_back(file.smallestkey, file.largestkey);
    break;
  }
  std::ranges::sort(files);
  return files;
}

// Joins ranges between which there is no whole file: one by one they would rewrite the same files
// again and again.
std::vector<Store::Range> MergeByFiles(
    rocksdb::DB& db, const std::array<rocksdb::ColumnFamilyHandle*, kFamilies>& handles,
    std::span<const Store::Range> ranges) {
  std::vector<Store::Range> sorted(ranges.begin(), ranges.end());
  std::ranges::sort(sorted, {}, [](const Store::Range& range) {
    return std::pair(range.family, std::string_view(range.from));
  });
  std::vector<Store::Range> merged;
  std::vector<std::pair<std::string, std::string>> files;
  for (Store::Range& range : sorted) {
    const bool is_first = merged.empty() || merged.back().family != range.family;
    if (is_first) {
      files = BottommostFiles(db, handles[static_cast<std::size_t>(range.family)]);
      merged.push_back(std::move(range));
      continue;
    }
    Store::Range& last = merged.back();
    if (last.to.empty()) continue;  // it reaches to the end
    const auto between =
        std::ranges::lower_bound(files, last.to, {}, &std::pair<std::string, std::string>::first);
    if (between != files.end() && between->second < range.from) {
      merged.push_back(std::move(range));
    } else if (range.to.empty() || last.to < range.to) {
      last.to = std::move(range.to);
    }
  }
  return merged;
}

// A manifest begins with the files as they were before the change that it begins for: one more
// change, of nothing, and none names what the last compaction took away. The old one is removed
// before this returns.
rocksdb::Status BeginManifest(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
  const rocksdb::Status changed = db.SetOptions(handle, {{"disable_auto_compactions", "false"}});
  if (!changed.ok()) return changed;
  const rocksdb::Status held = db.DisableFileDeletions();
  return held.ok() ? db.EnableFileDeletions(false) : held;
}

// How deep in calls of a store this thread is: a visitor may call again.
thread_local int calls_of_thread = 0;

}  // namespace

// The files, held open for one call.
class SCOPED_CAPABILITY Store::InUse {
 public:
  explicit InUse(const Store& store) ACQUIRE_SHARED(store.files_mutex_)
      : mutex_(store.files_mutex_) {
    if (calls_of_thread == 0) store.reopening_.wait(true);
    ++calls_of_thread;
    mutex_.LockShared();
    files_ = store.files_.get();
  }
  ~InUse() RELEASE() {
    mutex_.UnlockShared();
    --calls_of_thread;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

  Status IsOpen() const {
    if (files_ != nullptr) return {};
    return Fail(Code::kUnavailable, "The store could not be opened again: restart the program.");
  }
  rocksdb::DB& db() const { return *files_->db; }
  rocksdb::ColumnFamilyHandle* handle(Family family) const { return files_->handle(family); }
  const RocksFiles* operator->() const { return files_; }

 private:
  SharedMutex& mutex_;
  const RocksFiles* files_ = nullptr;
};

Store::Store(std::string directory, StoreOptions options)
    : directory_(std::move(directory)), options_(options) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const std::string& directory, StoreOptions options) {
  RETURN_IF_ERROR(CheckRecordFiles(directory));
  auto store = std::make_unique<Store>(directory, options);
  const WriterLock lock(store->files_mutex_);
  ASSIGN_OR_RETURN(store->files_, OpenRocks(directory, options, store->trouble_));
  return store;
}

// --- A full disk ---------------------------------------------------------------------------------

bool Store::HasRoom() const {
  const InUse files(*this);
  if (!files.IsOpen()) return true;
  std::uint64_t in_memory = 0;
  for (auto* handle : files->handles) {
    std::uint64_t bytes = 0;
    files.db().GetIntProperty(handle, rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
    in_memory += bytes;
  }
  std::uint64_t free = 0;
  const rocksdb::Status known = files.db().GetEnv()->GetFreeSpace(directory_, &free);
  return !known.ok() || free >= kRoomBytes + 2 * in_memory;
}

Status Store::Reopen() {
  reopening_ = true;
  Result<std::unique_ptr<RocksFiles>> opened = Fail(Code::kInternal, "not tried");
  {
    const WriterLock lock(files_mutex_);
    files_.reset();
    opened = OpenRocks(directory_, options_, trouble_);
    if (opened) {
      files_ = std::move(*opened);
    } else {
      // So that reads go on.
      StoreOptions to_read = options_;
      to_read.read_only = true;
      if (auto readable = OpenRocks(directory_, to_read, trouble_)) files_ = std::move(*readable);
    }
  }
  reopening_ = false;
  reopening_.notify_all();
  if (!opened) return std::unexpected(opened.error());
  return {};
}

void Store::TakeWritesAgain() { *trouble_ = StoreTrouble::kNone; }

bool Store::IsFull() const { return *trouble_ == StoreTrouble::kFull; }

Status Store::Writable() const {
  switch (trouble_->load()) {
    case StoreTrouble::kNone:
      return {};
    case StoreTrouble::kFull:
      return Fail(
          Code::kStorageFull,
          "The disk is full, so nothing is written. Free some space: writes are taken again "
          "within seconds, without a restart. Reads go on.");
    case StoreTrouble::kFailed:
      break;
  }
  return Fail(Code::kUnavailable,
              "An earlier write could not be made durable, so the writer has stopped. Check the "
              "disk, then restart; reads go on.");
}

std::unexpected<Error> Store::Stop(const rocksdb::Status& status, std::string_view doing) {
  NoteTrouble(*trouble_, status);
  return FromRocks(status, doing);
}

std::unexpected<Error> Store::FailUpkeep(const rocksdb::Status& status, std::string_view doing) {
  return status.IsIOError() ? Stop(status, doing) : FromRocks(status, doing);
}

Status Store::Write(std::span<const Mutation> mutations, bool sync) {
  RETURN_IF_ERROR(Writable());
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  std::size_t bytes = 0;
  for (const Mutation& m : mutations) bytes += m.key.size() + (m.value ? m.value->size() : 0) + 24;
  rocksdb::WriteBatch batch(bytes);
  for (const Mutation& mutation : mutations) {
    auto* handle = files.handle(mutation.family);
    rocksdb::Status added;
    if (mutation.family == Family::kState) {
      const Timestamp time(mutation.time);
      added = mutation.value ? batch.Put(handle, mutation.key, time.slice(), *mutation.value)
                             : batch.Delete(handle, mutation.key, time.slice());
    } else {
      added = mutation.value ? batch.Put(handle, mutation.key, *mutation.value)
                             : batch.Delete(handle, mutation.key);
    }
    if (!added.ok()) return FromRocks(added, "Building a write");
  }
  rocksdb::WriteOptions options;
  options.sync = sync && options_.write_ahead;
  options.disableWAL = !options_.write_ahead;
  const rocksdb::Status written = files.db().Write(options, &batch);
  if (!written.ok()) return Stop(written, "Writing to the store");
  return {};
}

Status Store::SyncLog() {
  RETURN_IF_ERROR(Writable());
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  const rocksdb::Status synced = files.db().SyncWAL();
  if (!synced.ok()) return Stop(synced, "Syncing the store's log");
  return {};
}

Result<std::optional<std::string>> Store::Get(Family family, std::string_view key,
                                              std::int64_t as_of) const {
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  rocksdb::ReadOptions options;
  const Timestamp time(as_of);
  const rocksdb::Slice slice = time.slice();
  if (family == Family::kState) options.timestamp = &slice;
  std::string value;
  const rocksdb::Status got =
      files.db().Get(options, files.handle(family), {key.data(), key.size()}, &value);
  if (got.IsNotFound()) return std::nullopt;
  if (!got.ok()) return FromRocks(got, "Reading from the store");
  return value;
}

Status Store::Scan(Family family, std::string_view from, std::string_view to, std::int64_t as_of,
                   const Visitor& visit) const {
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  rocksdb::ReadOptions options;
  const Timestamp time(as_of);
  const rocksdb::Slice slice = time.slice();
  if (family == Family::kState) options.timestamp = &slice;
  const rocksdb::Slice upper(to.data(), to.size());
  if (!to.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(
      files.db().NewIterator(options, files.handle(family)));
  for (it->Seek({from.data(), from.size()}); it->Valid(); it->Next()) {
    if (!visit(it->key().ToStringView(), it->value().ToStringView())) return {};
  }
  if (!it->status().ok()) return FromRocks(it->status(), "Scanning the store");
  return {};
}

Status Store::ScanOnce(Family family, std::string_view from, std::string_view to,
                       const Visitor& visit) const {
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const rocksdb::Slice upper(to.data(), to.size());
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(
      files.db().NewIterator(options, files.handle(family)));
  for (it->Seek({from.data(), from.size()}); it->Valid(); it->Next()) {
    if (!visit(it->key().ToStringView(), it->value().ToStringView())) return {};
  }
  if (!it->status().ok()) return FromRocks(it->status(), "Scanning the store");
  return {};
}

Status Store::ScanVersions(std::string_view from, std::string_view to,
                           const VersionVisitor& visit) const {
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  rocksdb::ReadOptions options;
  const Timestamp newest(kLatest);
  const Timestamp oldest(0);
  const rocksdb::Slice newest_slice = newest.slice();
  const rocksdb::Slice oldest_slice = oldest.slice();
  options.timestamp = &newest_slice;
  options.iter_start_ts = &oldest_slice;
  const rocksdb::Slice upper(to.data(), to.size());
  if (!to.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(
      files.db().NewIterator(options, files.handle(Family::kState)));
  for (it->Seek({from.data(), from.size()}); it->Valid(); it->Next()) {
    const InternalKey key = ParseInternalKey(it->key().ToStringView());
    const auto value =
        key.deleted ? std::nullopt : std::optional<std::string_view>(it->value().ToStringView());
    if (!visit(key.user_key, key.time, value)) return {};
  }
  if (!it->status().ok()) return FromRocks(it->status(), "Scanning the store's history");
  return {};
}

Result<std::optional<std::string>> Store::LastKey(Family family, std::string_view from,
                                                  std::string_view to, std::int64_t as_of) const {
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  rocksdb::ReadOptions options;
  const Timestamp time(as_of);
  const rocksdb::Slice slice = time.slice();
  if (family == Family::kState) options.timestamp = &slice;
  const rocksdb::Slice upper(to.data(), to.size());
  if (!to.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(
      files.db().NewIterator(options, files.handle(family)));
  it->SeekToLast();
  if (!it->status().ok()) return FromRocks(it->status(), "Scanning the store");
  if (!it->Valid() || it->key().ToStringView() < from) return std::nullopt;
  return it->key().ToString();
}

Status Store::Purge(std::span<const Range> ranges) {
  RETURN_IF_ERROR(Flush());
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  for (const Range& range : MergeByFiles(files.db(), files->handles, ranges)) {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    options.exclusive_manual_compaction = false;
    const rocksdb::Slice from(range.from);
    const rocksdb::Slice to(range.to);
    const rocksdb::Status compacted = files.db().CompactRange(
        options, files.handle(range.family), &from, range.to.empty() ? nullptr : &to);
    if (!compacted.ok()) return FailUpkeep(compacted, "Compacting an erased range");
  }
  const rocksdb::Status begun = BeginManifest(files.db(), files.handle(Family::kMeta));
  if (!begun.ok()) return FailUpkeep(begun, "Forgetting the keys of erased rows");
  return {};
}

Status Store::TrimHistory(std::int64_t horizon) {
  RETURN_IF_ERROR(Flush());
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  auto* handle = files.handle(Family::kState);
  const Timestamp time(horizon);
  const rocksdb::Status raised =
      files.db().IncreaseFullHistoryTsLow(handle, time.slice().ToString());
  if (!raised.ok()) return FailUpkeep(raised, "Raising the history horizon");
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  const rocksdb::Status compacted = files.db().CompactRange(options, handle, nullptr, nullptr);
  if (!compacted.ok()) return FailUpkeep(compacted, "Compacting history");
  return {};
}

Status Store::Flush() {
  RETURN_IF_ERROR(Writable());
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  rocksdb::FlushOptions options;
  const std::vector<rocksdb::ColumnFamilyHandle*> all(files->handles.begin(), files->handles.end());
  const rocksdb::Status flushed = files.db().Flush(options, all);
  if (!flushed.ok()) return FailUpkeep(flushed, "Flushing the store");
  return {};
}

Status Store::CompactAll() {
  RETURN_IF_ERROR(Flush());
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  for (auto* handle : files->handles) {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    const rocksdb::Status compacted = files.db().CompactRange(options, handle, nullptr, nullptr);
    if (!compacted.ok()) return FailUpkeep(compacted, "Compacting the store");
  }
  return {};
}

Status Store::WithFiles(const std::function<Status(const RocksFiles&)>& use) const {
  const InUse files(*this);
  RETURN_IF_ERROR(files.IsOpen());
  return use(*files.operator->());
}

std::uint64_t Store::BytesOnDisk() const {
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : Figures()) total += bytes;
  return total;
}

std::vector<std::pair<std::string, std::uint64_t>> Store::Figures() const {
  const InUse files(*this);
  if (!files.IsOpen()) return {};
  std::vector<std::pair<std::string, std::uint64_t>> figures;
  for (std::size_t i = 0; i < files->handles.size(); ++i) {
    std::uint64_t bytes = 0;
    files.db().GetIntProperty(files->handles[i], rocksdb::DB::Properties::kTotalSstFilesSize,
                              &bytes);
    figures.emplace_back(kFamilyNames[i], bytes);
  }
  return figures;
}

}  // namespace perdure
