// One ranking from two arms, by scores that mean the same for every query.
//
//   S = L + .65 max cosine + .10 [the speaker is the user] + .15 [pinned]
//
// L is the lexical score of bm25.h, in 0..1; both maxima are taken over a memory's chunks. The
// weights of L, cosine and speaker were tuned on the public halves of several retrieval sets, where
// the absolute sum was best of, or level with, rank fusion, z-scores and min-max. A pin lifts a
// memory over rivals that match about as well, not over a better answer.
//
// Shown is S / 1.75, the most that a memory without a pin can reach, cut to 0..1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perdure {

inline constexpr double kCosineWeight = .65;
inline constexpr double kUserSpeakerWeight = .10;
inline constexpr double kPinWeight = .15;

// One memory among the candidates.
struct Candidate {
  std::uint32_t memory = 0;
  std::uint32_t best_chunk = 0;  // whose text shows best why
  double lexical = 0;            // L
  double coverage = 0;           // of the query's terms, by the chunk with the best L
  double cosine = 0;
  bool has_cosine = false;
  bool is_pending = false;  // its vectors are still to come
  double prior = 0;
  double bound = 0;              // the most that Sum can become when both arms have been asked
  std::size_t lexical_rank = 0;  // 1 is best; 0: not among the arm's own candidates
  std::size_t semantic_rank = 0;

  double Sum(double cosine_weight) const { return lexical + cosine_weight * cosine + prior; }
};

inline float ShownScore(double sum) {
  return static_cast<float>(std::clamp(sum / (1 + kCosineWeight + kUserSpeakerWeight), 0.0, 1.0));
}

// A memory whose vectors are still to come must not lose to its rivals for that: it is given the
// cosine that its words suggest, max cosine * L / max L.
void ImputePending(std::vector<Candidate>& candidates, double max_cosine);

// Orders by S, then lexical score, then the newer memory, and keeps `limit`.
void RankCandidates(std::vector<Candidate>& candidates, double cosine_weight, std::size_t limit);

// r = max cosine + .2 (best coverage among the top 3) under .343, which keeps 97 % of the questions
// that have an answer. Only a real model's cosines can say so, and only where they are known.
bool IsNothingRelevant(const std::vector<Candidate>& ranked, double max_cosine);

}  // namespace perdure
