// The links at a memory, as a caller may see them.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/read/read_view.h"

namespace perdure {

struct LinkInfo {
  Seq link = 0;  // the LinkAdded entry
  Micros record_time = 0;
  Uuid from;
  Uuid to;
  std::string type;
};

// Both ways, oldest first: those whose other end the caller may see at the view's time. The errors
// of ReadView::Get for `id` itself.
Result<std::vector<LinkInfo>> ReadLinks(const ReadView& view, const Uuid& id);

}  // namespace perdure
