// The data directories whose bits are flipped, and what is done to them in processes of their own:
// a flip may crash what reads it, and this one must not hold RocksDB's threads when it forks.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/base/time.h"

namespace perdure::testing {

// What the clock says when questions are asked.
inline constexpr Micros kLater = 1'800'000'000'000'000;

std::vector<std::string> TokenFiles();

// How the directory was left.
enum class Left { kClosed, kKilled, kWithoutIndexes };

// Fills an empty directory: memories with versions, labels, scopes, erasures, two spaces, tokens,
// indexes. Killed: as it was on disk while it was open.
void FillDirectory(const std::string& directory, Left left);

// One bit of one file.
struct Flip {
  std::string file;  // relative
  std::uint64_t byte = 0;
  int bit = 0;

  std::string Name() const;
  void Do(const std::string& directory) const;
};

// Half of the flips choose among files, half among bytes.
Flip RandomFlip(const std::string& directory, std::mt19937_64& random, bool by_file);

// What `work` returned in a process of its own; "CRASH ..." when it did not come back.
std::string InChild(const std::function<std::string()>& work);

}  // namespace perdure::testing
