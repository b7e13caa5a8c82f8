#include "tools/eval/ablation.h"

#include <algorithm>
#include <set>

namespace perdure::eval {
namespace {

// In the order of hits; equal sums keep it.
Scores ScoresInOrderOf(const std::vector<double>& sums, const std::vector<SearchHit>& hits,
                       const Ablation::IsRelevant& is_relevant, std::size_t relevant) {
  std::vector<std::size_t> order(hits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return sums[i]; });
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_relevant(hits[order[i]])) ranks.push_back(i + 1);
  }
  return ScoreRanks(ranks, relevant);
}

Scores ScoresWithout(const std::string& term, const std::vector<SearchHit>& hits,
                     const Ablation::IsRelevant& is_relevant, std::size_t relevant) {
  std::vector<double> sums;
  for (const SearchHit& hit : hits) {
    double& sum = sums.emplace_back(0);
    for (const ScorePart& part : hit.explanation->parts) {
      if (part.name != term) sum += static_cast<double>(part.value);
    }
  }
  return ScoresInOrderOf(sums, hits, is_relevant, relevant);
}

}  // namespace

void Ablation::Add(const std::vector<SearchHit>& hits, const IsRelevant& is_relevant,
                   std::size_t relevant) {
  std::set<std::string> terms;
  for (const SearchHit& hit : hits) {
    for (const ScorePart& part : hit.explanation->parts) terms.emplace(part.name);
  }
  for (const std::string& term : terms) {
    without_[term][with_.size()] = ScoresWithout(term, hits, is_relevant, relevant);
  }
  with_.push_back(ScoresInOrderOf(std::vector<double>(hits.size()), hits, is_relevant, relevant));
}

std::map<std::string, Scores> Ablation::Means() const {
  std::map<std::string, Scores> means;
  for (const auto& [term, questions] : without_) {
    Scores& mean = means[term];
    for (std::size_t i = 0; i < with_.size(); ++i) {
      const auto without = questions.find(i);
      const Scores& scores = without == questions.end() ? with_[i] : without->second;
      for (std::size_t m = 0; m < mean.size(); ++m) {
        mean[m] += scores[m] / static_cast<double>(with_.size());
      }
    }
  }
  return means;
}

}  // namespace perdure::eval
