// Whether searches say that nothing is relevant when nothing is: the questions of every set are put
// to the memories that answer them, to those of other sets, and to other scopes of the same set.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "tools/eval/question_set.h"
#include "tools/eval/runner.h"

namespace perdure::eval {

// Asks at most `options.limit` questions of each set, evenly spaced, of its own items, and as many
// questions of the other sets; 0 stands for 200. Sets of whole sessions or several languages, and
// sets without a label, ask and hold nothing; nor are sets mixed of which the model knows only
// one's script.
//
//   {"floor", "all": {"answerable": n, "foreign": n, "neighbour": n, "unanswerable": n,
//                     "curve": [{"relevance", "kept", "foreign", "neighbour", "unanswerable"}],
//                     "at_floor": {...}},
//    "sets": {NAME: the same}}
//
// `kept`: share of the answerable questions with at least that relevance; the others: shares of the
// questions that are refused. `foreign` questions are another set's, `neighbour` ones another
// scope's, `unanswerable` ones have no relevant item although they are the set's own.
Result<nlohmann::json> RunAbstention(const std::vector<QuestionSet>& sets,
                                     const RunOptions& options);

void PrintAbstention(const nlohmann::json& report);

// Writes the curve as a Markdown table between its lines of the page.
Status WriteAbstention(const std::string& page, const nlohmann::json& report);

}  // namespace perdure::eval
