#include "engine/storage/store.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <array>
#include <atomic>

#include "engine/base/check.h"

namespace perdure {
namespace {

constexpr std::array<const char*, kFamilies> kNames = {"default", "log",  "payload",
                                                       "tree",    "rows", "state"};
constexpr std::size_t kTimestampBytes = 8;
constexpr std::uint64_t kPayloadFileBytes = 8ull
                                            << 20;   // small, so that an erasure rewrites little
constexpr std::uint64_t kWalBytesMax = 48ull << 20;  // bounds what an open replays

std::unexpected<Error> FromRocks(const rocksdb::Status& status, std::string_view doing) {
  Code code = Code::kInternal;
  if (status.IsCorruption()) code = Code::kCorrupt;
  if (status.IsIOError() || status.IsBusy() || status.IsTimedOut()) code = Code::kUnavailable;
  return Fail(code, fmt::format("{} failed: {}. See `perdure doctor` for what to do.", doing,
                                status.ToString()));
}

// RocksDB's u64ts comparator reads timestamps as little-endian fixed64.
class Timestamp {
 public:
  explicit Timestamp(std::int64_t time) {
    const auto value = static_cast<std::uint64_t>(time);
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

rocksdb::ColumnFamilyOptions OptionsOf(Family family, const std::shared_ptr<rocksdb::Cache>& cache,
                                       const rocksdb::Comparator* timestamped) {
  rocksdb::ColumnFamilyOptions options;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 5;
  table.block_size = 16 << 10;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kLZ4Compression;
  options.bottommost_compression = rocksdb::kZSTD;
  options.write_buffer_size = 16 << 20;
  options.level_compaction_dynamic_level_bytes = true;
  if (family == Family::kPayload) options.target_file_size_base = kPayloadFileBytes;
  if (family == Family::kState) options.comparator = timestamped;
  return options;
}

}  // namespace

struct Store::Files {
  const rocksdb::Comparator* timestamped = nullptr;
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilies> handles{};
  std::atomic<bool> write_failed = false;
  bool write_ahead = true;

  ~Files() {
    for (auto* handle : handles) {
      if (handle) db->DestroyColumnFamilyHandle(handle);
    }
  }
  rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return handles[static_cast<std::size_t>(family)];
  }
};

Store::Store(std::unique_ptr<Files> files) : files_(std::move(files)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const std::string& directory, StoreOptions options) {
  auto files = std::make_unique<Files>();
  const rocksdb::Status known = rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts", &files->timestamped);
  if (!known.ok()) return FromRocks(known, "Finding RocksDB's timestamp comparator");

  rocksdb::DBOptions db_options;
  db_options.create_if_missing = options.create_if_missing;
  db_options.create_missing_column_families = true;
  db_options.max_total_wal_size = kWalBytesMax;
  db_options.keep_log_file_num = 4;
  db_options.max_log_file_size = 4 << 20;
  db_options.max_background_jobs = 2;
  db_options.max_open_files = 512;
  db_options.avoid_unnecessary_blocking_io = true;
  db_options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  const auto cache = rocksdb::NewLRUCache(64 << 20);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (int i = 0; i < kFamilies; ++i) {
    families.emplace_back(kNames[static_cast<std::size_t>(i)],
                          OptionsOf(static_cast<Family>(i), cache, files->timestamped));
  }
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status opened =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(db_options, directory, families, &handles, &db)
          : rocksdb::DB::Open(db_options, directory, families, &handles, &db);
  if (!opened.ok()) return FromRocks(opened, fmt::format("Opening the store in {}", directory));
  files->db.reset(db);
  files->write_ahead = options.write_ahead;
  for (std::size_t i = 0; i < handles.size(); ++i) files->handles[i] = handles[i];
  return std::make_unique<Store>(std::move(files));
}

Status Store::Write(std::span<const Mutation> mutations, bool sync) {
  if (files_->write_failed) {
    return Fail(Code::kUnavailable,
                "An earlier write could not be made durable, so the writer has stopped. Check the "
                "disk, then restart; reads go on.");
  }
  std::size_t bytes = 0;
  for (const Mutation& m : mutations) bytes += m.key.size() + (m.value ? m.value->size() : 0) + 24;
  rocksdb::WriteBatch batch(bytes);
  for (const Mutation& mutation : mutations) {
    auto* handle = files_->handle(mutation.family);
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
  options.sync = sync && files_->write_ahead;
  options.disableWAL = !files_->write_ahead;
  const rocksdb::Status written = files_->db->Write(options, &batch);
  if (!written.ok()) {
    files_->write_failed = true;
    return FromRocks(written, "Writing to the store");
  }
  return {};
}

Status Store::SyncLog() {
  const rocksdb::Status synced = files_->db->SyncWAL();
  if (!synced.ok()) {
    files_->write_failed = true;
    return FromRocks(synced, "Syncing the store's log");
  }
  return {};
}

Result<std::optional<std::string>> Store::Get(Family family, std::string_view key,
                                              std::int64_t as_of) const {
  rocksdb::ReadOptions options;
  const Timestamp time(as_of);
  const rocksdb::Slice slice = time.slice();
  if (family == Family::kState) options.timestamp = &slice;
  std::string value;
  const rocksdb::Status got =
      files_->db->Get(options, files_->handle(family), {key.data(), key.size()}, &value);
  if (got.IsNotFound()) return std::nullopt;
  if (!got.ok()) return FromRocks(got, "Reading from the store");
  return value;
}

Status Store::Scan(Family family, std::string_view from, std::string_view to, std::int64_t as_of,
                   const Visitor& visit) const {
  rocksdb::ReadOptions options;
  const Timestamp time(as_of);
  const rocksdb::Slice slice = time.slice();
  if (family == Family::kState) options.timestamp = &slice;
  const rocksdb::Slice upper(to.data(), to.size());
  if (!to.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(
      files_->db->NewIterator(options, files_->handle(family)));
  for (it->Seek({from.data(), from.size()}); it->Valid(); it->Next()) {
    if (!visit(it->key().ToStringView(), it->value().ToStringView())) return {};
  }
  if (!it->status().ok()) return FromRocks(it->status(), "Scanning the store");
  return {};
}

Status Store::ScanVersions(std::string_view from, std::string_view to,
                           const VersionVisitor& visit) const {
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
      files_->db->NewIterator(options, files_->handle(Family::kState)));
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
  rocksdb::ReadOptions options;
  const Timestamp time(as_of);
  const rocksdb::Slice slice = time.slice();
  if (family == Family::kState) options.timestamp = &slice;
  const rocksdb::Slice upper(to.data(), to.size());
  if (!to.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(
      files_->db->NewIterator(options, files_->handle(family)));
  it->SeekToLast();
  if (!it->status().ok()) return FromRocks(it->status(), "Scanning the store");
  if (!it->Valid() || it->key().ToStringView() < from) return std::nullopt;
  return it->key().ToString();
}

Status Store::Purge(std::span<const Range> ranges) {
  RETURN_IF_ERROR(Flush());
  for (const Range& range : ranges) {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    options.exclusive_manual_compaction = false;
    const rocksdb::Slice from(range.from);
    const rocksdb::Slice to(range.to);
    const rocksdb::Status compacted = files_->db->CompactRange(
        options, files_->handle(range.family), &from, range.to.empty() ? nullptr : &to);
    if (!compacted.ok()) return FromRocks(compacted, "Compacting an erased range");
  }
  return {};
}

Status Store::TrimHistory(std::int64_t horizon) {
  RETURN_IF_ERROR(Flush());
  auto* handle = files_->handle(Family::kState);
  const Timestamp time(horizon);
  const rocksdb::Status raised =
      files_->db->IncreaseFullHistoryTsLow(handle, time.slice().ToString());
  if (!raised.ok()) return FromRocks(raised, "Raising the history horizon");
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  const rocksdb::Status compacted = files_->db->CompactRange(options, handle, nullptr, nullptr);
  if (!compacted.ok()) return FromRocks(compacted, "Compacting history");
  return {};
}

Status Store::Flush() {
  rocksdb::FlushOptions options;
  const std::vector<rocksdb::ColumnFamilyHandle*> all(files_->handles.begin(),
                                                      files_->handles.end());
  const rocksdb::Status flushed = files_->db->Flush(options, all);
  if (!flushed.ok()) return FromRocks(flushed, "Flushing the store");
  return {};
}

Status Store::CompactAll() {
  RETURN_IF_ERROR(Flush());
  for (auto* handle : files_->handles) {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    const rocksdb::Status compacted = files_->db->CompactRange(options, handle, nullptr, nullptr);
    if (!compacted.ok()) return FromRocks(compacted, "Compacting the store");
  }
  return {};
}

std::uint64_t Store::BytesOnDisk() const {
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : Figures()) total += bytes;
  return total;
}

std::vector<std::pair<std::string, std::uint64_t>> Store::Figures() const {
  std::vector<std::pair<std::string, std::uint64_t>> figures;
  for (std::size_t i = 0; i < files_->handles.size(); ++i) {
    std::uint64_t bytes = 0;
    files_->db->GetIntProperty(files_->handles[i], rocksdb::DB::Properties::kTotalSstFilesSize,
                               &bytes);
    figures.emplace_back(kNames[i], bytes);
  }
  return figures;
}

}  // namespace perdure
