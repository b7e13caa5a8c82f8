// Rows become writes of the caller, through every gate, in batches.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/import/rows.h"
#include "tools/session.h"

namespace perdure {

struct ImportReport {
  std::uint64_t rows = 0;
  std::uint64_t stored = 0;      // new, or new when this import ran before
  std::uint64_t known = 0;       // there already, from elsewhere
  std::uint64_t candidates = 0;  // wait for a reviewer
  std::uint64_t refused = 0;     // by a gate
  std::uint64_t failed = 0;      // could be no call
  std::uint64_t skipped = 0;     // on purpose
  bool stopped = false;          // before the end, by request
  // What was not stored, and why, in the order of the rows.
  struct Left {
    std::uint64_t line = 0;
    std::string what;  // "refused", "failed", "skipped"
    std::string why;
  };
  std::vector<Left> left;
};

struct ImportRun {
  std::string name;   // of what is imported: the same again has no further effect
  std::string scope;  // for rows without one; empty: the token's own
  bool dry_run = false;
  std::function<bool()> stop;                   // asked between batches
  std::function<void(std::uint64_t)> progress;  // rows done so far
};

// Calls memory_store_many and fact_assert_many. A batch with a row that is refused is done again
// row by row, so that the others go in. Each call has an idempotency key made of the name and the
// number of its first row: an import that was cut short is repeated from the start and stores each
// row once.
class Importer {
 public:
  Importer(Session& session, ImportRun run) : session_(session), run_(std::move(run)) {}

  // kUnavailable ends the import for good; `stopped` of the report tells that it was asked to.
  Status Take(ImportRow row);
  Result<ImportReport> Finish();
  bool WasStopped() const { return report_.stopped; }

 private:
  Status Flush();
  Status Send(bool partial);
  Status SendEach();
  void Count(const ImportRow& row, const nlohmann::json& result);
  void Leave(const ImportRow& row, const char* what, std::string why);

  Session& session_;
  const ImportRun run_;
  ImportReport report_;
  std::vector<ImportRow> batch_;
  std::size_t batch_bytes_ = 0;
  std::uint64_t sent_ = 0;  // rows before the batch that were calls
};

}  // namespace perdure
