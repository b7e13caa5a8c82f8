// Asks the questions of a set, through the search that users have.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "tools/eval/ablation.h"
#include "tools/eval/filled_store.h"
#include "tools/eval/metrics.h"
#include "tools/eval/question_set.h"

namespace perdure::eval {

struct RunOptions {
  std::string directory;  // for the sets' stores
  std::string model_dir;
  bool keep = false;
  std::size_t limit = 0;  // so many questions a set, evenly spaced; 0: all
};

struct Asked {
  std::string id;
  std::string scope;
  std::string category;
  Scores scores{};
  std::vector<std::string> hits;            // ids of items, best first
  std::vector<SearchExplanation> why = {};  // of each
  float relevance = 0;
};

// What one question took, asked for the 10 results that searches give by default.
struct QuestionTime {
  double total_ms = 0;
  double without_embedding_ms = 0;
};

struct SetRun {
  std::string name;
  std::size_t items = 0;
  std::vector<Asked> asked;             // questions with labels
  std::vector<std::string> unlabelled;  // categories of those without
  // Said to have nothing relevant: of those without labels, and of the others.
  std::size_t refused = 0;
  std::size_t wrongly_refused = 0;
  Ablation ablation;
  std::vector<QuestionTime> times;  // of up to 200 questions, evenly spaced
  bool has_scopes_as_categories = false;
  std::size_t degraded = 0;   // questions that an arm did not answer, or not from everything
  std::string semantic_note;  // what a reader should know about the semantic arm
};

// At most `count` of them, evenly spaced; 0: all.
template <typename T>
std::vector<T> Spaced(const std::vector<T>& all, std::size_t count) {
  if (count == 0 || count >= all.size()) return all;
  std::vector<T> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

// Where the set's store lies: a store that was kept serves the very same items only.
FilledStore::Place PlaceOf(const QuestionSet& set, const RunOptions& options);

// Stores and indexes the set, unless none of its questions has labels, and asks for the first 100
// results of each question. A blank question finds nothing.
Result<SetRun> RunSet(const QuestionSet& set, const RunOptions& options);

}  // namespace perdure::eval
