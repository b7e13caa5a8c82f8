// How likely a memory is about what is asked: a number in 0..1 that means the same for every query
// and in every mode, unlike a score, which orders.
//
//   r = cosine + .2 coverage       where the model knows the query's language
//   r = coverage                   where words alone were compared
//   relevance = 1 / (1 + exp((middle - r) / width))
//
// with the coverage being that of the query's terms, weighted by rarity. The middle of the first is
// the r that 97 % of the questions with an answer reach, over the public halves of several
// retrieval sets; questions of one line reach more, those of whole dialogues less. That of the
// second is set by hand.
#pragma once

namespace perdure {

// Below it nothing is relevant.
inline constexpr double kRelevanceFloor = .5;

double RelevanceByMeaning(double cosine, double coverage);
double RelevanceByWords(double coverage);

}  // namespace perdure
