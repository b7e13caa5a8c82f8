#include "engine/storage/info_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "engine/base/mutex.h"

namespace perdure {
namespace {

constexpr std::size_t kFileBytesMax = 4 << 20;
constexpr std::size_t kLineBytesMax = 4096;

class InfoLog final : public rocksdb::Logger {
 public:
  explicit InfoLog(std::string path) : path_(std::move(path)) { Roll(); }
  ~InfoLog() override { CloseFile(); }

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    const auto now =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    std::string line = fmt::format("{:%Y/%m/%d-%H:%M:%S} ", now);
    std::array<char, kLineBytesMax> text;
    // RocksDB hands over a printf format.
    const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
    if (size < 0) return;
    line += text.data();
    if (!line.ends_with('\n')) line += '\n';
    const MutexLock lock(mutex_);
    if (bytes_ > kFileBytesMax) Roll();
    if (fd_ < 0) return;
    const ssize_t written = ::write(fd_, line.data(), line.size());
    if (written > 0) bytes_ += static_cast<std::size_t>(written);
  }

 protected:
  rocksdb::Status CloseImpl() override { return rocksdb::Status::OK(); }

 private:
  void CloseFile() REQUIRES(mutex_) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void Roll() REQUIRES(mutex_) {
    CloseFile();
    std::error_code ignored;
    std::filesystem::rename(path_, path_ + ".old.1", ignored);
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    bytes_ = 0;
  }

  std::string path_;
  Mutex mutex_;
  int fd_ GUARDED_BY(mutex_) = -1;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> OpenInfoLog(const std::string& directory) {
  std::error_code ignored;  // the store's own open says what is wrong
  std::filesystem::create_directories(directory, ignored);
  return std::make_shared<InfoLog>(directory + "/LOG");
}

}  // namespace perdure
