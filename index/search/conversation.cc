#include "index/search/conversation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace perdure {
namespace {

constexpr double kK1 = 1.2;
// Of a whole window's words, and of a mean turn's.
constexpr double kWindowLength = 2.5;
// A neighbour is looked for past so many turns out of sight.
constexpr int kSkippedMax = 64;

}  // namespace

Conversation::Conversation(const Columns& columns, const Visibility& visibility,
                           const QueryPostings& postings, std::size_t admitted)
    : columns_(columns),
      visibility_(visibility),
      postings_(postings),
      admitted_(static_cast<double>(std::max<std::size_t>(admitted, 1))),
      asking_(ChunksWith(*(postings.terms.end() - 2))),
      timed_(ChunksWith(postings.terms.back())),
      length_of_(columns.memories.size()),
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
  slope_ = kK1 * b / (kWindowLength * mean);
}

std::vector<QueryTerm> Conversation::TermsFor(std::span<const QueryTerm> query) {
  std::vector<QueryTerm> terms(query.begin(), query.end());
  terms.push_back({std::string(kAskingMark), 0});
  terms.push_back({std::string(kTimeMark), 0});
  return terms;
}

std::vector<bool> Conversation::ChunksWith(const std::vector<Posting>& postings) const {
  std::vector<bool> chunks(columns_.chunks.size());
  for (const Posting& posting : postings) {
    if (posting.chunk < chunks.size()) chunks[posting.chunk] = true;
  }
  return chunks;
}

// Of the version that is shown: whether its last chunk asks, and whether any says when.
void Conversation::ReadMarks(Turn& turn) const {
  const rows::Version& version = columns_.versions[visibility_.VersionOf(turn.memory)];
  const std::uint32_t end = version.first_chunk + version.chunk_count;
  for (std::uint32_t chunk = version.first_chunk; chunk < end && chunk < asking_.size(); ++chunk) {
    turn.asks = asking_[chunk];
    turn.says_when = turn.says_when || timed_[chunk];
  }
}

std::uint32_t Conversation::LengthOf(std::uint32_t memory) const {
  const rows::Version& version = columns_.versions[visibility_.VersionOf(memory)];
  std::uint32_t length = 0;
  for (std::uint32_t i = 0; i < version.chunk_count; ++i) {
    length += postings_.slots.Get(version.first_chunk + i).length;
  }
  return std::max<std::uint32_t>(length, 1);
}

bool Conversation::Admits(std::uint32_t memory) {
  std::uint32_t& length = length_of_[memory];
  if (length == 0) length = visibility_.AdmitsMemory(memory) ? LengthOf(memory) : kHidden;
  return length != kHidden;
}

// The next turn of the session that the search admits, as a memory.
std::uint32_t Conversation::Walk(std::uint32_t turn, bool forwards) {
  const TurnOrder& order = columns_.turn_order();
  for (int skipped = 0; turn != kNoRow && skipped <= kSkippedMax; ++skipped) {
    turn = forwards ? order.Next(turn) : order.Previous(turn);
    if (turn == kNoRow) break;
    const std::uint32_t memory = columns_.turns[turn].memory;
    if (memory < length_of_.size() && Admits(memory)) return memory;
  }
  return kNoRow;
}

// The place of the memory in turns_, or kHidden when the search does not admit it.
std::uint32_t Conversation::PlaceOf(std::uint32_t memory) {
  if (memory >= place_of_.size()) return kHidden;
  if (place_of_[memory] != kNoRow) return place_of_[memory];
  if (!Admits(memory)) return place_of_[memory] = kHidden;
  Turn found;
  found.memory = memory;
  found.length = length_of_[memory];
  found.window_length = found.length;
  ReadMarks(found);
  if (const std::uint32_t turn = columns_.TurnOf(memory); turn != kNoRow) {
    found.session = columns_.turn_order().SessionOf(turn);
    found.day = std::atomic_ref(columns_.turns.Mutable(turn).day).load(std::memory_order_relaxed);
    for (const bool forwards : {false, true}) {
      std::uint32_t at = turn;
      for (std::size_t i = forwards ? 1 : 0; i < found.neighbours.size(); i += 2) {
        found.neighbours[i] = Walk(at, forwards);
        if (found.neighbours[i] == kNoRow) break;
        found.window_length += kShareOf[i] * length_of_[found.neighbours[i]];
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

// Counts a term that the turn itself has, in all windows that reach it and in its session.
void Conversation::Take(std::uint32_t own_place, std::uint32_t count) {
  Count(own_place, count, true);
  const Neighbours neighbours = turns_[own_place].neighbours;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (neighbours[i] == kNoRow) continue;
    const std::uint32_t place = PlaceOf(neighbours[i]);
    if (place != kHidden) Count(place, kShareOf[i] * count, false);
  }
  const std::uint32_t session = turns_[own_place].session;
  if (session == kNoRow || session >= session_counts_.size()) return;
  if (session_counts_[session] == 0) touched_sessions_.push_back(session);
  session_counts_[session] += count;
}

Conversation::Occurrences Conversation::OccurrencesOf(std::span<const Posting> postings) {
  for (const Posting& posting : postings) {
    const rows::Chunk& chunk = columns_.chunks[posting.chunk];
    const std::uint32_t place = PlaceOf(chunk.memory);
    if (place == kHidden || visibility_.VersionOf(chunk.memory) != chunk.version) continue;
    Take(place, posting.count);
  }
  Occurrences occurrences;
  for (const std::uint32_t place : touched_) {
    Turn& turn = turns_[place];
    occurrences.windows.push_back(
        {place, std::exchange(turn.count, 0), std::exchange(turn.has_term, false)});
  }
  for (const std::uint32_t session : touched_sessions_) {
    occurrences.sessions.push_back({session, std::exchange(session_counts_[session], 0), false});
  }
  touched_.clear();
  touched_sessions_.clear();
  return occurrences;
}

double Conversation::IdfOf(std::size_t windows) const {
  const double holders = std::min(static_cast<double>(windows), admitted_);
  return std::log(1 + (admitted_ - holders + .5) / (holders + .5));
}

void Conversation::AddTerm(const Occurrences& occurrences, double share) {
  for (const Occurrence& window : occurrences.windows) {
    Turn& turn = turns_[window.place];
    turn.window += share * window.count / (window.count + least_ + slope_ * turn.window_length);
    if (window.is_own) turn.coverage += share;
    turn.is_found = true;
  }
  for (const Occurrence& session : occurrences.sessions) {
    session_scores_[session.place] += share * session.count / (session.count + kK1);
  }
}

void Conversation::Score(std::span<const QueryTerm> query) {
  std::vector<Occurrences> occurrences;
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t term = 0; term < query.size(); ++term) {
    occurrences.push_back(OccurrencesOf(postings_.terms[term]));
    shares.push_back(query[term].weight * IdfOf(occurrences.back().windows.size()));
    sum += shares.back();
  }
  for (std::size_t term = 0; term < query.size(); ++term) {
    AddTerm(occurrences[term], shares[term] / sum);
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
