// A whole file, read-only, as memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

// The file must not be written to or cut while it is mapped; replacing it by a rename is fine.
class MappedFile {
 public:
  // Fails with kNotFound when it is not there, kUnavailable when it cannot be read.
  static Result<MappedFile> Open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, std::size_t size) : data_(data), size_(size) {}

  const char* data_;  // null when the file is empty
  std::size_t size_;
};

}  // namespace perdure
