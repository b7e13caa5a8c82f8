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

// Adds what `deflated` begins with; bytes after the end of the stream, or a stream that is cut, are
// no error.
void Inflate(std::string_view deflated, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return;
  std::array<char, kBlockBytes> buffer;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_SYNC_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (stream.avail_out != 0) break;
  }
  inflateEnd(&stream);
}

void InflateBlock(std::string_view block, std::string& out) {
  const std::size_t end = ReadU16(block, kDirectoryEndAt);
  for (std::size_t at = kDirectoryAt; at + 1 < end && at + 1 < block.size(); at += 2) {
    const std::size_t item = ReadU16(block, at);
    if (item + 3 > block.size()) continue;
    const std::size_t tag = item + 3 + static_cast<std::uint8_t>(block[item + 2]);
    for (const std::size_t begin : {tag, tag + 2}) {
      if (begin < block.size()) Inflate(block.substr(begin), out);
    }
  }
}

}  // namespace

std::string InflateGlass(std::string_view file) {
  std::string out;
  for (std::size_t at = 0; at + kBlockBytes <= file.size(); at += kBlockBytes) {
    InflateBlock(file.substr(at, kBlockBytes), out);
  }
  return out;
}

}  // namespace perdure::testing
