#include "index/search/searcher.h"

#include <algorithm>
#include <utility>

namespace perdure {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kCandidatesMin = 200;  // an arm; fewer lose ranks that the other arm lifts
constexpr std::size_t kRescoredChunksMax = 8192;
constexpr double kStrictWords = .5 - 1e-6;   // a word's forms share its weight
constexpr std::uint64_t kShortBacklog = 16;  // chunks that a model embeds in about 50 ms

}  // namespace

Result<SearchAnswer> Searcher::Run(const Principal& principal) {
  const auto start = steady_clock::now();
  ASSIGN_OR_RETURN(const ReadView view, in_.engine->Read(principal, request_.at));
  as_of_ = view.as_of();
  terms_ = TermsOfQuery(request_.query);
  wanted_seq_ = in_.engine->Visible(principal.space).seq;
  const bool has_turns = !IsStrict() && in_.index->columns().turns.size() > 0;
  if (!has_turns) EmbedQuery(request_.query);
  WaitForWords(wanted_seq_);
  ASSIGN_OR_RETURN(const DescriptionFilter described, DescribedWithTime());
  ASSIGN_OR_RETURN(visibility_, Visibility::Of(in_.index->columns(), view, in_.index->secret(),
                                               request_.filter, described, in_.index->described()));
  if (has_turns && visibility_->possible()) ReadConversation();
  if (has_turns) EmbedQuery(conversation_ ? wordless_ : request_.query);
  if (visibility_->possible()) Collect();
  RETURN_IF_ERROR(visibility_->failure());
  SearchAnswer answer;
  RETURN_IF_ERROR(ReadHits(view, answer));
  answer.arms = {LexicalArm(), SemanticArm()};
  answer.indexed_seq = answer.arms[0].indexed_seq;
  if (!vector_.empty()) {
    answer.indexed_seq = std::min(answer.indexed_seq, answer.arms[1].indexed_seq);
  }
  answer.as_of = as_of_;
  answer.valid_at = view.valid_at();
  if (const TimeReading* range = TimeRangeOf(times_)) answer.time_range = *range;
  answer.timings = timings_;
  answer.timings.total_ms = MillisecondsSince(start);
  return answer;
}

// --- Getting ready -------------------------------------------------------------------------------

// What the request asks; narrowed to the time that the query speaks of, where that is asked for.
Result<DescriptionFilter> Searcher::DescribedWithTime() {
  times_ = ReadTimes(request_.query, request_.now.value_or(in_.engine->clock().Now()));
  DescriptionFilter filter = request_.described;
  if (!request_.use_time_range) return filter;
  const TimeReading* range = TimeRangeOf(times_);
  if (range == nullptr) {
    return Fail(Code::kInvalidArgument,
                "The query speaks of no time that can be told for sure, so there is nothing that "
                "\"use_time_range\" could mean. Leave it out, or give filter.happened_from and "
                "filter.happened_until.",
                "use_time_range");
  }
  filter.happened_from = std::max(filter.happened_from.value_or(range->from), range->from);
  filter.happened_until = std::min(filter.happened_until.value_or(range->until), range->until);
  return filter;
}

void Searcher::EmbedQuery(const std::string& text) {
  if (IsStrict()) return;
  const auto start = steady_clock::now();
  unknown_language_ = !in_.model->stand_in && !KnowsScriptOf(request_.query);
  if (unknown_language_) return;
  // While the vectors load too: a model that fails is to be told at once.
  auto vector = in_.queries->Embed(text, in_.options->embed_wait);
  timings_.embed_ms = MillisecondsSince(start);
  if (!vector) {
    semantic_failure_ = vector.error().message;
    return;
  }
  vectors_loading_ = in_.index->vectors() == nullptr;
  if (vectors_loading_) return;
  vector_ = std::move(*vector);
  cosine_weight_ = kCosineWeight;
}

void Searcher::WaitForWords(Seq seq) {
  const auto start = steady_clock::now();
  in_.index->WaitLexical(seq, start + in_.options->lexical_wait);
  timings_.wait_ms = MillisecondsSince(start);
}

// The few newest chunks may lack their vectors. Who looks for one of them by its words has it.
void Searcher::WaitForVectors(const Hits& lexical) {
  const auto is_new = [this](const TextHit& hit) { return hit.chunk >= pending_from_; };
  const std::uint64_t pending = in_.index->PendingChunks();
  pending_from_ = in_.index->columns().chunks.size() - pending;
  if (pending == 0 || pending > kShortBacklog || std::ranges::any_of(lexical, is_new)) return;
  const auto start = steady_clock::now();
  in_.index->WaitSemantic(wanted_seq_, start + in_.options->semantic_wait);
  timings_.wait_ms += MillisecondsSince(start);
}

// --- The arms ------------------------------------------------------------------------------------

// A chunk that is visible at the view's time is a past one if its memory has changed since.
// `ask` asks the text index, given whether to look at past chunks.
template <typename Ask>
Searcher::Hits Searcher::AskText(Ask ask) {
  const auto start = steady_clock::now();
  const bool include_past = in_.index->retired_time() > as_of_;
  Result<Hits> hits = ask(include_past);
  if (!include_past && in_.index->retired_time() > as_of_) hits = ask(true);
  timings_.lexical_ms += MillisecondsSince(start);
  if (hits) return std::move(*hits);
  lexical_failure_ = hits.error().message;
  return {};
}

std::vector<VectorHit> Searcher::AskVectors(const AskOfVectors& ask) {
  const auto start = steady_clock::now();
  Result<std::vector<VectorHit>> hits = ask(*in_.index->vectors());
  timings_.semantic_ms += MillisecondsSince(start);
  if (hits) return std::move(*hits);
  semantic_failure_ = hits.error().message;
  vector_.clear();
  return {};
}

// A graph wanders about in vain where a filter admits little, or all of it in a few segments: as a
// search of the past does, since chunks are numbered as time goes. There a scan is faster.
std::size_t Searcher::CountForVectors() const {
  if (in_.index->columns().chunks.size() <= VectorIndexOptions().exact_max) return 0;
  const std::size_t admitted = visibility_->Look().chunks;
  const std::size_t chunks = in_.index->columns().chunks.size();
  return admitted * 5 < chunks * 4 ? 0 : admitted;
}

// The union of both arms' candidates, each with both its scores.
void Searcher::Collect() {
  if (conversation_) return CollectConversation();
  const std::size_t wanted = std::max(kCandidatesMin, 2 * request_.limit);
  const auto admits = [this](std::uint64_t chunk) { return visibility_->Admits(chunk); };
  const Hits lexical = AskText([&](bool include_past) {
    return in_.index->text().Search(terms_, wanted, include_past, admits,
                                    IsStrict() ? kStrictWords : 0);
  });
  TakeLexical(lexical, true);
  // An arm that gives fewer hits than it is asked for gives all: what is missing scores 0 there.
  const double lexical_rest = lexical.size() < wanted ? 0 : lexical.back().score;
  double semantic_rest = 0;
  if (!vector_.empty()) {
    WaitForVectors(lexical);
    const auto hits = AskVectors([&](const VectorIndex& vectors) {
      return vectors.Search(vector_, wanted, admits, CountForVectors());
    });
    if (!hits.empty()) max_cosine_ = static_cast<double>(hits.front().cosine);
    if (hits.size() == wanted) semantic_rest = static_cast<double>(hits.back().cosine);
    TakeSemantic(hits, true);
  }
  AddPriors();
  CompleteScores(lexical_rest, semantic_rest);
  ImputePending(candidates_, max_cosine_);
}

const Candidate* Searcher::FindCandidate(std::uint32_t memory) const {
  const auto place = candidate_of_.find(memory);
  return place == candidate_of_.end() ? nullptr : &candidates_[place->second];
}

Candidate& Searcher::CandidateFor(std::uint32_t memory) {
  const auto [place, is_new] = candidate_of_.emplace(memory, candidates_.size());
  if (is_new) candidates_.push_back({.memory = memory, .best_chunk = kNoRow});
  return candidates_[place->second];
}

void Searcher::TakeLexical(const Hits& hits, bool as_candidates) {
  std::size_t rank = 0;
  for (const TextHit& hit : hits) {
    Candidate& candidate = CandidateFor(in_.index->columns().chunks[hit.chunk].memory);
    if (as_candidates && candidate.lexical_rank == 0) candidate.lexical_rank = ++rank;
    if (hit.score <= candidate.lexical) continue;
    candidate.lexical = hit.score;
    candidate.coverage = hit.coverage;
    candidate.best_chunk = static_cast<std::uint32_t>(hit.chunk);
  }
}

void Searcher::TakeSemantic(const std::vector<VectorHit>& hits, bool as_candidates) {
  std::size_t rank = 0;
  for (const VectorHit& hit : hits) {
    Candidate& candidate = CandidateFor(in_.index->columns().chunks[hit.chunk].memory);
    if (as_candidates && candidate.semantic_rank == 0) candidate.semantic_rank = ++rank;
    const bool first = !candidate.has_cosine;
    candidate.has_cosine = true;
    const auto cosine = static_cast<double>(hit.cosine);
    if (!first && cosine <= candidate.cosine) continue;
    candidate.cosine = candidate.own_cosine = cosine;
    if (candidate.best_chunk == kNoRow) {
      candidate.best_chunk = static_cast<std::uint32_t>(hit.chunk);
    }
  }
}

// The chunks of candidates that one arm did not give and that could still be among the best, in
// ascending order.
template <typename Number, typename IsMissing>
std::vector<Number> Searcher::ChunksOfThose(double least_sum, IsMissing is_missing) const {
  const Columns& columns = in_.index->columns();
  std::vector<Number> chunks;
  for (const Candidate& candidate : candidates_) {
    if (candidate.bound < least_sum || !is_missing(candidate)) continue;
    const rows::Version& version = columns.versions[visibility_->VersionOf(candidate.memory)];
    const std::size_t room = kRescoredChunksMax - chunks.size();
    for (std::uint32_t i = 0; i < std::min<std::size_t>(version.chunk_count, room); ++i) {
      chunks.push_back(version.first_chunk + i);
    }
  }
  std::ranges::sort(chunks);
  return chunks;
}

// Each arm's own candidates know their maximum there; what an arm did not give scores at most
// `rest` there. Asks the arms about those whom that could bring among the best.
void Searcher::CompleteScores(double lexical_rest, double semantic_rest) {
  std::vector<double> sums;
  for (Candidate& candidate : candidates_) {
    const double sum = candidate.Sum(cosine_weight_);
    sums.push_back(sum);
    candidate.bound = sum + (candidate.lexical_rank == 0 ? lexical_rest : 0) +
                      (candidate.has_cosine ? 0 : cosine_weight_ * std::max(semantic_rest, 0.0));
  }
  double least_sum = 0;
  const std::size_t looked_at = std::max(request_.limit, kSecondPass + 1);
  if (sums.size() > looked_at) {
    const auto place = sums.begin() + static_cast<std::ptrdiff_t>(looked_at - 1);
    std::ranges::nth_element(sums, place, std::ranges::greater());
    least_sum = *place;
  }
  if (semantic_rest > 0) {
    const auto chunks = ChunksOfThose<std::uint64_t>(
        least_sum, [](const Candidate& candidate) { return !candidate.has_cosine; });
    TakeSemantic(
        AskVectors([&](const VectorIndex& vectors) { return vectors.Compare(vector_, chunks); }),
        false);
  }
  if (lexical_rest > 0) {
    const auto chunks = ChunksOfThose<ChunkNumber>(
        least_sum, [](const Candidate& candidate) { return candidate.lexical_rank == 0; });
    TakeLexical(AskText([&](bool include_past) {
                  return in_.index->text().Score(terms_, chunks, include_past);
                }),
                false);
  }
}

void Searcher::AddPriors() {
  const Columns& columns = in_.index->columns();
  const std::uint32_t user = columns.FindLabel(SpeakerKey(in_.index->secret(), "user"));
  for (Candidate& candidate : candidates_) {
    candidate.is_pending = !candidate.has_cosine && candidate.best_chunk != kNoRow &&
                           candidate.best_chunk >= pending_from_;
    const rows::State& state = columns.states[columns.StateAt(candidate.memory, as_of_)];
    if (state.Has(rows::kPinned)) candidate.priors.Add(Prior::kPin, kPinWeight);
    if (user != kNoRow && columns.HasLabel(state.version, user)) {
      candidate.priors.Add(Prior::kUser, kUserSpeakerWeight);
    }
    const rows::Version& version = columns.versions[state.version];
    const rows::Chunk& chunk = columns.chunks[version.first_chunk];
    candidate.is_short = version.chunk_count == 1 && chunk.end - chunk.begin <= kShortBytes;
    if (request_.prefer_recent) {
      candidate.priors.Add(Prior::kRecent, RecencyPrior(as_of_ - version.record_time));
    }
  }
}

}  // namespace perdure
