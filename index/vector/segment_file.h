// One segment in a file, and the manifest that says which segment files count.
//
// segment  := magic:"PRDVSEG\n" format:u32 dimensions:u32 model_hash:byte{32}
//             first_chunk:u64 generation:u64 cursor:u64
//             chunks:u32 rows:u32 frontier:u32 graph_bytes:u32
//             chunk{chunks} row{rows} graph:byte{graph_bytes} sha256:byte{32}
// chunk    := slot:u32 row:u32           slots ascend; bit 31 of slot: removed; rows are numbered
//                                        by their lowest slot
// row      := value:f32{dimensions}
// graph    := see Graph::Encode          of the rows whose lowest slot is below the frontier
// manifest := magic:"PRDVMAN\n" format:u32 dimensions:u32 model_hash:byte{32}
//             segment_chunks:u64 cursor:u64 next_generation:u64
//             entries:u32 entry{entries} sha256:byte{32}
// entry    := first_chunk:u64 generation:u64 bytes:u64 sha256:byte{32}    first_chunk ascends
//
// Numbers are little-endian. Each sha256 is of all bytes before it and is checked before anything
// is parsed. Format 1.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "index/vector/segment.h"

namespace perdure {

// What must be the same for vectors to be comparable.
struct VectorIdentity {
  std::uint32_t dimensions = 0;
  Hash model_hash{};
};

struct SegmentFileEntry {
  std::uint64_t first_chunk = 0;
  std::uint64_t generation = 0;
  std::uint64_t bytes = 0;
  Hash hash{};
};

struct Manifest {
  std::uint64_t segment_chunks = 0;
  std::uint64_t cursor = 0;
  std::uint64_t next_generation = 1;
  std::vector<SegmentFileEntry> entries;
};

inline constexpr std::string_view kManifestName = "manifest";
std::string SegmentFileName(const SegmentFileEntry& entry);

// Writes the file named by the entry's chunk and generation; answers the entry completed.
Result<SegmentFileEntry> WriteSegmentFile(const std::string& directory, SegmentFileEntry entry,
                                          const VectorIdentity& identity, std::uint64_t cursor,
                                          const Segment& segment);
// kCorrupt says what is wrong with the file; any bytes may be in it.
Result<std::unique_ptr<Segment>> ReadSegmentFile(const std::string& directory,
                                                 const SegmentFileEntry& entry,
                                                 const VectorIdentity& identity,
                                                 const RowFormat& format,
                                                 std::uint64_t segment_chunks);

// Replaces the manifest in one step: after a crash it is the old or the new one.
Status WriteManifest(const std::string& directory, const VectorIdentity& identity,
                     const Manifest& manifest);
Result<Manifest> ReadManifest(const std::string& directory, const VectorIdentity& identity);

}  // namespace perdure
