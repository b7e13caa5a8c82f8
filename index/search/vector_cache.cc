#include "index/search/vector_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "engine/base/hash.h"
#include "index/vector/file_io.h"

namespace perdure {
namespace {

constexpr float kScale = 32767;
constexpr std::size_t kSlotsARead = 16'384;

std::int16_t Quantize(float value) {
  return static_cast<std::int16_t>(std::lrint(std::clamp(value, -1.0F, 1.0F) * kScale));
}

std::uint64_t HashOf(const ValueKey& key) {
  std::uint64_t hash;
  std::memcpy(&hash, key.data(), sizeof(hash));
  return hash | 1;  // 0 is a free slot's
}

Status WriteAt(int fd, const void* data, std::size_t bytes, std::uint64_t offset) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(fd, at, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return Fail(Code::kUnavailable,
                  "Cannot write the vector cache: " + std::generic_category().message(errno) + ".");
    }
    at += written;
    bytes -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

bool ReadAt(int fd, void* data, std::size_t bytes, std::uint64_t offset) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::pread(fd, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

std::uint64_t FileBytes(int fd) {
  struct stat status = {};
  return ::fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

std::vector<float> RoundVector(std::span<const float> vector) {
  std::vector<float> rounded(vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) rounded[i] = Quantize(vector[i]) / kScale;
  return rounded;
}

Result<std::unique_ptr<VectorCache>> VectorCache::Open(const std::string& directory,
                                                       const EmbedderInfo& model) {
  RETURN_IF_ERROR(MakeDirectory(directory));
  const std::string name = HexEncode(AsBytes(model.weights_hash).substr(0, 8));
  return OpenPath(fmt::format("{}/cache.{}.{}", directory, name, model.dimensions),
                  model.dimensions);
}

Result<std::unique_ptr<VectorCache>> VectorCache::OpenPath(std::string path,
                                                           std::size_t dimensions) {
  auto cache = std::make_unique<VectorCache>(OpenOnly(), std::move(path), dimensions);
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC;
  cache->keys_fd_ = ::open((cache->path_ + ".keys").c_str(), kFlags, 0600);
  cache->vectors_fd_ = ::open((cache->path_ + ".vectors").c_str(), kFlags, 0600);
  if (cache->keys_fd_ < 0 || cache->vectors_fd_ < 0) {
    return Fail(Code::kUnavailable,
                fmt::format("Cannot open the vector cache {}: {}.", cache->path_,
                            std::generic_category().message(errno)));
  }
  return cache;
}

VectorCache::~VectorCache() {
  if (keys_fd_ >= 0) ::close(keys_fd_);
  if (vectors_fd_ >= 0) ::close(vectors_fd_);
}

ValueKey VectorCache::KeyOf(const Secret& secret, const EmbedderInfo& model,
                            std::string_view text) {
  return MakeValueKey(secret, "vector", std::string(AsBytes(model.weights_hash)).append(text));
}

std::uint64_t VectorCache::Check(const ValueKey& key, const Uuid& memory, std::string_view vector) {
  const Hash hash = Sha256Concat({AsBytes(key), AsBytes(memory), vector});
  std::uint64_t check;
  std::memcpy(&check, hash.data(), sizeof(check));
  return check;
}

Result<std::uint32_t> VectorCache::ForEachSlot(const SlotVisitor& visit) {
  static_assert(sizeof(Slot) == 40);
  const auto count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(FileBytes(keys_fd_) / sizeof(Slot), kNoRow - 1));
  std::vector<Slot> slots(kSlotsARead);
  for (std::uint32_t first = 0; first < count; first += kSlotsARead) {
    const std::uint32_t here = std::min<std::uint32_t>(kSlotsARead, count - first);
    if (!ReadAt(keys_fd_, slots.data(), here * sizeof(Slot), first * sizeof(Slot))) {
      return Fail(Code::kUnavailable, "Cannot read the keys of the vector cache.");
    }
    for (std::uint32_t i = 0; i < here; ++i) RETURN_IF_ERROR(visit(first + i, slots[i]));
  }
  // A vector without a key is left from a crash, and nobody would know whose it is.
  if (::ftruncate(vectors_fd_, static_cast<off_t>(count * VectorBytes())) != 0) {
    return Fail(Code::kUnavailable, "Cannot cut the vector cache.");
  }
  return count;
}

Status VectorCache::Load() {
  if (loaded_) return {};
  hashes_.clear();
  slots_ = {};
  free_.clear();
  ASSIGN_OR_RETURN(
      [[maybe_unused]] const std::uint32_t count,
      ForEachSlot([this](std::uint32_t slot, const Slot& row) REQUIRES(mutex_) -> Status {
        hashes_.push_back(row.key == ValueKey{} ? 0 : HashOf(row.key));
        if (hashes_[slot] == 0) {
          free_.push_back(slot);
        } else {
          const std::span<const std::uint64_t> hashes(hashes_);
          slots_.Insert(slot, [&](std::uint32_t s) { return hashes[s]; });
        }
        return {};
      }));
  loaded_ = true;
  return {};
}

Result<VectorCache::Slot> VectorCache::ReadSlot(std::uint32_t slot) const {
  Slot read;
  if (!ReadAt(keys_fd_, &read, sizeof(read), slot * sizeof(Slot))) {
    return Fail(Code::kUnavailable, "Cannot read the keys of the vector cache.");
  }
  return read;
}

std::uint32_t VectorCache::Find(const ValueKey& key) const {
  const std::uint64_t hash = HashOf(key);
  const std::span<const std::uint64_t> hashes(hashes_);
  return slots_.Find(hash, [&](std::uint32_t slot) {
    if (hashes[slot] != hash) return false;
    const auto read = ReadSlot(slot);
    return read && read->key == key;
  });
}

std::optional<std::vector<float>> VectorCache::Get(const ValueKey& key) {
  const MutexLock lock(mutex_);
  if (!Load()) return std::nullopt;
  const std::uint32_t slot = Find(key);
  if (slot == kNoRow) return std::nullopt;
  const auto read = ReadSlot(slot);
  std::vector<std::int16_t> stored(dimensions_);
  if (!read || !ReadAt(vectors_fd_, stored.data(), VectorBytes(), slot * VectorBytes())) {
    return std::nullopt;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(stored.data()), VectorBytes());
  if (Check(key, read->memory, bytes) != read->check) return std::nullopt;
  std::vector<float> vector(dimensions_);
  for (std::size_t i = 0; i < dimensions_; ++i) vector[i] = stored[i] / kScale;
  return vector;
}

Status VectorCache::Put(const ValueKey& key, const Uuid& memory, std::span<const float> vector) {
  const MutexLock lock(mutex_);
  RETURN_IF_ERROR(Load());
  std::uint32_t slot = Find(key);
  const bool known = slot != kNoRow;
  if (!known && free_.empty()) {
    slot = static_cast<std::uint32_t>(hashes_.size());
    hashes_.push_back(0);
  } else if (!known) {
    slot = free_.back();
    free_.pop_back();
  }
  std::vector<std::int16_t> stored(dimensions_);
  for (std::size_t i = 0; i < dimensions_; ++i) stored[i] = Quantize(vector[i]);
  const std::string_view bytes(reinterpret_cast<const char*>(stored.data()), VectorBytes());
  const Slot row{key, memory, Check(key, memory, bytes)};
  // The key first: a crash in between leaves a slot that an erasure finds.
  RETURN_IF_ERROR(WriteAt(keys_fd_, &row, sizeof(row), slot * sizeof(Slot)));
  RETURN_IF_ERROR(WriteAt(vectors_fd_, bytes.data(), bytes.size(), slot * VectorBytes()));
  if (known) return {};
  hashes_[slot] = HashOf(key);
  const std::span<const std::uint64_t> hashes(hashes_);
  slots_.Insert(slot, [&](std::uint32_t s) { return hashes[s]; });
  return {};
}

Status VectorCache::Erase(std::span<const Uuid> memories) {
  const std::unordered_set<Uuid> gone(memories.begin(), memories.end());
  const MutexLock lock(mutex_);
  const std::string zeros(std::max(VectorBytes(), sizeof(Slot)), '\0');
  ASSIGN_OR_RETURN(
      [[maybe_unused]] const std::uint32_t count,
      ForEachSlot([&](std::uint32_t slot, const Slot& row) REQUIRES(mutex_) -> Status {
        const bool is_free = row.key == ValueKey{};
        if (!is_free && !gone.contains(row.memory)) return {};
        RETURN_IF_ERROR(WriteAt(vectors_fd_, zeros.data(), VectorBytes(), slot * VectorBytes()));
        if (is_free) return {};
        loaded_ = false;
        return WriteAt(keys_fd_, zeros.data(), sizeof(Slot), slot * sizeof(Slot));
      }));
  if (::fdatasync(vectors_fd_) != 0 || ::fdatasync(keys_fd_) != 0) {
    return Fail(Code::kUnavailable, "Cannot sync the vector cache after an erasure.");
  }
  return {};
}

Status VectorCache::EraseAll(const std::string& directory, std::span<const Uuid> memories,
                             VectorCache& open) {
  RETURN_IF_ERROR(open.Erase(memories));
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    // cache.<model>.<dimensions>.keys
    if (!file.path().filename().string().starts_with("cache.")) continue;
    if (file.path().extension() != ".keys") continue;
    const std::filesystem::path base = std::filesystem::path(file.path()).replace_extension();
    if (base.string() == open.path_) continue;
    const std::string dimensions = base.extension().string();
    const std::size_t count = dimensions.size() > 1 ? std::strtoul(&dimensions[1], nullptr, 10) : 0;
    if (count == 0 || count > 65'536) continue;
    ASSIGN_OR_RETURN(const auto other, OpenPath(base, count));
    RETURN_IF_ERROR(other->Erase(memories));
  }
  return {};
}

std::uint64_t VectorCache::Bytes() const { return FileBytes(keys_fd_) + FileBytes(vectors_fd_); }

}  // namespace perdure
