#include "support/glass_dump.h"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure::testing {
namespace {

// block     := revision:u32 level:u8 max_free:u16 total_free:u16 directory_end:u16 offset:u16{}
// item{} item      := flags and size:u16 key_size:u8 key:byte{key_size} number:u16? tag number
// stands in all but the first item of a tag that needs several. Numbers are big-endian; a tag is
// raw deflate, or plain.
constexpr std::size_t kBlockBytes = 8192;
constexpr std::size_t kDirectoryEndAt = 9;
constexpr std::size_t kDirectoryAt = 11;

std::size_t ReadU16(std::string_view block, std::size_t at) {
  return std::size_t{static_cast<std::uint8_t>(block[at])} << 8 |
         static_cast<std::uint8_t>(block[at + 1]);
}

class Inflater {
 public:
  Inflater() { inflateInit2(&stream_, -MAX_WBITS); }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Adds what `deflated` begins with; bytes after the end of the stream, or a stream that is cut,
  // are no error.
  void Add(std::string_view deflated, std::string& out) {
    inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
    stream_.avail_in = static_cast<uInt>(deflated.size());
    for (int status = Z_OK; status == Z_OK;) {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      status = inflate(&stream_, Z_SYNC_FLUSH);
      out.append(buffer_.data(), buffer_.size() - stream_.avail_out);
      if (stream_.avail_out != 0) return;
    }
  }

 private:
  z_stream stream_{};
  std::array<char, kBlockBytes> buffer_;
};

void InflateBlock(std::string_view block, Inflater& inflater, std::string& out) {
  const std::size_t end = ReadU16(block, kDirectoryEndAt);
  for (std::size_t at = kDirectoryAt; at + 1 < end && at + 1 < block.size(); at += 2) {
    const std::size_t item = ReadU16(block, at);
    if (item + 3 > block.size()) continue;
    const std::size_t tag = item + 3 + static_cast<std::uint8_t>(block[item + 2]);
    for (const std::size_t begin : {tag, tag + 2}) {
      if (begin < block.size()) inflater.Add(block.substr(begin), out);
    }
  }
}

}  // namespace

std::string InflateGlass(std::string_view file) {
  std::string out;
  Inflater inflater;
  for (std::size_t at = 0; at + kBlockBytes <= file.size(); at += kBlockBytes) {
    InflateBlock(file.substr(at, kBlockBytes), inflater, out);
  }
  return out;
}

}  // namespace perdure::testing
