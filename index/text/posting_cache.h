// Postings that searches have read from disk, decoded: reading them there takes ten times as long.
//
// Holds lists of one state of the index on disk. A flush carries them over to the next, unless it
// gives a number again that a chunk had before: then lists could speak of what is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "index/text/memory_part.h"
#include "index/text/posting.h"

namespace perdure {

// The postings of one key. Chunks that are gone may still be among them: their slots say so.
struct PostingList {
  std::vector<Posting> postings;  // by ascending chunk
  std::uint64_t chunks = 0;       // that have the term on disk
};

// Not thread-safe; lists are shared with whoever found them and never change.
class PostingCache {
 public:
  using List = std::shared_ptr<const PostingList>;
  using Lists = std::vector<std::pair<std::string, List>>;

  List Find(const std::string& key);  // nullptr: not here
  // Drops what was not asked for the longest until it has room.
  void Insert(const std::string& key, List list);
  void Clear();
  Lists All() const;  // the most recently used last

  // What these lists become when `part` is written to disk; longer ones than `list_max` postings
  // go.
  static Lists After(Lists lists, const MemoryPart& part, std::size_t list_max);

 private:
  static constexpr std::size_t kBytesMax = 64 << 20;
  struct Entry {
    std::string key;
    List list;
  };

  std::size_t bytes_ = 0;
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

}  // namespace perdure
