// The current state of a space, or of a scope in it, as a text file: one JSON object a line.
//
//   {"perdure_state": 1, "space": NAME, "scope": SCOPE, "seq": SEQ, "counts": {KIND: N}}
//   a memory as memory_get answers it, without what depends on the time of the call
//   {"end": ROWS, "sha256": of all bytes before this line}
//
// Memories come in the order of their ids; what is erased has none. The file holds no clock, host
// or version of a program: the same state gives the same bytes.
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include "engine/engine.h"
#include "tools/import/rows.h"

namespace perdure {

struct StateReport {
  std::string space;
  std::string scope;
  Seq seq = 0;
  std::map<std::string, std::uint64_t> counts;  // by kind
  std::uint64_t rows = 0;
};

Result<StateReport> WriteState(const Engine& engine, SpaceId space, const ScopePath& scope,
                               std::ostream& out);

// Reads one: the whole file is checked before the first row is taken, so it is read twice. What was
// not live is skipped. kCorrupt names the line at fault.
Result<StateReport> ReadState(const std::string& path, const TakeRow& take);

}  // namespace perdure
