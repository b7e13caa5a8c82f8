#include "index/search/fold_entry.h"

#include <utility>
#include <vector>

namespace perdure {

Result<FoldedEntry> FoldEntry(const FoldSource& from, Seq seq, Columns& columns) {
  ASSIGN_OR_RETURN(Entry entry, ReadEntry(from.reader, from.space, seq));
  ASSIGN_OR_RETURN(const auto after, columns.RecordAfter(*entry));
  std::optional<VersionText> text;
  if (after && VersionMadeBy(*entry) != 0) {
    ASSIGN_OR_RETURN(text, ReadVersionText(from.reader, from.space, after->text_seq,
                                           after->label_seq, from.embedder));
  }
  std::vector<ChunkSpan> spans;
  std::vector<ValueKey> labels;
  if (text) {
    spans = SpansOf(*text);
    labels = FilterKeys(*text, from.secret);
  }
  const Columns::Change change = columns.Fold(*entry, after, spans, labels);
  return FoldedEntry{std::move(entry), change, std::move(text)};
}

}  // namespace perdure
