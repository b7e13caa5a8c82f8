// Searching the turns of conversations: the part of Searcher that conversation.h stands behind.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "index/search/names_in_query.h"
#include "index/search/searcher.h"
#include "index/text/marks.h"

namespace perdure {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kTurnsMin = 200;         // candidates of each arm, before their neighbours
constexpr std::size_t kPostingsMax = 1 << 18;  // read in a few milliseconds
constexpr std::uint64_t kTurnBytesMax = 320;   // mean text: about 30 words beside stop words
constexpr std::size_t kTurnsOfSessionMin = 4;  // mean

// The label of who speaks; an erasure may be taking it away.
std::uint32_t SpeakerOf(const Columns& columns, std::uint32_t turn) {
  return std::atomic_ref(columns.turns.Mutable(turn).speaker).load(std::memory_order_relaxed);
}

}  // namespace

// Whether most of what is searched are short turns, of sessions that are long enough to have a
// context.
bool Searcher::IsConversation() {
  const Columns& columns = in_.index->columns();
  if (columns.turns.size() < kTurnsOfSessionMin * columns.turn_order().sessions()) return false;
  const Visibility::Survey survey = visibility_->Look();
  admitted_ = survey.chunks;
  return survey.turns * 2 > survey.chunks && survey.bytes <= kTurnBytesMax * survey.chunks;
}

// Scores by words, and finds whom the query names.
void Searcher::ReadConversation() {
  if (!IsConversation()) return;
  const auto start = steady_clock::now();
  const auto read = [this](bool include_past) {
    return in_.index->text().Postings(Conversation::TermsFor(terms_), kPostingsMax, include_past);
  };
  const bool include_past = in_.index->retired_time() > as_of_;
  auto postings = read(include_past);
  if (!include_past && in_.index->retired_time() > as_of_) postings = read(true);
  if (!postings) lexical_failure_ = postings.error().message;
  if (!postings || !*postings) return;
  postings_ = std::move(**postings);
  conversation_.emplace(in_.index->columns(), *visibility_, *postings_, admitted_);
  conversation_->Score(terms_);
  asks_when_ = AsksWhen(request_.query);
  FindNamedSpeakers();
  timings_.lexical_ms += MillisecondsSince(start);
}

// Speakers are known by the keys of their names alone, so the query's words are tried.
void Searcher::FindNamedSpeakers() {
  const Columns& columns = in_.index->columns();
  std::vector<std::uint32_t> labels;
  for (const std::uint32_t memory : conversation_->Found()) {
    const std::uint32_t turn = columns.TurnOf(memory);
    if (turn == kNoRow) continue;
    const std::uint32_t speaker = SpeakerOf(columns, turn);
    if (speaker != kNoRow && std::ranges::find(labels, speaker) == labels.end()) {
      labels.push_back(speaker);
    }
  }
  std::vector<NameInQuery> named;
  for (const NameInQuery& name : NamesInQuery(request_.query)) {
    const ValueKey key = SpeakerKey(in_.index->secret(), name.name);
    for (const std::uint32_t label : labels) {
      if (columns.KeyOfLabel(label) != key) continue;
      named.push_back(name);
      if (std::ranges::find(speakers_, label) == speakers_.end()) speakers_.push_back(label);
    }
  }
  wordless_ = WithoutNames(request_.query, named);
}

Priors Searcher::PriorsOf(const Conversation::Turn& turn) const {
  Priors priors;
  priors.Add(Prior::kSession, kSessionWeight * conversation_->SessionScore(turn));
  priors.Add(Prior::kLength, TurnLengthPrior(turn.length));
  if (turn.asks) priors.Add(Prior::kAsking, -kAskingWeight);
  if (turn.says_when && asks_when_) priors.Add(Prior::kWhen, kTimeWeight);
  priors.Add(Prior::kDate, kDateWeight * TimeFit(times_, turn.day));
  return priors;
}

// The best turns by words, with W as their lexical score and the rest of S as their prior.
void Searcher::TakeTurns(std::size_t wanted) {
  std::vector<std::pair<double, std::uint32_t>> found;
  for (const std::uint32_t memory : conversation_->Found()) {
    const Conversation::Turn turn = conversation_->TurnOf(memory);
    found.emplace_back(turn.window + PriorsOf(turn).Sum(), memory);
  }
  const std::size_t kept = std::min(wanted, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept),
                            std::ranges::greater());
  for (std::size_t i = 0; i < kept; ++i) CandidateFor(found[i].second).lexical_rank = i + 1;
}

void Searcher::CollectConversation() {
  const std::size_t wanted = std::max(kTurnsMin, 2 * request_.limit);
  TakeTurns(wanted);
  most_ = kMostOfTurn + (asks_when_ ? kTimeWeight : 0) + (times_.empty() ? 0 : kDateWeight);
  if (!vector_.empty()) {
    cosine_weight_ = 1;
    WaitForVectors({});
    const auto hits = AskVectors([&](const VectorIndex& vectors) {
      return vectors.Search(
          vector_, wanted, [this](std::uint64_t chunk) { return visibility_->Admits(chunk); },
          CountForVectors());
    });
    if (!hits.empty()) max_cosine_ = static_cast<double>(hits.front().cosine);
    TakeSemantic(hits, true);
  }
  AddNeighbours();
  if (!vector_.empty()) CompleteCosines();
  ScoreTurns();
  AddPriors();
  ImputePending(candidates_, max_cosine_);
}

// What answers may stand beside what fits.
void Searcher::AddNeighbours() {
  const std::vector<Candidate> found = candidates_;
  for (const Candidate& candidate : found) {
    for (const std::uint32_t memory : conversation_->TurnOf(candidate.memory).neighbours) {
      if (memory != kNoRow) CandidateFor(memory);
    }
  }
}

// Asks for the cosines that the arm did not give, of the candidates and of their neighbours.
void Searcher::CompleteCosines() {
  AddNeighbours();
  const Columns& columns = in_.index->columns();
  std::vector<std::uint64_t> chunks;
  for (const Candidate& candidate : candidates_) {
    if (candidate.has_cosine) continue;
    const rows::Version& version = columns.versions[visibility_->VersionOf(candidate.memory)];
    for (std::uint32_t i = 0; i < version.chunk_count; ++i) {
      chunks.push_back(version.first_chunk + i);
    }
  }
  std::ranges::sort(chunks);
  TakeSemantic(
      AskVectors([&](const VectorIndex& vectors) { return vectors.Compare(vector_, chunks); }),
      false);
  std::vector<double> in_context;
  for (const Candidate& candidate : candidates_) {
    std::vector<SharedCosine> around;
    const auto neighbours = conversation_->TurnOf(candidate.memory).neighbours;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (neighbours[i] == kNoRow) continue;
      const Candidate* neighbour = FindCandidate(neighbours[i]);
      if (neighbour == nullptr || !neighbour->has_cosine) continue;
      around.push_back({Conversation::kShareOf[i], neighbour->cosine});
    }
    in_context.push_back(candidate.has_cosine ? CosineInContext(candidate.cosine, around) : 0);
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].cosine = in_context[i];
}

void Searcher::ScoreTurns() {
  const Columns& columns = in_.index->columns();
  for (Candidate& candidate : candidates_) {
    const Conversation::Turn turn = conversation_->TurnOf(candidate.memory);
    candidate.lexical = turn.window;
    candidate.coverage = turn.coverage;
    candidate.priors = PriorsOf(turn);
    const std::uint32_t version = visibility_->VersionOf(candidate.memory);
    if (speakers_.size() == 1 && columns.HasLabel(version, speakers_.front())) {
      candidate.priors.Add(Prior::kSpeaker, kNamedSpeakerWeight);
    }
    if (candidate.best_chunk == kNoRow) {
      candidate.best_chunk = columns.versions[version].first_chunk;
    }
  }
}

}  // namespace perdure
