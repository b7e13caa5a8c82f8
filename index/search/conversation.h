// How well turns of conversations fit a query, by the words around them: what a turn is about often
// stands in the turns beside it.
//
//   W(i) = BM25 over the window of turn i: its words, those of its neighbours at half, and those of
//          theirs at a quarter
//   T(i) = BM25 over the words of the whole session, however long it is
//
// both as shares of the most that the query could reach (bm25.h). How rare a word is, is counted
// among the windows of what the search admits: a name is common in the conversation of its bearer.
// Neighbours are turns of the same session that the search admits, too. A memory that is no turn is
// a session of its own.
//
// All of it is computed from the postings of the query's terms. One object a search; not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/search/columns.h"
#include "index/search/visibility.h"
#include "index/text/terms.h"
#include "index/text/text_index.h"

namespace perdure {

class Conversation {
 public:
  static constexpr std::size_t kAround = 2;  // turns on either side
  // Memories by distance: one before, one after, two before, two after; kNoRow where none is.
  using Neighbours = std::array<std::uint32_t, 2 * kAround>;
  static constexpr std::array<double, 2 * kAround> kShareOf = {.5, .5, .25, .25};

  struct Turn {
    std::uint32_t memory = kNoRow;
    std::uint32_t length = 0;  // in words, as bm25.h counts them
    double window_length = 0;  // counted like the window's words
    Neighbours neighbours = {kNoRow, kNoRow, kNoRow, kNoRow};
    std::uint32_t day = 0;   // when it was said, since 1970-01-01
    bool asks = false;       // ends with a question
    bool says_when = false;  // names a time
    double window = 0;       // W
    double coverage = 0;     // idf-weighted share of the query's terms in the turn itself
    std::uint32_t session = kNoRow;
    double count = 0;  // of the term at hand, while it is scored
    bool is_found = false;
    bool has_term = false;  // itself
  };

  // What is to be looked up for a query: its terms, then the marks of what turns are like.
  static std::vector<QueryTerm> TermsFor(std::span<const QueryTerm> query);

  // All must outlive it. `postings`: of TermsFor(query). `admitted`: about how many memories the
  // search admits.
  Conversation(const Columns& columns, const Visibility& visibility, const QueryPostings& postings,
               std::size_t admitted);

  void Score(std::span<const QueryTerm> query);

  // Of one that the search does not admit, or of which the columns have only just learnt: nothing
  // but its own number.
  Turn TurnOf(std::uint32_t memory);
  double SessionScore(const Turn& turn) const;
  // Those with a word of the query in them or around them, in no order.
  std::vector<std::uint32_t> Found() const;

 private:
  static constexpr std::uint32_t kHidden = kNoRow - 1;

  std::uint32_t PlaceOf(std::uint32_t memory);
  std::uint32_t Walk(std::uint32_t turn, bool forwards);
  std::uint32_t LengthOf(std::uint32_t memory) const;
  bool Admits(std::uint32_t memory);
  // How often a term occurs in a window or in a session, by its place.
  struct Occurrence {
    std::uint32_t place;
    double count;
    bool is_own;  // in the turn itself
  };
  struct Occurrences {
    std::vector<Occurrence> windows;
    std::vector<Occurrence> sessions;
  };
  Occurrences OccurrencesOf(std::span<const Posting> postings);
  void Take(std::uint32_t place, std::uint32_t count);
  void Count(std::uint32_t place, double count, bool is_own);
  std::vector<bool> ChunksWith(const std::vector<Posting>& postings) const;
  void ReadMarks(Turn& turn) const;
  double IdfOf(std::size_t windows) const;
  void AddTerm(const Occurrences& occurrences, double share);

  const Columns& columns_;
  const Visibility& visibility_;
  const QueryPostings& postings_;
  double admitted_;
  std::vector<bool> asking_;  // by chunk
  std::vector<bool> timed_;   // by chunk
  double least_ = 0;          // k1 * (1 - b)
  double slope_ = 0;          // k1 * b / mean length

  std::vector<std::uint32_t> length_of_;  // by memory; 0: not asked yet, kHidden: not admitted
  std::vector<std::uint32_t> place_of_;   // in turns_, by memory; kNoRow: not asked yet
  std::vector<Turn> turns_;
  std::vector<std::uint32_t> touched_;  // places, by the term at hand
  std::vector<double> session_counts_;
  std::vector<double> session_scores_;
  std::vector<std::uint32_t> touched_sessions_;
};

}  // namespace perdure
