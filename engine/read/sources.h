// The folders that stores mirror.
#pragma once

#include <string>
#include <vector>

#include "engine/read/read_view.h"

namespace perdure {

struct SourceInfo {
  Seq source = 0;  // the SourceAdded entry
  Micros added = 0;
  std::string store;
  std::string root;
  std::string settings;  // a JSON object; empty once its payload is erased
};

// Those in force at the view's time, oldest first. kForbidden unless the caller operates the whole
// space: a folder's path is nobody else's.
Result<std::vector<SourceInfo>> ListSources(const ReadView& view);

}  // namespace perdure
