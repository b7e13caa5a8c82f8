// A directory that goes away with its owner.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace perdure::testing {

// Where files are kept in memory, if there is such a place.
inline std::filesystem::path InMemory() {
  std::error_code error;
  const std::filesystem::path shared = "/dev/shm";
  const bool usable =
      std::filesystem::is_directory(shared, error) && access(shared.c_str(), W_OK) == 0;
  return usable ? shared : std::filesystem::temp_directory_path();
}

class TempDir {
 public:
  TempDir() : TempDir(std::filesystem::temp_directory_path()) {}
  explicit TempDir(const std::filesystem::path& parent) {
    std::string pattern = (parent / "perdure-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace perdure::testing
