#include "engine/storage/backup.h"

#include <fmt/format.h>
#include <rocksdb/env.h>
#include <rocksdb/utilities/backup_engine.h>

#include <filesystem>
#include <memory>

#include "engine/storage/rocks_files.h"

namespace perdure {
namespace {

BackupInfo InfoOf(const rocksdb::BackupInfo& info) {
  return {.number = info.backup_id, .bytes = info.size, .files = info.number_files};
}

Result<std::unique_ptr<rocksdb::BackupEngine>> OpenBackups(const std::string& directory) {
  rocksdb::BackupEngineOptions options(directory);
  options.sync = true;
  options.share_table_files = true;
  options.share_files_with_checksum = true;
  options.max_background_operations = 1;
  rocksdb::BackupEngine* engine = nullptr;
  const rocksdb::Status opened =
      rocksdb::BackupEngine::Open(options, rocksdb::Env::Default(), &engine);
  if (!opened.ok()) return FromRocks(opened, fmt::format("Opening the backups in {}", directory));
  return std::unique_ptr<rocksdb::BackupEngine>(engine);
}

}  // namespace

Result<BackupInfo> BackUp(const Store& store, const std::string& directory) {
  ASSIGN_OR_RETURN(const auto backups, OpenBackups(directory));
  RETURN_IF_ERROR(store.WithFiles([&](const RocksFiles& files) -> Status {
    rocksdb::CreateBackupOptions options;
    options.flush_before_backup = true;
    const rocksdb::Status made = backups->CreateNewBackup(options, files.db.get());
    if (!made.ok()) return FromRocks(made, fmt::format("Writing a backup to {}", directory));
    return {};
  }));
  std::vector<rocksdb::BackupInfo> infos;
  backups->GetBackupInfo(&infos);
  if (infos.empty()) return Fail(Code::kInternal, "The backup that was written is not there.");
  const rocksdb::Status verified = backups->VerifyBackup(infos.back().backup_id, true);
  if (!verified.ok()) return FromRocks(verified, "Verifying the backup that was written");
  return InfoOf(infos.back());
}

Result<std::vector<BackupInfo>> BackupsIn(const std::string& directory) {
  std::vector<rocksdb::BackupInfo> infos;
  if (std::filesystem::is_directory(directory + "/meta")) {  // opening makes the directories
    ASSIGN_OR_RETURN(const auto backups, OpenBackups(directory));
    backups->GetBackupInfo(&infos);
  }
  if (infos.empty()) {
    return Fail(Code::kNotFound, fmt::format("There is no backup in {}.", directory), "directory");
  }
  std::vector<BackupInfo> found;
  for (const rocksdb::BackupInfo& info : infos) found.push_back(InfoOf(info));
  return found;
}

Status RestoreBackup(const std::string& directory, std::uint32_t number,
                     const std::string& store_directory) {
  ASSIGN_OR_RETURN(const auto backups, OpenBackups(directory));
  const rocksdb::Status verified = backups->VerifyBackup(number, true);
  if (!verified.ok()) {
    return FromRocks(verified, fmt::format("Verifying backup {} in {}", number, directory));
  }
  const rocksdb::Status restored = backups->RestoreDBFromBackup(rocksdb::RestoreOptions(), number,
                                                                store_directory, store_directory);
  if (!restored.ok()) {
    return FromRocks(restored, fmt::format("Restoring backup {} of {}", number, directory));
  }
  return {};
}

}  // namespace perdure
