// From ranked candidates to the answer: the last part of Searcher.
#include <algorithm>
#include <array>
#include <utility>

#include "index/search/preview.h"
#include "index/search/relevance.h"
#include "index/search/searcher.h"
#include "index/text/words.h"

namespace perdure {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kPreviewBytes = 300;
constexpr std::size_t kDiverseOf = 50;  // hits among which others are looked for
constexpr double kDiversity = .3;
constexpr std::ptrdiff_t kWordsMin = 3;

// Whether a query has words enough for its vector to say more than they do: of one or two, the
// exact ones must be able to win.
bool SaysEnough(std::string_view query) {
  return std::ranges::count(Tokenize(query), TokenKind::kWord, &Token::kind) >= kWordsMin;
}

}  // namespace

// The query's own vector can judge only if a real model made it, of a language that it knows.
double Searcher::RelevanceOf(const Candidate& candidate) const {
  if (vector_.empty() || in_.model->stand_in) return RelevanceByWords(candidate.coverage);
  if (candidate.is_pending) return 1;  // it cannot be told yet
  return RelevanceByMeaning(candidate.own_cosine, candidate.coverage);
}

Status Searcher::ReadHits(const ReadView& view, SearchAnswer& answer) {
  const auto start = steady_clock::now();
  std::erase_if(candidates_,
                [](const Candidate& candidate) { return candidate.best_chunk == kNoRow; });
  std::optional<Candidate> miss;
  double relevance = 0;
  for (const Candidate& candidate : candidates_) {
    const double own = RelevanceOf(candidate);
    if (!miss || own > relevance) miss = candidate;
    relevance = std::max(relevance, own);
  }
  const bool can_tell = !conversation_ && !vector_.empty() && !in_.model->stand_in;
  if (can_tell) WeighAgreement(candidates_, max_cosine_);
  const double least = request_.min_relevance.value_or(0);
  std::erase_if(candidates_, [&](const Candidate& c) { return RelevanceOf(c) < least; });
  RankCandidates(candidates_, cosine_weight_,
                 std::max(request_.limit, request_.diverse ? kDiverseOf : kSecondPass + 1));
  const bool by_meaning = can_tell && SaysEnough(request_.query) && !request_.prefer_recent;
  if (by_meaning) WeighShortTexts(candidates_, cosine_weight_, max_cosine_);
  if (request_.diverse) MakeDiverse();
  if (candidates_.size() > request_.limit) candidates_.resize(request_.limit);
  for (const Candidate& candidate : candidates_) {
    ASSIGN_OR_RETURN(auto hit, ReadHit(view, candidate));
    if (hit) answer.hits.push_back(*std::move(hit));
  }
  if (request_.nearest_miss && answer.hits.empty() && miss) {
    ASSIGN_OR_RETURN(answer.nearest_miss, ReadHit(view, *miss));
  }
  answer.relevance = static_cast<float>(relevance);
  answer.nothing_relevant = answer.hits.empty() || relevance < kRelevanceFloor;
  timings_.read_ms = MillisecondsSince(start);
  return {};
}

// Maximal marginal relevance (Carbonell and Goldstein, 1998), by the vectors of the best chunks.
void Searcher::MakeDiverse() {
  const VectorIndex* vectors = in_.index->vectors();
  if (vectors == nullptr) return;
  struct Rest {
    Candidate candidate;
    double likeness = 0;  // to the most similar one that was chosen
  };
  std::vector<Rest> rest;
  for (const Candidate& candidate : candidates_) rest.push_back({candidate});
  const auto worth = [this](const Rest& one) {
    const double score = std::clamp(one.candidate.Sum(cosine_weight_) / most_, 0.0, 1.0);
    return (1 - kDiversity) * score - kDiversity * one.likeness;
  };
  candidates_.clear();
  while (!rest.empty() && candidates_.size() < request_.limit) {
    const auto best = std::ranges::max_element(rest, {}, worth);
    const Candidate chosen = best->candidate;
    candidates_.push_back(chosen);
    rest.erase(best);
    for (Rest& other : rest) {
      const std::array<std::uint64_t, 1> chunk = {other.candidate.best_chunk};
      const auto cosine = vectors->CompareWith(chosen.best_chunk, chunk);
      if (!cosine || cosine->empty()) continue;
      other.likeness = std::max(other.likeness, static_cast<double>(cosine->front().cosine));
    }
  }
}

// Nothing when it was erased, compacted or moved out of sight since the arms looked.
Result<std::optional<SearchHit>> Searcher::ReadHit(const ReadView& view,
                                                   const Candidate& candidate) const {
  auto memory = view.Get(Uuid{in_.index->columns().memories[candidate.memory].id});
  if (memory) return HitOf(candidate, *std::move(memory));
  const Code code = memory.error().code;
  if (code == Code::kNotFound || code == Code::kErased || code == Code::kCompacted) {
    return std::nullopt;
  }
  return std::unexpected(memory.error());
}

SearchHit Searcher::HitOf(const Candidate& candidate, Memory memory) const {
  const rows::Chunk& chunk = in_.index->columns().chunks[candidate.best_chunk];
  const std::string text = std::exchange(memory.text, {});
  SearchHit hit;
  hit.id = memory.id;
  hit.memory = std::move(memory);
  if (chunk.begin <= text.size()) {
    const std::string_view best = std::string_view(text).substr(chunk.begin);
    hit.preview = PreviewOf(best.substr(0, chunk.end - chunk.begin), request_.query, kPreviewBytes);
  }
  hit.score = ShownScore(candidate.Sum(cosine_weight_), most_);
  hit.relevance = static_cast<float>(RelevanceOf(candidate));
  if (request_.explain) hit.explanation = ExplanationOf(candidate);
  return hit;
}

SearchExplanation Searcher::ExplanationOf(const Candidate& candidate) const {
  SearchExplanation why;
  why.lexical_rank = candidate.lexical_rank;
  why.lexical_score = static_cast<float>(candidate.lexical);
  why.semantic_rank = candidate.semantic_rank;
  why.cosine = static_cast<float>(candidate.own_cosine);
  why.coverage = static_cast<float>(candidate.coverage);
  why.prior = static_cast<float>(candidate.priors.Sum());
  const auto add = [&why](std::string_view name, double value) {
    if (value != 0) why.parts.push_back({name, static_cast<float>(value)});
  };
  const double meaning = cosine_weight_ * candidate.cosine;
  const double own = conversation_ ? kTurnCosineWeight * candidate.own_cosine : meaning;
  add("words", candidate.lexical);
  add("cosine", own);
  add("context", meaning - own);
  for (std::size_t i = 0; i < kPriorNames.size(); ++i) {
    add(kPriorNames[i], candidate.priors.Of(static_cast<Prior>(i)));
  }
  return why;
}

SearchArm Searcher::LexicalArm() const {
  SearchArm arm{"lexical", ArmStatus::kOk, "", in_.index->lexical_seq()};
  if (!lexical_failure_.empty()) {
    arm.status = ArmStatus::kFailed;
    arm.note = lexical_failure_;
  } else if (arm.indexed_seq < wanted_seq_) {
    arm.status = ArmStatus::kLagging;
    arm.note = in_.index->LexicalFailure();
    if (arm.note.empty()) arm.note = "The newest writes are not indexed yet.";
  } else if (!in_.index->IsTextChecked()) {
    arm.note = "The index files are still being checked for damage.";
  }
  return arm;
}

SearchArm Searcher::SemanticArm() const {
  SearchArm arm{"semantic", ArmStatus::kOk, "", in_.index->semantic_seq()};
  if (!semantic_failure_.empty()) {
    arm.status = ArmStatus::kFailed;
    arm.note = semantic_failure_;
  } else if (vectors_loading_) {
    arm.status = ArmStatus::kLoading;
    arm.note = in_.index->SemanticFailure();
    if (!arm.note.empty()) arm.status = ArmStatus::kFailed;
    if (arm.note.empty() && in_.model->stand_in) arm.note = in_.options->stand_in_reason;
  } else if (in_.model->stand_in) {
    arm.status = ArmStatus::kStandIn;
    arm.note = in_.options->stand_in_reason;
  } else if (arm.indexed_seq < wanted_seq_) {
    arm.status = ArmStatus::kLagging;
    arm.note = in_.index->SemanticFailure();
    if (arm.note.empty()) arm.note = "Some memories are not embedded yet.";
  } else if (unknown_language_) {
    arm.note = "The model does not know this language; words alone were compared.";
  }
  return arm;
}

}  // namespace perdure
