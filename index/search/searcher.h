// One search over one space, from the query to the answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/engine.h"
#include "index/search/conversation.h"
#include "index/search/fusion.h"
#include "index/search/query_embedder.h"
#include "index/search/search_service.h"
#include "index/search/space_index.h"
#include "index/search/visibility.h"
#include "index/text/text_index.h"
#include "index/time/time_reading.h"

namespace perdure {

// All must outlive the call.
struct SearchContext {
  Engine* engine = nullptr;
  const SpaceIndex* index = nullptr;
  QueryEmbedder* queries = nullptr;
  const EmbedderInfo* model = nullptr;
  const SearchOptions* options = nullptr;
};

inline double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

class Searcher {
 public:
  Searcher(const SearchContext& context, const SearchRequest& request)
      : in_(context), request_(request) {}

  Result<SearchAnswer> Run(const Principal& principal);

 private:
  using Hits = std::vector<TextHit>;
  bool IsStrict() const { return request_.mode == SearchMode::kStrict; }
  Result<DescriptionFilter> DescribedWithTime();
  void WaitForWords(Seq seq);
  void WaitForVectors(const Hits& lexical);
  void EmbedQuery(const std::string& text);
  template <typename Ask>
  Hits AskText(Ask ask);
  using AskOfVectors = std::function<Result<std::vector<VectorHit>>(const VectorIndex&)>;
  std::vector<VectorHit> AskVectors(const AskOfVectors& ask);
  std::size_t CountForVectors() const;
  void Collect();
  // The same for conversations: searcher_conversation.cc.
  bool IsConversation();
  void ReadConversation();
  void FindNamedSpeakers();
  void CollectConversation();
  void TakeTurns(std::size_t wanted);
  void AddNeighbours();
  void CompleteCosines();
  Priors PriorsOf(const Conversation::Turn& turn) const;
  void ScoreTurns();
  void TakeLexical(const Hits& hits, bool as_candidates);
  void TakeSemantic(const std::vector<VectorHit>& hits, bool as_candidates);
  void CompleteScores(double lexical_rest, double semantic_rest);
  template <typename Number, typename IsMissing>
  std::vector<Number> ChunksOfThose(double least_sum, IsMissing is_missing) const;
  Candidate& CandidateFor(std::uint32_t memory);
  const Candidate* FindCandidate(std::uint32_t memory) const;
  void AddPriors();
  // From the candidates to the answer: searcher_answer.cc.
  Status ReadHits(const ReadView& view, SearchAnswer& answer);
  double RelevanceOf(const Candidate& candidate) const;
  void MakeDiverse();
  Result<std::optional<SearchHit>> ReadHit(const ReadView& view, const Candidate& candidate) const;
  SearchHit HitOf(const Candidate& candidate, Memory memory) const;
  SearchExplanation ExplanationOf(const Candidate& candidate) const;
  SearchArm LexicalArm() const;
  SearchArm SemanticArm() const;

  SearchContext in_;
  const SearchRequest& request_;
  std::optional<Visibility> visibility_;
  Micros as_of_ = 0;
  Seq wanted_seq_ = 0;  // visible when the search began
  std::vector<QueryTerm> terms_;
  std::vector<float> vector_;  // empty: the semantic arm does not answer
  std::string lexical_failure_;
  std::string semantic_failure_;
  bool vectors_loading_ = false;
  bool unknown_language_ = false;
  std::size_t admitted_ = 0;  // about so many chunks, of a conversation
  std::optional<QueryPostings> postings_;
  std::optional<Conversation> conversation_;  // where what is searched is one
  std::vector<std::uint32_t> speakers_;       // labels of those whom the query names
  std::string wordless_;                      // the query without their names
  bool asks_when_ = false;
  std::vector<TimeReading> times_;
  double cosine_weight_ = 0;
  double most_ = kMostOfDocument;
  double max_cosine_ = 0;
  std::uint64_t pending_from_ = UINT64_MAX;  // chunks from here on lack their vectors
  std::vector<Candidate> candidates_;
  std::unordered_map<std::uint32_t, std::size_t> candidate_of_;  // places in candidates_, by memory
  SearchTimings timings_;
};

}  // namespace perdure
