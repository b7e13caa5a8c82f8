// Tombstone bundles: what a log has learnt to leave out since a point that an older copy of it has,
// each entry with the proof that it is in the log. For a copy that comes back: a restored backup,
// an adopted export.
//
// A text file, one JSON object a line; hashes and bytes are base64, the digests hex:
//   {"perdure_tombstones": 1, "space": NAME, "since": SEQ, "tree_head": NOTE, "verifier_key": KEY,
//    "consistency": [HASH*], "secret": SHA-256("perdure secret 1" secret)}
//   {"entry": BYTES, "path": [HASH*], "payload": BYTES}      in order; the payload where it is kept
//   {"end": ENTRIES, "sha256": of all bytes before this line}
// The entries after SEQ that suppress a value, lift a suppression, erase a memory, or make a scope
// node that a suppression may name. "consistency" proves that the tree of the first SEQ entries is
// the beginning of the one that the tree head covers.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/engine.h"
#include "engine/proof/tree_head.h"

namespace perdure {

struct Tombstones {
  std::string space;
  Seq since = 0;
  TreeHead head;
  std::string verifier_key;
  std::vector<Hash> consistency;
  std::string secret_digest;  // hex
  std::vector<Entry> entries;
  std::map<Seq, PayloadRow> payloads;
};

// Those of the space since entry `since`; 0 for all. kCorrupt when the log cannot be proved.
Result<Tombstones> WriteTombstones(const Engine& engine, SpaceId space, Seq since,
                                   std::ostream& out);

// Reads a bundle and checks what can be checked without the log that it is for: form, signature,
// and that each entry and payload is one of the tree. kCorrupt names the line at fault.
Result<Tombstones> ReadTombstones(std::istream& in);

struct CarryReport {
  Seq erased = 0;      // memories
  Seq suppressed = 0;  // values
  Seq forgotten = 0;   // memories that had such a value
  Seq lifted = 0;
  Seq known = 0;  // entries that this log has, or that it took over before
  // Suppressions that cannot hold here, because the space has another secret.
  std::vector<Seq> not_carried;
};

// Takes the tombstones over into the space of their name, as entries of its own. Its log must begin
// as theirs did up to `since`, and their tree head be signed by a key of this space, of an export
// that it was adopted from, or by one of `trusted` (verifier keys). Again: no further effect.
Result<CarryReport> CarryTombstones(Engine& engine, const Tombstones& tombstones,
                                    const std::vector<std::string>& trusted = {});

}  // namespace perdure
