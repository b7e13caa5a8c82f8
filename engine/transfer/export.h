// A whole space as one file that can be checked without its store.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/engine.h"
#include "engine/proof/tree_head.h"

namespace perdure {

// A signed tree head in an export, with the key that it says it was signed with.
struct Seal {
  std::string verifier_key;
  std::string note;
  TreeHead head;
};

struct ExportReport {
  SpaceId space = 0;
  std::string name;
  Seq entries = 0;
  Seq payloads = 0;       // in the file
  Seq payloads_gone = 0;  // erased
  Hash root{};            // of the tree over all entries
  std::vector<Seal> seals;
  std::vector<Seq> suppressions;  // that were never lifted: without the secret they hold nowhere
  std::string secret;             // under a passphrase; empty when it stayed out
};

// Writes the space to `out`: entries and payload rows verbatim, the seals of an export that the
// space was adopted from, and, when these do not cover all entries, one by the space's own key. The
// space's secret goes along under `passphrase`, or stays out when that is empty. Checks what it
// writes: kCorrupt names the first bad entry. The engine should be open read-only or idle.
// `progress` gets the number of entries done so far.
Result<ExportReport> WriteExport(const Engine& engine, SpaceId space, std::ostream& out,
                                 const std::function<void(Seq)>& progress = {},
                                 const std::string& passphrase = {});

// The secret that the export brought. kForbidden for another passphrase.
Result<Secret> SecretOf(const ExportReport& report, const std::string& passphrase);

// Reads a whole export and checks all that can be checked without knowing its key beforehand: the
// container, chain, payloads, roots and signatures. kCorrupt names the first bad entry. `take`, if
// there is one, gets each entry once it and its payload row were checked.
using TakeEntry =
    std::function<Status(const std::string& entry, std::optional<std::string_view> payload)>;
Result<ExportReport> ReadExport(std::istream& in, const TakeEntry& take = {});

}  // namespace perdure
