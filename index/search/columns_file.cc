#include "index/search/columns_file.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/base/hash.h"
#include "index/vector/byte_io.h"
#include "index/vector/file_io.h"

namespace perdure {
namespace {

constexpr std::string_view kMagic = "PDCOLS2\n";

// Labels and turns change after they were written, and row 0 of containers is always there: those
// four are copied, the others stay mapped.
template <typename C, typename Visit>
Status ForEachTable(C& columns, Visit visit) {
  std::size_t number = 0;
  RETURN_IF_ERROR(visit(number++, "memories", columns.memories, true));
  RETURN_IF_ERROR(visit(number++, "states", columns.states, true));
  RETURN_IF_ERROR(visit(number++, "versions", columns.versions, true));
  RETURN_IF_ERROR(visit(number++, "chunks", columns.chunks, true));
  RETURN_IF_ERROR(visit(number++, "label_refs", columns.label_refs, false));
  RETURN_IF_ERROR(visit(number++, "label_keys", columns.label_keys, false));
  RETURN_IF_ERROR(visit(number++, "containers", columns.containers, false));
  RETURN_IF_ERROR(visit(number++, "scopes", columns.scopes, true));
  RETURN_IF_ERROR(visit(number++, "valid_spans", columns.valid_spans, true));
  return visit(number++, "turns", columns.turns, false);
}

bool IsErasedInPlace(std::string_view table) {
  return table.starts_with("label_") || table == "turns";
}

template <typename Row>
std::string_view BytesOf(std::span<const Row> rows) {
  return {reinterpret_cast<const char*>(rows.data()), rows.size_bytes()};
}

std::string EncodeMeta(const Hash& identity, const ColumnsCut& cut,
                       const std::array<RowFileState, kColumnTables>& tables) {
  ByteWriter out;
  out.Put(kMagic);
  out.Put(AsBytes(identity));
  out.Put(cut.seq);
  out.Put(AsBytes(cut.entry_hash));
  out.Put(cut.generation);
  for (const RowFileState& table : tables) {
    out.Put(table.rows);
    for (const Hash& hash : table.blocks) out.Put(AsBytes(hash));
  }
  return std::move(out).Take();
}

bool ReadHash(ByteReader& in, Hash& hash) {
  std::string_view bytes;
  if (!in.Get(hash.size(), bytes)) return false;
  std::memcpy(hash.data(), bytes.data(), hash.size());
  return true;
}

Status DecodeMeta(std::string_view bytes, const Hash& identity, ColumnsCut& cut,
                  std::array<RowFileState, kColumnTables>& tables) {
  const auto malformed = Fail(Code::kCorrupt, "The columns' meta file is malformed.");
  ByteReader in(bytes);
  std::string_view magic;
  Hash of{};
  if (!in.Get(kMagic.size(), magic) || magic != kMagic || !ReadHash(in, of)) return malformed;
  if (of != identity) {
    return Fail(Code::kCorrupt, "The columns were built by another release or for another model.");
  }
  if (!in.Get(cut.seq) || !ReadHash(in, cut.entry_hash) || !in.Get(cut.generation)) {
    return malformed;
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!in.Get(tables[i].rows) || tables[i].rows >= kNoRow) return malformed;
    cut.rows[i] = tables[i].rows;
    tables[i].blocks.resize((tables[i].rows + kBlockRows - 1) / kBlockRows);
    for (Hash& hash : tables[i].blocks) {
      if (!ReadHash(in, hash)) return malformed;
    }
  }
  if (!in.AtEnd()) return malformed;
  return {};
}

template <typename Row>
Status LoadTable(const std::string& path, const RowFileState& state, bool stays_mapped,
                 BlockedTable<Row>& table, std::vector<std::unique_ptr<MappedRows>>& mapped) {
  ASSIGN_OR_RETURN(MappedRows rows, MappedRows::Open(path, sizeof(Row), state));
  const Row* first = static_cast<const Row*>(rows.data());
  if (stays_mapped) {
    table.Attach(first, state.rows);
    mapped.push_back(std::make_unique<MappedRows>(std::move(rows)));
  } else {
    for (std::size_t r = table.size(); r < state.rows; ++r) table.Append(first[r]);
  }
  return {};
}

template <typename Row>
Status SaveTable(const std::string& path, const BlockedTable<Row>& table, std::uint64_t from,
                 std::uint64_t rows, RowFileState& state) {
  ASSIGN_OR_RETURN(RowFileWriter file, RowFileWriter::Open(path, from * sizeof(Row)));
  state.blocks.resize((rows + kBlockRows - 1) / kBlockRows);
  for (std::uint64_t b = from / kBlockRows; b * kBlockRows < rows; ++b) {
    const std::string_view bytes = BytesOf(table.Block(b, rows));
    state.blocks[b] = Sha256(bytes);
    const std::uint64_t known = from > b * kBlockRows ? from - b * kBlockRows : 0;
    const std::string_view added = bytes.substr(known * sizeof(Row));
    RETURN_IF_ERROR(file.Append(added.data(), added.size()));
  }
  RETURN_IF_ERROR(file.Sync());
  state.rows = rows;
  return {};
}

}  // namespace

ColumnsCut ColumnsCut::Of(const Columns& columns, Seq seq, const Hash& entry_hash,
                          std::uint64_t generation) {
  ColumnsCut cut{seq, entry_hash, generation, {}, false};
  const Status counted =
      ForEachTable(columns, [&](std::size_t i, auto, auto& table, bool) -> Status {
        cut.rows[i] = table.size();
        return {};
      });
  PERDURE_CHECK(counted.has_value());
  return cut;
}

Result<ColumnsFile> ColumnsFile::Open(std::string directory, const Hash& identity) {
  RETURN_IF_ERROR(MakeDirectory(directory));
  return ColumnsFile(std::move(directory), identity);
}

std::string ColumnsFile::MetaPath(Seq seq) const {
  return fmt::format("{}/meta.{}", directory_, seq);
}

Result<ColumnsCut> ColumnsFile::Load(Seq seq, Columns& columns) {
  const std::string path = MetaPath(seq);
  if (!std::filesystem::exists(path)) return Fail(Code::kNotFound, "There is no checkpoint.");
  ASSIGN_OR_RETURN(const HashedFile meta, HashedFile::Open(path));
  ColumnsCut cut;
  RETURN_IF_ERROR(DecodeMeta(meta.content(), identity_, cut, written_));
  if (cut.seq != seq) return Fail(Code::kCorrupt, "The columns' meta file bears a false name.");
  const auto load = [&](std::size_t i, const char* name, auto& table, bool stays_mapped) {
    return LoadTable(directory_ + "/" + name, written_[i], stays_mapped, table, mapped_);
  };
  RETURN_IF_ERROR(ForEachTable(columns, load));
  RETURN_IF_ERROR(columns.FinishLoading());
  return cut;
}

Status ColumnsFile::Save(const Columns& columns, const ColumnsCut& cut) {
  const auto save = [&](std::size_t i, const char* name, auto& table, bool) -> Status {
    const bool anew = cut.labels_changed && IsErasedInPlace(name);
    const std::uint64_t from = anew ? 0 : written_[i].rows;
    if (from == cut.rows[i]) return {};
    return SaveTable(directory_ + "/" + name, table, from, cut.rows[i], written_[i]);
  };
  RETURN_IF_ERROR(ForEachTable(columns, save));
  const std::string path = MetaPath(cut.seq);
  ASSIGN_OR_RETURN(HashedFileWriter meta, HashedFileWriter::Create(path + ".new"));
  RETURN_IF_ERROR(meta.Append(EncodeMeta(identity_, cut, written_)));
  ASSIGN_OR_RETURN([[maybe_unused]] const Hash hash, meta.Finish());
  RETURN_IF_ERROR(RenameFile(path + ".new", path));
  return SyncDirectory(directory_);
}

Status ColumnsFile::KeepOnly(Seq seq) {
  const std::string kept = MetaPath(seq);
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory_, error)) {
    const std::string path = file.path();
    if (file.path().filename().string().starts_with("meta.") && path != kept) {
      RETURN_IF_ERROR(RemoveFile(path));
    }
  }
  return {};
}

std::uint64_t ColumnsFile::Bytes() const {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory_, error)) {
    const auto size = file.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace perdure
