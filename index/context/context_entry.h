// One memory of a context pack as text, and what counts as saying the same.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "index/context/context_pack.h"

namespace perdure {

// Long texts are cut at about a page.
ContextEntry EntryOf(Memory memory, ContextReason reason, const std::optional<Uuid>& disputed_by);

// What has been said, in canonical form. Texts that differ in a number say different things, so
// nothing less than that is the same.
class Sayings {
 public:
  std::optional<Uuid> SameAs(const Memory& memory) const;
  void Add(const Memory& memory);

 private:
  std::map<std::string, Uuid> said_;
};

}  // namespace perdure
