#include "support/table_dump.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace perdure::testing {
namespace {

bool Dump(const std::string& path, const rocksdb::Comparator* comparator, std::string& out) {
  rocksdb::Options options;
  options.comparator = comparator;
  rocksdb::SstFileReader reader(options);
  if (!reader.Open(path).ok()) return false;
  rocksdb::ReadOptions read;
  const std::string latest(8, '\xff');
  const std::string oldest(8, '\0');
  const rocksdb::Slice latest_slice(latest);
  const rocksdb::Slice oldest_slice(oldest);
  if (comparator != rocksdb::BytewiseComparator()) {
    read.timestamp = &latest_slice;
    read.iter_start_ts = &oldest_slice;
  }
  const std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator(read));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    out += it->key().ToString();
    out += it->value().ToString();
  }
  return it->status().ok();
}

}  // namespace

std::optional<std::string> TryDumpTable(const std::string& path) {
  const rocksdb::Comparator* timestamped = nullptr;
  const auto found = rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts", &timestamped);
  if (!found.ok()) return std::nullopt;
  for (const rocksdb::Comparator* comparator : {rocksdb::BytewiseComparator(), timestamped}) {
    std::string out;
    if (Dump(path, comparator, out)) return out;
  }
  return std::nullopt;
}

std::string DumpTable(const std::string& path) {
  auto dumped = TryDumpTable(path);
  if (dumped) return std::move(*dumped);
  std::fprintf(stderr, "the table file %s cannot be read\n", path.c_str());
  std::abort();
}

}  // namespace perdure::testing
