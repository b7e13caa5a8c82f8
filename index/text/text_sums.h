// Checksums of a Xapian database's files, block by block, since Xapian has none of its own and
// would answer wrongly from a damaged block.
//
//   DIR/sums.<n>   of DIR/db.<n>, a file of vector/file_io.h:
//     sums := "PDSUMS1\n" file*
//     file := name bytes:u32 name size:u64 crc32c:u32*      one for each 64 KiB, the last one
//     shorter
//
// Removed before each commit and written after it: where they are, they are those of the blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

class TextSums {
 public:
  // Reads all files of the database once.
  static Result<TextSums> Of(const std::string& database);
  static Result<TextSums> Read(const std::string& path);
  Status Write(const std::string& path) const;

  // kCorrupt names the first file and block that is not as it was, or a file that is not there.
  Status Check(const std::string& database) const;

 private:
  struct File {
    std::string name;
    std::uint64_t size = 0;
    std::vector<std::uint32_t> blocks;
  };
  static Result<File> SumsOf(const std::string& database, const std::string& name);

  std::vector<File> files_;  // by name
};

}  // namespace perdure
