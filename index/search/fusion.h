// One ranking from two arms, by scores that mean the same for every query.
//
//   S = L + .65 max cosine + .10 [the speaker is the user] + .15 [pinned] - A
//
// with A what WeighAgreement and WeighShortTexts take away. L is the lexical score of bm25.h, in
// 0..1; both maxima are taken over a memory's chunks. Where what is searched are the short turns of
// conversations, which say little alone (conversation.h):
//
//   S = W + .60 T + C + .14 [the speaker is the one whom the query names]
//       + .20 min(ln(1 + words), 4) / 4 - .12 [it ends with a question]
//       + .28 [the query asks when, and it says when]
//       + .40 D + .15 [pinned]
//   C = .48 cosine + .56 (cosine + .5 those of its neighbours + .25 those of theirs) / n
//
// with D how well the day on which it was said fits a time in the query (time_reading.h), n the
// length that the sum of such vectors has, and the cosines of the query without the names of
// speakers, which pull towards everything that a person said.
//
// The weights were tuned on the public halves of several retrieval sets, where the absolute sum was
// best of, or level with, rank fusion, z-scores and min-max. A pin lifts a memory over rivals that
// match about as well, not over a better answer.
//
// Shown is S over the most that a memory without a pin can reach, cut to 0..1.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/time.h"

namespace perdure {

inline constexpr double kCosineWeight = .65;
inline constexpr double kUserSpeakerWeight = .10;
inline constexpr double kPinWeight = .15;
inline constexpr double kRecentWeight = .15;
inline constexpr double kTurnCosineWeight = .48;
inline constexpr double kContextCosineWeight = .56;
inline constexpr double kSessionWeight = .60;
inline constexpr double kNamedSpeakerWeight = .14;
inline constexpr double kTurnLengthWeight = .20;
inline constexpr double kAskingWeight = .12;
inline constexpr double kTimeWeight = .28;
inline constexpr double kDateWeight = .40;

// What S is over to be shown.
inline constexpr double kMostOfDocument = 1 + kCosineWeight + kUserSpeakerWeight;
inline constexpr double kMostOfTurn = 1 + kTurnCosineWeight + kContextCosineWeight +
                                      kSessionWeight + kNamedSpeakerWeight + kTurnLengthWeight;

// Where the newest is preferred: as much as kRecentWeight, half of it for each 30 days of age.
double RecencyPrior(Micros age);

// How much a turn of so many words says.
double TurnLengthPrior(std::uint32_t words);

// C, of a turn's cosine and those of its neighbours by their share, where it has one.
struct SharedCosine {
  double share = 0;
  double cosine = 0;
};
double CosineInContext(double own, std::span<const SharedCosine> neighbours);

// The terms of S beside the lexical score and the cosine.
enum class Prior {
  kSession,
  kSpeaker,
  kLength,
  kAsking,
  kWhen,
  kDate,
  kUser,
  kPin,
  kRecent,
  kAgreement
};
inline constexpr std::array<std::string_view, 10> kPriorNames = {
    "session", "speaker", "length", "asking", "when", "date", "user", "pin", "recent", "agreement"};

class Priors {
 public:
  void Add(Prior prior, double value) { of_[static_cast<std::size_t>(prior)] += value; }
  double Of(Prior prior) const { return of_[static_cast<std::size_t>(prior)]; }
  double Sum() const;

 private:
  std::array<double, kPriorNames.size()> of_{};
};

// One memory among the candidates.
struct Candidate {
  std::uint32_t memory = 0;
  std::uint32_t best_chunk = 0;  // whose text shows best why
  double lexical = 0;            // L
  double coverage = 0;           // of the query's terms, by the chunk with the best L
  double words = 0;              // the same, each word counting alike
  double cosine = 0;             // max cosine, of a turn C
  double own_cosine = 0;         // max cosine
  bool is_short = false;         // its text is a sentence: at most kShortBytes
  bool has_cosine = false;
  bool is_pending = false;  // its vectors are still to come
  Priors priors;
  double bound = 0;              // the most that Sum can become when both arms have been asked
  std::size_t lexical_rank = 0;  // 1 is best; 0: not among the arm's own candidates
  std::size_t semantic_rank = 0;

  double Sum(double cosine_weight) const { return lexical + cosine_weight * cosine + priors.Sum(); }
};

inline float ShownScore(double sum, double most) {
  return static_cast<float>(std::clamp(sum / most, 0.0, 1.0));
}

// A memory whose vectors are still to come must not lose to its rivals for that: it is given the
// cosine that its words suggest, max cosine * L / max L.
void ImputePending(std::vector<Candidate>& candidates, double max_cosine);

// Words that a text's vector does not bear out are shared with the query by chance: of what a
// document's words count, this takes away L (max cosine - cosine - .2) / .5, at most all of it.
void WeighAgreement(std::vector<Candidate>& candidates, double max_cosine);

// The second pass, over the kSecondPass best. What a sentence says its vector says, too, so there
// it takes away L (max cosine - cosine) / .035, at most all of it; but it puts nobody behind those
// that it does not look at, and leaves what is pinned alone. Of a long text, a vector tells less
// than the words.
inline constexpr std::size_t kSecondPass = 5;
inline constexpr std::uint32_t kShortBytes = 160;
void WeighShortTexts(std::vector<Candidate>& ranked, double cosine_weight, double max_cosine);

// Orders by S, then lexical score, then the newer memory, and keeps `limit`.
void RankCandidates(std::vector<Candidate>& candidates, double cosine_weight, std::size_t limit);

}  // namespace perdure
