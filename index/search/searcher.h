// One search over one space, from the query to the answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/engine.h"
#include "index/search/fusion.h"
#include "index/search/query_embedder.h"
#include "index/search/search_service.h"
#include "index/search/space_index.h"
#include "index/search/visibility.h"
#include "index/text/text_index.h"

namespace perdure {

// All must outlive the call.
struct SearchContext {
  Engine* engine = nullptr;
  const SpaceIndex* index = nullptr;
  QueryEmbedder* queries = nullptr;
  const EmbedderInfo* model = nullptr;
  const SearchOptions* options = nullptr;
};

class Searcher {
 public:
  Searcher(const SearchContext& context, const SearchRequest& request)
      : in_(context), request_(request) {}

  Result<SearchAnswer> Run(const Principal& principal);

 private:
  using Hits = std::vector<TextHit>;
  using Marks = std::vector<std::uint64_t>;  // bit n: chunk n

  void WaitForIndexes(Seq seq);
  void EmbedQuery();
  Hits SearchLexically(std::size_t limit, const ChunkFilter& allowed);
  std::vector<VectorHit> SearchSemantically(std::size_t limit, ChunkPredicate allowed,
                                            std::size_t allowed_count);
  void Collect();
  void TakeLexical(const Hits& hits, bool as_candidates);
  void TakeSemantic(const std::vector<VectorHit>& hits, bool as_candidates);
  void CompleteScores(bool lexical_is_complete, bool semantic_is_complete);
  Marks MarkChunksOfCandidates(std::size_t& count) const;
  Candidate& CandidateFor(std::uint32_t memory);
  void AddPriors();
  Status ReadHits(const ReadView& view, SearchAnswer& answer);
  SearchHit HitOf(const Candidate& candidate, const Memory& memory) const;
  SearchArm LexicalArm(Seq seq) const;
  SearchArm SemanticArm(Seq seq) const;

  SearchContext in_;
  const SearchRequest& request_;
  std::optional<Visibility> visibility_;
  Micros as_of_ = 0;
  std::vector<QueryTerm> terms_;
  std::vector<float> vector_;  // empty: the semantic arm does not answer
  std::string lexical_failure_;
  std::string semantic_failure_;
  bool vectors_loading_ = false;
  bool unknown_language_ = false;
  double cosine_weight_ = 0;
  double max_cosine_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> candidate_of_;  // places in candidates_, by memory
  SearchTimings timings_;
};

}  // namespace perdure
