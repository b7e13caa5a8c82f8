#include "index/text/reader_pool.h"

#include <utility>

namespace perdure {
namespace {

constexpr std::size_t kIdleMax = 8;

}  // namespace

Result<ReaderPool::Reader> ReaderPool::Acquire(const DiskRevision& wanted,
                                               const std::string& path) {
  Reader reader;
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  const bool is_open = reader.disk != nullptr && reader.database == wanted.database;
  if (is_open && reader.disk->revision() == wanted.revision) return reader;
  const Status opened = is_open ? reader.disk->Refresh() : Open(wanted.database, path, reader);
  // Files are removed, one by one, of a database that is not kept any more, and of no other.
  if (!IsKept(wanted.database)) {
    return Fail(Code::kUnavailable, "the text index moved to another database");
  }
  RETURN_IF_ERROR(opened);
  if (reader.disk->revision() == wanted.revision) return reader;
  Release(std::move(reader));
  return Fail(Code::kUnavailable, "the text index moved on");
}

Status ReaderPool::Open(std::uint64_t database, const std::string& path, Reader& reader) {
  ASSIGN_OR_RETURN(reader.disk, DiskReader::Open(path));
  reader.database = database;
  return {};
}

bool ReaderPool::IsKept(std::uint64_t database) const {
  const MutexLock lock(mutex_);
  return database == database_;
}

void ReaderPool::Release(Reader reader) {
  if (!reader.disk->status()) return;
  const MutexLock lock(mutex_);
  if (reader.database == database_ && idle_.size() < kIdleMax) idle_.push_back(std::move(reader));
}

void ReaderPool::Keep(std::uint64_t database) {
  std::vector<Reader> dropped;  // closed outside the lock
  const MutexLock lock(mutex_);
  database_ = database;
  std::swap(dropped, idle_);
  std::erase_if(dropped, [&](Reader& reader) REQUIRES(mutex_) {
    if (reader.database != database) return false;
    idle_.push_back(std::move(reader));
    return true;
  });
}

}  // namespace perdure
