#include "engine/storage/rocks_files.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include <utility>
#include <vector>

#include "engine/storage/info_log.h"

namespace perdure {
namespace {

constexpr std::uint64_t kPayloadFileBytes = 8ull
                                            << 20;  // small, so that an erasure rewrites little
// What an erasure deletes lies anywhere, so the level below the newest files is rewritten as a
// whole: it is kept small. Payloads come in the order of their keys, so a steep step costs no
// rewriting.
constexpr std::uint64_t kPayloadLevelBytes = 64ull << 20;
constexpr double kPayloadLevelFactor = 32;
constexpr std::uint64_t kWalBytesMax = 48ull << 20;  // bounds what an open replays
// A manifest names the first and last keys of the files that were: each change begins a new one, so
// that those of erased rows do not stay.
constexpr std::uint64_t kManifestBytesMax = 1;
constexpr std::size_t kManifestReserveBytes = 16 << 10;

// Hears of errors in the background. RocksDB's own way back from a full disk is not taken: tried a
// moment too early, it ends in an error without a way back.
class TroubleListener final : public rocksdb::EventListener {
 public:
  explicit TroubleListener(std::shared_ptr<std::atomic<StoreTrouble>> trouble)
      : trouble_(std::move(trouble)) {}
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* error) override {
    const bool stops = error->severity() >= rocksdb::Status::Severity::kHardError;
    if (stops || error->IsNoSpace()) NoteTrouble(*trouble_, *error);
  }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }

 private:
  std::shared_ptr<std::atomic<StoreTrouble>> trouble_;
};

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
  if (family == Family::kRows || family == Family::kState) {  // where most look-ups find nothing
    options.memtable_prefix_bloom_size_ratio = 0.02;
    options.memtable_whole_key_filtering = true;
  }
  if (family == Family::kPayload) {
    options.target_file_size_base = kPayloadFileBytes;
    options.max_bytes_for_level_base = kPayloadLevelBytes;
    options.max_bytes_for_level_multiplier = kPayloadLevelFactor;
  }
  if (family == Family::kState) options.comparator = timestamped;
  return options;
}

rocksdb::DBOptions DbOptionsOf(const std::string& directory, const StoreOptions& options,
                               const std::shared_ptr<std::atomic<StoreTrouble>>& trouble) {
  rocksdb::DBOptions db_options;
  db_options.create_if_missing = options.create_if_missing;
  db_options.create_missing_column_families = true;
  db_options.max_total_wal_size = kWalBytesMax;
  db_options.max_manifest_file_size = kManifestBytesMax;
  db_options.manifest_preallocation_size = kManifestReserveBytes;
  db_options.max_background_jobs = 2;
  db_options.max_open_files = 512;
  db_options.avoid_unnecessary_blocking_io = true;
  db_options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  db_options.max_bgerror_resume_count = 0;  // the way back from an error is to open anew
  if (!options.read_only) {
    db_options.info_log = OpenInfoLog(directory);
    db_options.listeners.push_back(std::make_shared<TroubleListener>(trouble));
  }
  return db_options;
}

}  // namespace

RocksFiles::~RocksFiles() {
  for (auto* handle : handles) {
    if (handle) db->DestroyColumnFamilyHandle(handle);
  }
}

void NoteTrouble(std::atomic<StoreTrouble>& trouble, const rocksdb::Status& status) {
  StoreTrouble none = StoreTrouble::kNone;
  trouble.compare_exchange_strong(none,
                                  status.IsNoSpace() ? StoreTrouble::kFull : StoreTrouble::kFailed);
}

std::unexpected<Error> FromRocks(const rocksdb::Status& status, std::string_view doing) {
  if (status.IsNoSpace()) {
    return Fail(Code::kStorageFull,
                fmt::format("{} failed: the disk is full. Free some space: writes are taken again "
                            "within seconds, without a restart.",
                            doing));
  }
  Code code = Code::kInternal;
  if (status.IsCorruption()) code = Code::kCorrupt;
  if (status.IsIOError() || status.IsBusy() || status.IsTimedOut()) code = Code::kUnavailable;
  return Fail(code, fmt::format("{} failed: {}. See `perdure doctor` for what to do.", doing,
                                status.ToString()));
}

Result<std::unique_ptr<RocksFiles>> OpenRocks(
    const std::string& directory, const StoreOptions& options,
    const std::shared_ptr<std::atomic<StoreTrouble>>& trouble) {
  auto files = std::make_unique<RocksFiles>();
  const rocksdb::Status known = rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts", &files->timestamped);
  if (!known.ok()) return FromRocks(known, "Finding RocksDB's timestamp comparator");
  const auto cache = rocksdb::NewLRUCache(64 << 20);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (int i = 0; i < kFamilies; ++i) {
    families.emplace_back(kFamilyNames[static_cast<std::size_t>(i)],
                          OptionsOf(static_cast<Family>(i), cache, files->timestamped));
  }
  const rocksdb::DBOptions db_options = DbOptionsOf(directory, options, trouble);
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status opened =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(db_options, directory, families, &handles, &db)
          : rocksdb::DB::Open(db_options, directory, families, &handles, &db);
  if (!opened.ok()) return FromRocks(opened, fmt::format("Opening the store in {}", directory));
  files->db.reset(db);
  for (std::size_t i = 0; i < handles.size(); ++i) files->handles[i] = handles[i];
  return files;
}

}  // namespace perdure
