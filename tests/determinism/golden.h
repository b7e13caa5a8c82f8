// Golden logs: exports of past format versions that must fold to the same projections for ever.
//
//   DIR/system.export, DIR/main.export     exports of two spaces of one store; never changed
//   DIR/expected.txt                       lines of three words:
//     secret SPACE hex        the space's secret, of which value keys are made
//     root SPACE hex          root of the tree over all its entries
//     projections all hex     digest of all projections of both
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/proof/keys.h"
#include "schema/entry_generated.h"
#include "support/test_engine.h"

namespace perdure::testing {

struct Golden {
  std::string directory;
  std::map<std::string, Secret> secrets;     // by space
  std::map<std::string, std::string> roots;  // hex
  std::string projections;                   // hex
};

Result<Golden> ReadGolden(const std::string& directory);
// Writes both exports of the engine and what is expected of them: its own, live projections.
Result<Golden> WriteGolden(TestEngine& engine, const std::string& directory);

// A short life of a store that appends every kind of event.
void LiveThroughEveryEvent(TestEngine& engine);

// The ways in which a log can become projections.
enum class Fold {
  kEntryByEntry,  // each entry in a batch of its own, as a quiet live store does
  kInBatches,     // as replay and adoption do
  kFromSnapshot,  // half of it; then a copy of the store's files is opened and goes on
};
inline constexpr Fold kFolds[] = {Fold::kEntryByEntry, Fold::kInBatches, Fold::kFromSnapshot};
const char* NameOf(Fold fold);

struct Folded {
  std::string projections;                   // hex
  std::map<std::string, std::string> roots;  // hex, by space
  std::set<fb::Event> kinds;                 // of events
};
// Folds the golden log but for its last `left_out` entries in `main`.
Result<Folded> FoldGolden(const Golden& golden, Fold fold, std::size_t left_out = 0);

}  // namespace perdure::testing
