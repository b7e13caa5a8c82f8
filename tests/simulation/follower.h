// A follower of one space's log: the columns of a search, folded entry by entry as the index's own
// follower does (FoldEntry, Columns::Erase). The rest of that one needs threads, files and Xapian.
#pragma once

#include <memory>
#include <string>

#include "engine/proof/keys.h"
#include "engine/storage/state.h"
#include "index/search/columns.h"

namespace perdure::simulation {

class Follower {
 public:
  Follower(SpaceId space, const Secret& secret);

  SpaceId space() const { return space_; }
  Seq cursor() const { return cursor_; }
  const Hash& hash() const { return hash_; }  // of the entry at the cursor

  // Folds the next entry. After an error nothing has changed, and it can be tried again.
  Status Step(const StateReader& reader);
  // A bug: leaves the next entry out.
  void Skip() { ++cursor_; }

  // All that a search in `store` could see of the columns, in one text.
  std::string Describe(const StateReader& store) const;
  // Whether each memory is what its record says, in a store of which this has followed the log to
  // its end.
  bool Agrees(const StateReader& store) const;

 private:
  std::string DescribeMemory(const StateReader& store, std::uint32_t memory) const;
  bool HasText(const StateReader& store, const rows::Version& version) const;

  SpaceId space_;
  Secret secret_;
  std::unique_ptr<Columns> columns_;
  Seq cursor_ = 0;
  Hash hash_{};
};

}  // namespace perdure::simulation
