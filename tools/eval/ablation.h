// What each term of the score is worth: how good the ranking of the same hits is without it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "index/search/search_types.h"
#include "tools/eval/metrics.h"

namespace perdure::eval {

class Ablation {
 public:
  using IsRelevant = std::function<bool(const SearchHit&)>;
  // `hits` with explanations, of a question with so many relevant memories.
  void Add(const std::vector<SearchHit>& hits, const IsRelevant& is_relevant, std::size_t relevant);

  // By term: the mean over all questions, of those that have it at all.
  std::map<std::string, Scores> Means() const;

 private:
  std::vector<Scores> with_;
  std::map<std::string, std::map<std::size_t, Scores>> without_;  // by term and question
};

}  // namespace perdure::eval
