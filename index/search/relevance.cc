#include "index/search/relevance.h"

#include <cmath>

namespace perdure {
namespace {

constexpr double kCoverageWeight = .2;

double Logistic(double r, double middle, double width) {
  return 1 / (1 + std::exp((middle - r) / width));
}

}  // namespace

double RelevanceByMeaning(double cosine, double coverage) {
  return Logistic(cosine + kCoverageWeight * coverage, .343, .08);
}

double RelevanceByWords(double coverage) { return Logistic(coverage, .3, .1); }

}  // namespace perdure
