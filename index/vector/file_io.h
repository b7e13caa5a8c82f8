// Files of the vector index: hashed while written, hashed before they are read, gone when unlinked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/bytes.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/result.h"

namespace perdure {

// Writes `path` anew, readable by its owner only. What is appended goes straight to the file: no
// copy of a vector stays behind in a buffer. A writer destroyed before Finish removes the file.
class HashedFileWriter {
 public:
  static Result<HashedFileWriter> Create(std::string path);
  HashedFileWriter(HashedFileWriter&& other) noexcept;
  HashedFileWriter& operator=(HashedFileWriter&&) = delete;
  ~HashedFileWriter();

  Status Append(std::string_view bytes);
  // Appends the hash of all before, syncs, and answers that hash.
  Result<Hash> Finish();
  std::uint64_t bytes_written() const { return bytes_; }

 private:
  HashedFileWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status Write(std::string_view bytes);

  std::string path_;
  int fd_;
  std::uint64_t bytes_ = 0;
  Sha256Stream hash_;
};

// A file written by HashedFileWriter, mapped so that no copy of it stays in the heap.
class HashedFile {
 public:
  // kCorrupt when the file is absent, too short, or not what its hash says.
  static Result<HashedFile> Open(const std::string& path);
  HashedFile(HashedFile&& other) noexcept;
  HashedFile& operator=(HashedFile&&) = delete;
  ~HashedFile();

  std::string_view content() const;  // without the hash
  const Hash& hash() const { return hash_; }

 private:
  HashedFile(void* data, std::size_t size) : data_(data), size_(size) {}

  void* data_;
  std::size_t size_;
  Hash hash_{};
};

}  // namespace perdure
