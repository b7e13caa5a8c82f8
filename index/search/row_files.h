// Tables of rows as files that are only ever appended to, with the hash of every block kept apart
// (columns_file.h), so that a checkpoint writes what is new and a start checks what it maps.
//
//   file := row*          little-endian structs of rows.h, block n at n * kBlockRows rows
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/result.h"

namespace perdure {

// What a checkpoint says of one file.
struct RowFileState {
  std::uint64_t rows = 0;
  std::vector<Hash> blocks;  // SHA-256 of each block, the last as far as it goes
};

// The rows of a file in memory, read only.
class MappedRows {
 public:
  // Compares every block with its hash, on two threads when there is much. kCorrupt when the file
  // is too short or a block differs.
  static Result<MappedRows> Open(const std::string& path, std::size_t row_bytes,
                                 const RowFileState& state);
  MappedRows(MappedRows&& other) noexcept;
  MappedRows& operator=(MappedRows&&) = delete;
  ~MappedRows();

  const void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  MappedRows(void* data, std::size_t size) : data_(data), size_(size) {}
  void* data_;
  std::size_t size_;
};

// Writes rows from a given one on; readable by the owner only.
class RowFileWriter {
 public:
  // Cuts the file to `bytes`.
  static Result<RowFileWriter> Open(const std::string& path, std::uint64_t bytes);
  RowFileWriter(RowFileWriter&& other) noexcept;
  RowFileWriter& operator=(RowFileWriter&&) = delete;
  ~RowFileWriter();

  Status Append(const void* data, std::size_t bytes);
  Status Sync();

 private:
  RowFileWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
};

}  // namespace perdure
