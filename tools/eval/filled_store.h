// A store of its own, filled with the items of a set through the engine's commands, and indexed.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/decide/principal.h"
#include "tools/eval/question_set.h"
#include "tools/house.h"

namespace perdure::eval {

class FilledStore {
 public:
  struct Place {
    std::string directory;
    std::string model_dir;
    bool keep = false;  // it stays, and one that is there already is used again
  };
  // Stores each item in the container of its scope's name: a turn of a conversation as an episode
  // (conversation: the scope; position: its place in the scope), anything else as a note. Then pins
  // and archives what the set says is pinned or superseded, and returns when both arms hold it all.
  static Result<std::unique_ptr<FilledStore>> Make(const QuestionSet& set, const Place& place);
  ~FilledStore();

  House& house() { return *house_; }
  const Principal& principal() const { return principal_; }
  // The number of the memory that holds an item, by the item's place: equal items share one.
  const std::vector<std::size_t>& memory_of_item() const { return memory_of_item_; }
  // By a memory's id; nullptr when it holds no item.
  const std::size_t* Find(const Uuid& id) const;

 private:
  Status Open();
  Status Store(const QuestionSet& set);
  Status Mark(const QuestionSet& set);
  Status AwaitIndexes(const std::string& name);

  Place place_;
  Principal principal_;
  std::unique_ptr<House> house_;
  std::vector<Uuid> ids_;  // by number
  std::map<Uuid, std::size_t> numbers_;
  std::vector<std::size_t> memory_of_item_;
};

}  // namespace perdure::eval
