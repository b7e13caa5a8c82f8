// A store of its own in which the items of a set came to be what the set says: superseded,
// rejected, resolved, another user's; all by the product's own commands.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/decide/principal.h"
#include "engine/model/scope.h"
#include "tools/eval/governance_set.h"
#include "tools/house.h"

namespace perdure::eval {

// The place of a user's part: a container of the user.
ScopePath PlaceOf(const std::string& user, const std::string& part);

class GovernedStore {
 public:
  // In `directory`, which is made and removed at the end. What supersedes or is superseded is
  // stored as facts of one slot, in the order of their times; anything else as notes. Returns when
  // the indexes hold it all.
  static Result<std::unique_ptr<GovernedStore>> Make(const GovernedSet& set,
                                                     const std::string& directory,
                                                     const std::string& model_dir);
  ~GovernedStore();

  House& house() { return *house_; }
  // The item that the memory holds; nullptr for none.
  const GovernedItem* Find(const Uuid& id) const;

 private:
  Status Open(const std::string& model_dir);
  Status StoreAll(const GovernedSet& set);
  Status StoreChains(const GovernedSet& set);
  Status StoreNote(const GovernedItem& item);
  Status StoreFact(const GovernedItem& item, const std::string& subject);
  Status Settle(const GovernedItem& item, const Uuid& id);
  Result<Uuid> Write(const GovernedItem& item, Command command);

  std::string directory_;
  Principal writer_;
  std::unique_ptr<House> house_;
  std::map<Uuid, const GovernedItem*> items_;
};

}  // namespace perdure::eval
