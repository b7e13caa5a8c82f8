#include "index/text/posting_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perdure {
namespace {

constexpr std::size_t kEntryBytes = 256;  // about, beside the postings
constexpr std::size_t kStaleMin = 1024;   // of a list, before it is worth reading again

std::size_t BytesOf(const PostingList& list) {
  return kEntryBytes + list.postings.size() * sizeof(Posting);
}

PostingCache::List Merged(const PostingList& list, const MemoryPart::TermEntry& added) {
  auto merged = std::make_shared<PostingList>();
  merged->chunks = list.chunks + static_cast<std::uint64_t>(added.balance);
  merged->postings.reserve(list.postings.size() + added.postings.size());
  std::ranges::merge(list.postings, added.postings, std::back_inserter(merged->postings), {},
                     &Posting::chunk, &Posting::chunk);
  return merged;
}

}  // namespace

PostingCache::List PostingCache::Find(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->list;
}

void PostingCache::Insert(const std::string& key, List list) {
  const std::size_t bytes = BytesOf(*list);
  if (bytes > kBytesMax || by_key_.contains(key)) return;
  for (bytes_ += bytes; bytes_ > kBytesMax; entries_.pop_back()) {
    bytes_ -= BytesOf(*entries_.back().list);
    by_key_.erase(entries_.back().key);
  }
  entries_.push_front({key, std::move(list)});
  by_key_.emplace(key, entries_.begin());
}

void PostingCache::Clear() {
  entries_.clear();
  by_key_.clear();
  bytes_ = 0;
}

PostingCache::Lists PostingCache::All() const {
  Lists lists;
  for (const Entry& entry : entries_) lists.emplace_back(entry.key, entry.list);
  std::ranges::reverse(lists);
  return lists;
}

PostingCache::Lists PostingCache::After(Lists lists, const MemoryPart& part, std::size_t list_max) {
  if (part.reuses_numbers()) return {};
  std::erase_if(lists, [&](auto& entry) {
    auto& [key, list] = entry;
    if (const auto* added = part.Find(key)) list = Merged(*list, *added);
    const std::size_t postings = list->postings.size();
    return postings > list_max || postings > 2 * list->chunks + kStaleMin;
  });
  return lists;
}

}  // namespace perdure
