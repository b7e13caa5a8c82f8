// The rules that bind an entry to the one before: same space, next seq, later time, its hash.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/log/entry.h"

namespace perdure {

// What Next says of an entry that does not fit the one before: either of them was altered.
inline constexpr std::string_view kUnlinked = "does not carry the hash of the one before";

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

// Of an entry that does not carry the hash of the one before, one of the two was altered. Whether
// it is the one before: the entry itself is as the next one, or the stored head, says. `next` holds
// the bytes of the next entry, nullptr for none.
bool IsConfirmed(std::string_view bytes, const std::string* next, const LogHead& stored_head);

}  // namespace perdure
