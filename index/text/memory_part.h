// The part of a text index that is not on disk yet: an inverted index of its documents, and what
// it takes away from the layers below.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "index/text/slot_table.h"
#include "index/text/terms.h"

namespace perdure {

// A term of one generation, as it stands in the index: 'C' or 'P', then the term.
std::string KeyOfTerm(Generation generation, std::string_view term);

// Not thread-safe; constant once sealed.
class MemoryPart {
 public:
  struct TermEntry {
    std::vector<Posting> postings;  // by ascending chunk
    std::int64_t balance = 0;       // chunks with the term: added here less removed below
  };
  using TermMap = std::unordered_map<std::string, TermEntry>;

  struct Document {
    Generation generation = Generation::kCurrent;
    std::uint16_t length = 0;
    std::vector<std::pair<TermMap::value_type*, std::uint32_t>> terms;  // sorted by term
  };

  explicit MemoryPart(Layer layer) : layer_(layer) {}
  ~MemoryPart() = default;
  MemoryPart(const MemoryPart&) = delete;
  MemoryPart& operator=(const MemoryPart&) = delete;

  Layer layer() const { return layer_; }

  void Add(ChunkNumber chunk, Generation generation, const DocumentTerms& terms);
  // Takes back a document of this part.
  void Erase(ChunkNumber chunk);
  // Notes that a document of a layer below is gone.
  void RemoveBelow(ChunkNumber chunk, Generation generation, const DocumentTerms& terms);

  // One of its documents has a number that another had before it.
  void NoteReuse() { reuses_numbers_ = true; }
  bool reuses_numbers() const { return reuses_numbers_; }

  const TermEntry* Find(const std::string& key) const;
  DocumentTerms TermsOf(ChunkNumber chunk) const;

  const std::map<ChunkNumber, Document>& documents() const { return documents_; }
  const std::set<ChunkNumber>& removed_below() const { return removed_below_; }

 private:
  Layer layer_;
  TermMap terms_;
  std::map<ChunkNumber, Document> documents_;
  std::set<ChunkNumber> removed_below_;
  bool reuses_numbers_ = false;
};

}  // namespace perdure
