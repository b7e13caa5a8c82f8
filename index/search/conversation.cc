#include "index/search/conversation.h"

#include <algorithm>
#include <cmath>

namespace perdure {
namespace {

constexpr double kK1 = 1.2;
// A neighbour is looked for past so many turns out of sight.
constexpr int kSkippedMax = 64;

}  // namespace

Conversation::Conversation(const Columns& columns, const Visibility& visibility,
                           const QueryPostings& postings, std::size_t admitted)
    : columns_(columns),
      visibility_(visibility),
      postings_(postings),
      admitted_(static_cast<double>(std::max<std::size_t>(admitted, 1))),
      place_of_(columns.memories.size(), kNoRow),
      session_counts_(columns.turn_order().sessions()),
      session_scores_(columns.turn_order().sessions()) {
  const LengthStatistics& lengths = postings.lengths;
  if (lengths.count == 0) return;
  const double count = static_cast<double>(lengths.count);
  const double mean = static_cast<double>(lengths.total) / count;
  const double variance = static_cast<double>(lengths.squares) / count - mean * mean;
  const double b = std::clamp(std::sqrt(std::max(variance, 0.0)) / mean, .5, 1.0);
  least_ = kK1 * (1 - b);
  slope_ = kK1 * b / mean;
}

std::uint32_t Conversation::LengthOf(std::uint32_t memory) const {
  const rows::Version& version = columns_.versions[visibility_.VersionOf(memory)];
  std::uint32_t length = 0;
  for (std::uint32_t i = 0; i < version.chunk_count; ++i) {
    length += postings_.slots.Get(version.first_chunk + i).length;
  }
  return std::max<std::uint32_t>(length, 1);
}

// The next turn of the session that the search admits, as a memory.
std::uint32_t Conversation::Walk(std::uint32_t turn, bool forwards) {
  const TurnOrder& order = columns_.turn_order();
  for (int skipped = 0; turn != kNoRow && skipped <= kSkippedMax; ++skipped) {
    turn = forwards ? order.Next(turn) : order.Previous(turn);
    if (turn == kNoRow) break;
    const std::uint32_t memory = columns_.turns[turn].memory;
    if (memory >= place_of_.size() || place_of_[memory] == kHidden) continue;
    if (place_of_[memory] != kNoRow || visibility_.AdmitsMemory(memory)) return memory;
  }
  return kNoRow;
}

// The place of the memory in turns_, or kHidden when the search does not admit it.
std::uint32_t Conversation::PlaceOf(std::uint32_t memory) {
  if (memory >= place_of_.size()) return kHidden;
  if (place_of_[memory] != kNoRow) return place_of_[memory];
  if (!visibility_.AdmitsMemory(memory)) return place_of_[memory] = kHidden;
  Turn found;
  found.memory = memory;
  found.length = LengthOf(memory);
  if (const std::uint32_t turn = columns_.TurnOf(memory); turn != kNoRow) {
    found.session = columns_.turn_order().SessionOf(turn);
    for (const bool forwards : {false, true}) {
      std::uint32_t at = turn;
      for (std::size_t i = forwards ? 1 : 0; i < found.neighbours.size(); i += 2) {
        found.neighbours[i] = Walk(at, forwards);
        if (found.neighbours[i] == kNoRow) break;
        at = columns_.TurnOf(found.neighbours[i]);
      }
    }
  }
  place_of_[memory] = static_cast<std::uint32_t>(turns_.size());
  turns_.push_back(found);
  return place_of_[memory];
}

Conversation::Turn Conversation::TurnOf(std::uint32_t memory) {
  const std::uint32_t place = PlaceOf(memory);
  if (place != kHidden) return turns_[place];
  Turn unknown;
  unknown.memory = memory;
  return unknown;
}

void Conversation::Count(std::uint32_t place, double count, bool is_own) {
  Turn& turn = turns_[place];
  if (turn.count == 0) touched_.push_back(place);
  turn.count += count;
  turn.has_term = turn.has_term || is_own;
}

void Conversation::Take(const Occurrence& occurrence) {
  Count(occurrence.place, occurrence.count, true);
  const Neighbours neighbours = turns_[occurrence.place].neighbours;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (neighbours[i] == kNoRow) continue;
    const std::uint32_t place = PlaceOf(neighbours[i]);
    if (place != kHidden) Count(place, kShareOf[i] * occurrence.count, false);
  }
  const std::uint32_t session = turns_[occurrence.place].session;
  if (session == kNoRow || session >= session_counts_.size()) return;
  if (session_counts_[session] == 0) touched_sessions_.push_back(session);
  session_counts_[session] += occurrence.count;
}

void Conversation::FinishTerm(double share) {
  for (const std::uint32_t place : touched_) {
    Turn& turn = turns_[place];
    turn.window += share * turn.count / (turn.count + least_ + slope_ * turn.length);
    if (turn.has_term) turn.coverage += share;
    turn.count = 0;
    turn.has_term = false;
    turn.is_found = true;
  }
  touched_.clear();
  for (const std::uint32_t session : touched_sessions_) {
    const double count = session_counts_[session];
    session_scores_[session] += share * count / (count + kK1);
    session_counts_[session] = 0;
  }
  touched_sessions_.clear();
}

std::vector<Conversation::Occurrence> Conversation::OccurrencesOf(
    std::span<const Posting> postings) {
  std::vector<Occurrence> occurrences;
  for (const Posting& posting : postings) {
    const rows::Chunk& chunk = columns_.chunks[posting.chunk];
    const std::uint32_t place = PlaceOf(chunk.memory);
    if (place == kHidden || visibility_.VersionOf(chunk.memory) != chunk.version) continue;
    occurrences.push_back({place, posting.count});
  }
  return occurrences;
}

double Conversation::IdfOf(std::span<const Occurrence> occurrences) const {
  double holders = 0;
  std::uint32_t last = kNoRow;
  for (const Occurrence& occurrence : occurrences) {
    if (occurrence.place != last) ++holders;
    last = occurrence.place;
  }
  holders = std::min(holders, admitted_);
  return std::log(1 + (admitted_ - holders + .5) / (holders + .5));
}

void Conversation::Score(std::span<const QueryTerm> query) {
  std::vector<std::vector<Occurrence>> occurrences;
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t term = 0; term < query.size(); ++term) {
    occurrences.push_back(OccurrencesOf(postings_.terms[term]));
    shares.push_back(query[term].weight * IdfOf(occurrences.back()));
    sum += shares.back();
  }
  for (std::size_t term = 0; term < query.size(); ++term) {
    for (const Occurrence& occurrence : occurrences[term]) Take(occurrence);
    FinishTerm(shares[term] / sum);
  }
}

double Conversation::SessionScore(const Turn& turn) const {
  if (turn.session == kNoRow || turn.session >= session_scores_.size()) return turn.window;
  return session_scores_[turn.session];
}

std::vector<std::uint32_t> Conversation::Found() const {
  std::vector<std::uint32_t> found;
  for (const Turn& turn : turns_) {
    if (turn.is_found) found.push_back(turn.memory);
  }
  return found;
}

}  // namespace perdure
