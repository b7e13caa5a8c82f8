// One entry of a log folded into a space's columns: what following does with it before any index.
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "index/embed/embedder.h"
#include "index/search/columns.h"
#include "index/search/version_text.h"

namespace perdure {

// What the columns of a space are folded from. All must outlive the calls.
struct FoldSource {
  const StateReader& reader;
  SpaceId space;
  const Secret& secret;
  const Embedder& embedder;  // asked for the length of texts
};

struct FoldedEntry {
  Entry entry;
  Columns::Change change;
  std::optional<VersionText> text;  // of the version that it made, if the payloads are there
};

// Folds entry `seq`, the next one. After an error nothing has changed, and it can be tried again.
Result<FoldedEntry> FoldEntry(const FoldSource& from, Seq seq, Columns& columns);

}  // namespace perdure
