// Finds bytes in every file below a directory, raw and inside the compressed blocks of RocksDB's
// table files (LZ4 and ZSTD hide text from a plain search).
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/table_dump.h"

namespace perdure::testing {

class ByteScanner {
 public:
  explicit ByteScanner(const std::string& directory) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::string bytes(std::istreambuf_iterator<char>(file), {});
      if (entry.path().extension() == ".sst") bytes += DumpTable(entry.path().string());
      files_.emplace_back(std::filesystem::relative(entry.path(), directory).string(),
                          std::move(bytes));
    }
  }

  // The files that hold `needle`, by name.
  std::vector<std::string> FilesWith(std::string_view needle) const {
    std::vector<std::string> found;
    for (const auto& [name, bytes] : files_) {
      if (bytes.find(needle) != std::string::npos) found.push_back(name);
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace perdure::testing
