// The checkpoints of a space's columns.
//
//   DIR/<table>       rows (row_files.h)
//   DIR/meta.<seq>    a file of vector/file_io.h: which rows, and their hashes, are the log up to
//                     entry seq
//   meta := "PDCOLS1\n" identity(32) seq(8) entry hash(32) generation(8)
//           table*       in the order of ForEachTable
//   table := rows(8) block hash(32)*      one hash a block of kBlockRows rows, the last begun
//
// Several metas may stand side by side, since tables only grow: the one holds that the text index
// is at. Erasing rewrites labels and turns in place; a crash in the midst of it leaves hashes that
// do not match, and the columns are built anew.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "index/search/columns.h"
#include "index/search/row_files.h"

namespace perdure {

inline constexpr std::size_t kColumnTables = 10;

// A state of the columns that can be written while more is folded into them.
struct ColumnsCut {
  Seq seq = 0;
  Hash entry_hash{};
  std::uint64_t generation = 1;
  std::array<std::uint64_t, kColumnTables> rows{};
  bool labels_changed = false;  // rows that were written before are not what they were

  static ColumnsCut Of(const Columns& columns, Seq seq, const Hash& entry_hash,
                       std::uint64_t generation);
};

class ColumnsFile {
 public:
  // `identity` stands for whatever the rows depend on beside the log; files of another identity
  // are not loaded. Creates the directory if need be.
  static Result<ColumnsFile> Open(std::string directory, const Hash& identity);

  // Fills empty columns with the checkpoint at `seq` and returns its cut. kNotFound without one,
  // kCorrupt when it cannot be trusted. The columns read from this object's mappings.
  Result<ColumnsCut> Load(Seq seq, Columns& columns);
  // Writes the rows that are new and a meta file, synced. Not to be called beside Columns::Erase.
  Status Save(const Columns& columns, const ColumnsCut& cut);
  // Removes the metas of all other checkpoints.
  Status KeepOnly(Seq seq);

  std::uint64_t Bytes() const;

 private:
  ColumnsFile(std::string directory, const Hash& identity)
      : directory_(std::move(directory)), identity_(identity) {}
  std::string MetaPath(Seq seq) const;

  std::string directory_;
  Hash identity_;
  std::array<RowFileState, kColumnTables> written_;
  std::vector<std::unique_ptr<MappedRows>> mapped_;
};

}  // namespace perdure
