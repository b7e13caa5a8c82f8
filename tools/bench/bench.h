// The measurements behind `perdure bench`. Each runs in a scratch directory, several times, and
// gives medians beside the peer or physical limit measured in the same run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace perdure::bench {

struct Options {
  std::string directory;  // scratch; made and removed
  std::size_t size = 0;   // entries or memories; 0 for the measurement's own default
  int runs = 5;
  bool all_notes = false;  // of Open: every entry stores a memory, not one in ten
  bool keep = false;  // the filled stores stay in `directory`, and those of a run before are used
};

using Measurement = std::function<Result<nlohmann::json>(const Options&)>;

struct Named {
  const char* name;
  const char* about;
  Measurement run;
};
// Every measurement, in the order `perdure bench` lists them.
const std::vector<Named>& All();

Result<nlohmann::json> Write(const Options& options);
Result<nlohmann::json> Facts(const Options& options);
Result<nlohmann::json> AsOf(const Options& options);
Result<nlohmann::json> Open(const Options& options);
Result<nlohmann::json> Replay(const Options& options);
Result<nlohmann::json> Search(const Options& options);

}  // namespace perdure::bench
