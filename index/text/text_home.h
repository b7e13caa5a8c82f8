// The directory of a text index:
//
//   DIR/current   which database holds: its number in decimal (a file of vector/file_io.h)
//   DIR/db.<n>/   a Xapian database; any other than the current one is a leftover
//   DIR/sums.<n>  its checksums (text_sums.h)
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace perdure {

class TextHome {
 public:
  // Creates the directory if need be. number() is 0 when no database can be trusted to be current.
  static Result<TextHome> Open(std::string directory);

  const std::string& directory() const { return directory_; }
  std::uint64_t number() const { return number_; }
  std::string DatabasePath(std::uint64_t number) const;
  std::string SumsPath(std::uint64_t number) const;  // of text_sums.h
  std::uint64_t BytesOf(std::uint64_t number) const;

  // Makes `number` the current database, across a power cut too. Where it fails, the one before
  // holds as long as the program runs.
  Status Switch(std::uint64_t number);
  Status RemoveOthers() const;  // every database but the current one

 private:
  explicit TextHome(std::string directory) : directory_(std::move(directory)) {}

  std::string directory_;
  std::uint64_t number_ = 0;
};

}  // namespace perdure
