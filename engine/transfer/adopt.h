// A space comes back from its export: the same entries under the same seqs, times and actors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/transfer/export.h"

namespace perdure {

struct AdoptReport {
  ExportReport file;
  Seq written = 0;  // entries that were not there yet
};

// Gives the space that the export is of, made when there is none, the export's own secret, so that
// what was rejected there stays out here too. To be called before AdoptExport, with the store open
// nowhere. kConflict when the space has entries under another secret.
Status PlaceSecret(const std::string& directory, const ExportReport& file, const Secret& secret,
                   Clock& clock, Random& random);

// Adopts the export in `file` into the store in `directory`, which nobody has open. The whole file
// is checked before the first byte is written. It goes into the space of its name and number, made
// when there is none: a space without entries, or one whose entries are the beginning of the file,
// which an adoption that was cut short leaves behind. kConflict for any other; nothing is written
// then. The space has keys of its own, so that suppressions hold only after PlaceSecret; the seals
// of the file are kept beside the log, so that an export of it has the same bytes until something
// is added. `progress` gets the number of entries done so far.
Result<AdoptReport> AdoptExport(const std::string& directory, const std::string& file, Clock& clock,
                                Random& random, const std::function<void(Seq)>& progress = {});

}  // namespace perdure
