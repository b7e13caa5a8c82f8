// The rules that bind an entry to the one before: same space, next seq, later time, its hash.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/log/entry.h"

namespace perdure {

class Chain {
 public:
  // `head` is where the entries so far end.
  explicit Chain(SpaceId space, LogHead head = {}) : space_(space), head_(head) {}

  // Trusts `entry` as the last one so far.
  void StartAfter(const fb::Entry& entry, std::string_view bytes);

  // Checks the next entry's bytes. kCorrupt, with "seq" in the details, names what is wrong.
  Status Next(const std::string& bytes);

  const LogHead& head() const { return head_; }

 private:
  SpaceId space_;
  LogHead head_;
};

}  // namespace perdure
