// Whether what may not be returned never is: each question of a set asked as an agent of its user,
// and once more as a control, without the rules that keep things out.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "tools/eval/governance_set.h"

namespace perdure::eval {

// Of one reason why items may not answer: pairs of a question and such an item.
struct Kept {
  std::size_t rows = 0;
  std::size_t returned = 0;  // by a search or a list: none may be
  std::size_t control = 0;   // by a search without the rules
};

struct GovernanceRun {
  std::string name;
  std::size_t questions = 0;
  std::map<std::string, Kept> kept;  // by reason
  std::vector<std::string> leaks;    // "question item"
  double found = 0;                  // share of the relevant items among the first 10
};

// `directory` is for the set's store, and goes away.
Result<GovernanceRun> RunGovernance(const GovernedSet& set, const std::string& directory,
                                    const std::string& model_dir);

// Nothing was returned that may not be, and the control would have seen it.
bool Passes(const GovernanceRun& run);

// {"sets": {NAME: {"questions", "rows", "returned", "control", "R@10", "by": {REASON: {...}},
// "leaks": [...]}}, "passes"}
nlohmann::json GovernanceReport(const std::vector<GovernanceRun>& runs);
void PrintGovernance(const nlohmann::json& report);
// Between the page's marks.
Status WriteGovernance(const std::string& page, const nlohmann::json& report);

}  // namespace perdure::eval
