// What is known about a subject.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/read/read_view.h"

namespace perdure {

struct FactQuery {
  std::string subject;
  std::string predicate;           // empty: any
  std::optional<ScopePath> scope;  // the subtree; absent: the caller's own scope
  bool history = false;            // the chain, too
};

struct FactAnswer {
  std::vector<Memory> facts;  // that stand at the view's times; the latest first
  std::vector<Memory> chain;  // all that ever stood, oldest first; of each predicate and scope
};

// Subject and predicate are compared in canonical form. Of a symmetric predicate the subject may
// be at either end. Cost: one row for each fact of the subject in any scope, one read of the store
// for each in scope.
Result<FactAnswer> FactsAbout(const ReadView& view, const FactQuery& query);

}  // namespace perdure
