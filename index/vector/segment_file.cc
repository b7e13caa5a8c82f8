#include "index/vector/segment_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "index/vector/byte_io.h"
#include "index/vector/file_io.h"

namespace perdure {
namespace {

constexpr std::string_view kSegmentMagic = "PRDVSEG\n";
constexpr std::string_view kManifestMagic = "PRDVMAN\n";
constexpr std::uint32_t kFormat = 1;
constexpr std::uint32_t kRemovedBit = std::uint32_t{1} << 31;

std::unexpected<Error> Corrupt(std::string_view what) {
  return Fail(Code::kCorrupt, std::string(what));
}

void PutIdentity(ByteWriter& out, std::string_view magic, const VectorIdentity& identity) {
  out.Put(magic);
  out.Put(kFormat);
  out.Put(identity.dimensions);
  out.Put(AsBytes(identity.model_hash));
}

Status CheckIdentity(ByteReader& in, std::string_view magic, const VectorIdentity& identity) {
  std::string_view bytes;
  std::uint32_t number = 0;
  if (!in.Get(magic.size(), bytes) || bytes != magic) return Corrupt("has another magic number");
  if (!in.Get(number) || number != kFormat) return Corrupt("has another format version");
  if (!in.Get(number) || number != identity.dimensions) {
    return Corrupt("holds vectors of another number of dimensions");
  }
  if (!in.Get(sizeof(Hash), bytes) || bytes != AsBytes(identity.model_hash)) {
    return Corrupt("holds vectors of another model");
  }
  return {};
}

struct SegmentHeader {
  std::uint64_t first_chunk = 0;
  std::uint64_t generation = 0;
  std::uint64_t cursor = 0;
  std::uint32_t chunks = 0;
  std::uint32_t rows = 0;
  std::uint32_t frontier = 0;
  std::uint32_t graph_bytes = 0;
};

bool GetHeader(ByteReader& in, SegmentHeader& h) {
  return in.Get(h.first_chunk) && in.Get(h.generation) && in.Get(h.cursor) && in.Get(h.chunks) &&
         in.Get(h.rows) && in.Get(h.frontier) && in.Get(h.graph_bytes);
}

std::string EncodeFront(const SegmentHeader& h, const VectorIdentity& identity,
                        const std::vector<Segment::Chunk>& chunks) {
  ByteWriter out;
  PutIdentity(out, kSegmentMagic, identity);
  out.Put(h.first_chunk);
  out.Put(h.generation);
  out.Put(h.cursor);
  out.Put(h.chunks);
  out.Put(h.rows);
  out.Put(h.frontier);
  out.Put(h.graph_bytes);
  for (const Segment::Chunk& chunk : chunks) {
    out.Put(chunk.slot | (chunk.removed ? kRemovedBit : 0));
    out.Put(chunk.row);
  }
  return std::move(out).Take();
}

// Reads the chunk table: each slot below `slots_max` and above the one before, rows counted up.
Result<std::vector<Segment::Chunk>> ReadChunks(ByteReader& in, const SegmentHeader& header,
                                               std::uint64_t slots_max) {
  std::vector<Segment::Chunk> chunks;
  std::uint32_t rows = 0;
  for (std::uint32_t i = 0; i < header.chunks; ++i) {
    std::uint32_t slot = 0;
    std::uint32_t row = 0;
    if (!in.Get(slot) || !in.Get(row)) return Corrupt("ends within its chunk table");
    const bool removed = (slot & kRemovedBit) != 0;
    slot &= ~kRemovedBit;
    if (slot >= slots_max || (!chunks.empty() && slot <= chunks.back().slot)) {
      return Corrupt("has a chunk table that is out of order");
    }
    if (row > rows || row >= header.rows) return Corrupt("names a row that does not exist");
    rows = std::max(rows, row + 1);
    chunks.push_back({slot, row, removed});
  }
  if (rows != header.rows) return Corrupt("has rows without a chunk");
  return chunks;
}

// Fills the segment with the chunks and their rows, and answers how many rows lie below the
// frontier.
Result<std::uint32_t> FillSegment(const SegmentHeader& header, std::string_view rows,
                                  const std::vector<Segment::Chunk>& chunks, Segment& segment) {
  const std::size_t dimensions = segment.table().format().dimensions();
  // All that precedes the rows in a file has sizes that are multiples of a float's.
  const auto* values = reinterpret_cast<const float*>(rows.data());
  std::uint32_t below_frontier = 0;
  for (const Segment::Chunk& chunk : chunks) {
    const std::size_t rows_before = segment.row_count();
    segment.Add(chunk.slot, {values + chunk.row * dimensions, dimensions});
    if (chunk.removed) segment.Remove(chunk.slot);
    const bool is_new = chunk.row == rows_before;
    if (segment.row_count() != rows_before + (is_new ? 1 : 0)) {
      return Corrupt("holds a vector twice, or one vector for two");
    }
    if (is_new && chunk.slot < header.frontier) ++below_frontier;
  }
  return below_frontier;
}

}  // namespace

std::string SegmentFileName(const SegmentFileEntry& entry) {
  return fmt::format("{:016x}-{:016x}.segment", entry.first_chunk, entry.generation);
}

Result<SegmentFileEntry> WriteSegmentFile(const std::string& directory, SegmentFileEntry entry,
                                          const VectorIdentity& identity, std::uint64_t cursor,
                                          const Segment& segment) {
  const auto chunks = segment.Chunks();
  const auto rows = segment.RowOrder();
  const std::string graph = segment.graph() == nullptr ? "" : segment.graph()->Encode();
  const SegmentHeader header{entry.first_chunk,
                             entry.generation,
                             cursor,
                             static_cast<std::uint32_t>(chunks.size()),
                             static_cast<std::uint32_t>(rows.size()),
                             segment.frontier(),
                             static_cast<std::uint32_t>(graph.size())};
  ASSIGN_OR_RETURN(auto writer, HashedFileWriter::Create(directory + "/" + SegmentFileName(entry)));
  RETURN_IF_ERROR(writer.Append(EncodeFront(header, identity, chunks)));
  for (const std::uint32_t row : rows) {
    const auto vector = segment.table().Vector(row);
    RETURN_IF_ERROR(
        writer.Append({reinterpret_cast<const char*>(vector.data()), vector.size_bytes()}));
  }
  RETURN_IF_ERROR(writer.Append(graph));
  ASSIGN_OR_RETURN(entry.hash, writer.Finish());
  entry.bytes = writer.bytes_written();
  return entry;
}

Result<std::unique_ptr<Segment>> ReadSegmentFile(const std::string& directory,
                                                 const SegmentFileEntry& entry,
                                                 const VectorIdentity& identity,
                                                 const RowFormat& format,
                                                 std::uint64_t segment_chunks) {
  ASSIGN_OR_RETURN(const auto file, HashedFile::Open(directory + "/" + SegmentFileName(entry)));
  if (file.hash() != entry.hash) return Corrupt("is not the file that the manifest names");
  ByteReader in(file.content());
  RETURN_IF_ERROR(CheckIdentity(in, kSegmentMagic, identity));
  SegmentHeader header;
  if (!GetHeader(in, header)) return Corrupt("ends within its header");
  if (header.first_chunk != entry.first_chunk || header.generation != entry.generation) {
    return Corrupt("is of another segment or generation");
  }
  ASSIGN_OR_RETURN(const auto chunks, ReadChunks(in, header, segment_chunks));
  std::string_view rows;
  std::string_view graph_bytes;
  const std::size_t row_bytes = identity.dimensions * sizeof(float);
  if (!in.Get(header.rows * row_bytes, rows) || !in.Get(header.graph_bytes, graph_bytes)) {
    return Corrupt("ends within its vectors or its graph");
  }
  if (!in.AtEnd()) return Corrupt("has stray bytes after its graph");

  auto segment = std::make_unique<Segment>(format, entry.first_chunk);
  ASSIGN_OR_RETURN(const std::uint32_t nodes, FillSegment(header, rows, chunks, *segment));
  if (graph_bytes.empty() && header.frontier == 0) return segment;
  std::vector<const RowCode*> codes;
  for (const std::uint32_t row : segment->RowOrder()) codes.push_back(segment->table().CodeOf(row));
  ASSIGN_OR_RETURN(auto graph, Graph::Decode(graph_bytes, format, codes));
  if (graph->size() != nodes) return Corrupt("has a graph of other rows");
  segment->Restore(std::move(graph), header.frontier);
  return segment;
}

Status WriteManifest(const std::string& directory, const VectorIdentity& identity,
                     const Manifest& manifest) {
  ByteWriter out;
  PutIdentity(out, kManifestMagic, identity);
  out.Put(manifest.segment_chunks);
  out.Put(manifest.cursor);
  out.Put(manifest.next_generation);
  out.Put(static_cast<std::uint32_t>(manifest.entries.size()));
  for (const SegmentFileEntry& entry : manifest.entries) {
    out.Put(entry.first_chunk);
    out.Put(entry.generation);
    out.Put(entry.bytes);
    out.Put(AsBytes(entry.hash));
  }
  const std::string path = directory + "/" + std::string(kManifestName);
  ASSIGN_OR_RETURN(auto writer, HashedFileWriter::Create(path + ".new"));
  RETURN_IF_ERROR(writer.Append(out.bytes()));
  if (auto hash = writer.Finish(); !hash) return std::unexpected(std::move(hash).error());
  RETURN_IF_ERROR(RenameFile(path + ".new", path));
  return SyncDirectory(directory);
}

Result<Manifest> ReadManifest(const std::string& directory, const VectorIdentity& identity) {
  ASSIGN_OR_RETURN(const auto file, HashedFile::Open(directory + "/" + std::string(kManifestName)));
  ByteReader in(file.content());
  RETURN_IF_ERROR(CheckIdentity(in, kManifestMagic, identity));
  Manifest manifest;
  std::uint32_t count = 0;
  if (!in.Get(manifest.segment_chunks) || !in.Get(manifest.cursor) ||
      !in.Get(manifest.next_generation) || !in.Get(count)) {
    return Corrupt("ends within its header");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    SegmentFileEntry entry;
    std::string_view hash;
    if (!in.Get(entry.first_chunk) || !in.Get(entry.generation) || !in.Get(entry.bytes) ||
        !in.Get(sizeof(Hash), hash)) {
      return Corrupt("ends within its list of files");
    }
    std::memcpy(entry.hash.data(), hash.data(), sizeof(Hash));
    if (!manifest.entries.empty() && entry.first_chunk <= manifest.entries.back().first_chunk) {
      return Corrupt("lists its files out of order");
    }
    manifest.entries.push_back(entry);
  }
  if (!in.AtEnd()) return Corrupt("has stray bytes after its list of files");
  return manifest;
}

}  // namespace perdure
