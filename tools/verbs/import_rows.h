// `perdure import` without --adopt: commands of the caller, through every gate.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "tools/program.h"

namespace perdure {

struct RowsChoice {
  std::string file;
  std::string format;  // empty: by what stands in the file
  std::string fields;  // of jsonl and csv: "text=body,title=name"
  std::string scope;   // for rows that name none
  bool dry_run = false;
};

Result<int> ImportRows(const Program& program, const RowsChoice& choice);

}  // namespace perdure
