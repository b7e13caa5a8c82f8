// RocksDB's write-ahead logs and MANIFEST end where their last record that makes sense ends: after
// a power cut that is a write that nobody was told of. A flipped bit in such a file looks the same
// to it, and would quietly take back what was acknowledged. So before RocksDB reads them, these
// files are looked at for records that are damaged rather than torn.
//
//   file   := block(32768)*, the last one shorter
//   block  := record* zeros            fewer than 7 zeros, where no header fits any more
//   record := masked crc:u32le length:u16le type:u8 data(length)
//   crc    := CRC-32C(type data)       masked: rotated right by 15 bits, plus 0xa282ead8
//   type   := 1 whole | 2 first | 3 middle | 4 last
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

// Whether the bytes of such a file hold a damaged record: one that a single flipped bit explains,
// or one with the beginning of a later write behind it. Its offset is in the details. A torn tail
// is none, nor is a hole of zeros where a record should begin: after a power cut, later pages of
// what was not synced may be there without earlier ones.
Status CheckRecords(std::string_view bytes);

// Checks the write-ahead logs and the current MANIFEST in `directory`. kCorrupt names the file.
Status CheckRecordFiles(const std::string& directory);

}  // namespace perdure
