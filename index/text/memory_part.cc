#include "index/text/memory_part.h"

#include <algorithm>

#include "engine/base/check.h"

namespace perdure {

std::string KeyOfTerm(Generation generation, std::string_view term) {
  std::string key(1, generation == Generation::kCurrent ? 'C' : 'P');
  return key.append(term);
}

void MemoryPart::Add(ChunkNumber chunk, Generation generation, const DocumentTerms& terms) {
  Document document{generation, static_cast<std::uint16_t>(terms.length), {}};
  document.terms.reserve(terms.terms.size());
  for (const auto& [term, count] : terms.terms) {
    auto& entry = *terms_.try_emplace(KeyOfTerm(generation, term)).first;
    auto& postings = entry.second.postings;
    auto at = postings.end();
    if (!postings.empty() && postings.back().chunk >= chunk) {
      at = std::ranges::lower_bound(postings, chunk, {}, &Posting::chunk);
    }
    postings.insert(at, {chunk, count});
    ++entry.second.balance;
    document.terms.emplace_back(&entry, count);
  }
  const bool is_new = documents_.emplace(chunk, std::move(document)).second;
  PERDURE_CHECK(is_new);
}

void MemoryPart::Erase(ChunkNumber chunk) {
  const auto found = documents_.find(chunk);
  PERDURE_CHECK(found != documents_.end());
  for (const auto& [entry, count] : found->second.terms) {
    auto& [key, term] = *entry;
    term.postings.erase(std::ranges::lower_bound(term.postings, chunk, {}, &Posting::chunk));
    --term.balance;
    if (term.postings.empty() && term.balance == 0) terms_.erase(terms_.find(key));
  }
  documents_.erase(found);
}

void MemoryPart::RemoveBelow(ChunkNumber chunk, Generation generation, const DocumentTerms& terms) {
  for (const auto& [term, count] : terms.terms) --terms_[KeyOfTerm(generation, term)].balance;
  removed_below_.insert(chunk);
}

const MemoryPart::TermEntry* MemoryPart::Find(const std::string& key) const {
  const auto found = terms_.find(key);
  return found == terms_.end() ? nullptr : &found->second;
}

DocumentTerms MemoryPart::TermsOf(ChunkNumber chunk) const {
  const Document& document = documents_.at(chunk);
  DocumentTerms terms;
  terms.length = document.length;
  for (const auto& [entry, count] : document.terms) {
    terms.terms.push_back({entry->first.substr(1), count});
  }
  return terms;
}

}  // namespace perdure
