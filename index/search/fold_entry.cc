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
  Columns::Keys keys;
  if (text) {
    spans = SpansOf(*text);
    keys = {FilterKeys(*text, from.secret), SessionKey(*text, from.secret), std::nullopt};
    if (!text->speaker.empty()) keys.speaker = SpeakerKey(from.secret, text->speaker);
  }
  const Columns::Change change = columns.Fold(*entry, after, spans, keys);
  return FoldedEntry{std::move(entry), change, std::move(text)};
}

}  // namespace perdure
