// What an evaluation says: as JSON, as a table, and as a part of a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "tools/eval/runner.h"

namespace perdure::eval {

// {"sets": {NAME: {"all": FIGURES, CATEGORY: FIGURES}}}, FIGURES being every metric of metrics.h,
// "n", "unlabelled", "ci95" (of each metric), of "all" also "items", "p50_ms", "p99_ms",
// "p50_search_ms", "p99_search_ms", "degraded", "refused" and "wrongly_refused". Without a question
// with labels there are counts only. Each language of a set of several is also the set
// NAME/LANGUAGE, with "all" alone.
nlohmann::json ReportOf(const std::vector<SetRun>& runs);

// Figures of somebody else's, in the same form.
struct Beside {
  std::string label;
  nlohmann::json report;
};
// Of "LABEL=FILE". kInvalidArgument when the file holds no report.
Result<Beside> ReadBeside(const std::string& argument);

void PrintReport(const nlohmann::json& report, const std::vector<Beside>& beside);

// Writes the figures, and what each term of the score is worth, as Markdown tables between the
// lines "retrieval" of the page (pages.h).
Status WriteRetrieval(const std::string& page, const nlohmann::json& report,
                      const std::vector<Beside>& beside);

// One line a question: {"set", "id", "category", "hits": [ids of items]}.
Status WriteRankings(const std::string& path, const std::vector<SetRun>& runs);

}  // namespace perdure::eval
