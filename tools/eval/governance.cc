#include "tools/eval/governance.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "engine/base/limits.h"
#include "tools/eval/governed_store.h"

namespace perdure::eval {
namespace {

constexpr std::size_t kFoundAmong = 10;

using Ids = std::set<std::string>;

class Asker {
 public:
  Asker(const GovernedSet& set, GovernedStore& store, GovernanceRun& run)
      : set_(set), store_(store), run_(run) {
    for (const GovernedItem& item : set.items) {
      if (item.time) earliest_ = std::min(earliest_.value_or(*item.time), *item.time);
    }
  }

  Status Ask(const GovernedQuestion& question) {
    ASSIGN_OR_RETURN(const std::vector<SearchHit> hits, Searched(question));
    Ids shown;
    for (const SearchHit& hit : hits) Note(hit.id, shown);
    TakeFound(question, hits);
    RETURN_IF_ERROR(List(question, shown));
    Ids control;
    RETURN_IF_ERROR(AskWithoutRules(question, control));
    for (const GovernedItem& item : set_.items) {
      const std::string why = WhyNot(item, question);
      if (why.empty()) continue;
      Kept& kept = run_.kept[why];
      ++kept.rows;
      kept.control += control.contains(item.id) ? 1 : 0;
      if (!shown.contains(item.id)) continue;
      ++kept.returned;
      run_.leaks.push_back(question.id + " " + item.id);
    }
    ++run_.questions;
    return {};
  }
  void Finish() {
    if (scored_ != 0) run_.found /= static_cast<double>(scored_);
  }

 private:
  static Principal AgentOf(const std::string& user) {
    Principal agent;
    agent.id = Uuid{{0xe7}};
    agent.roles = kAgent;
    agent.scope.user = user;
    agent.client = "perdure-eval";
    return agent;
  }
  void Note(const Uuid& id, Ids& ids) const {
    if (const GovernedItem* item = store_.Find(id)) ids.insert(item->id);
  }

  Result<std::vector<SearchHit>> SearchAs(const Principal& principal,
                                          const SearchRequest& request) {
    auto answer = store_.house().search().Search(principal, request);
    if (answer) return std::move(answer->hits);
    if (answer.error().code == Code::kNotFound) return std::vector<SearchHit>();
    return Fail(answer.error().code, fmt::format("{}: '{}' was not answered: {}", set_.name,
                                                 request.query, answer.error().message));
  }

  // Of all parts that the question asks, best first.
  Result<std::vector<SearchHit>> Searched(const GovernedQuestion& question) {
    std::vector<SearchHit> all;
    if (question.text.empty()) return all;
    for (const std::string& part : question.parts) {
      SearchRequest request;
      request.query = question.text;
      request.limit = limits::kSearchLimitMax;
      request.filter.scope = PlaceOf(question.user, part);
      ASSIGN_OR_RETURN(auto hits, SearchAs(AgentOf(question.user), request));
      std::ranges::move(hits, std::back_inserter(all));
    }
    std::ranges::stable_sort(all, std::greater(), &SearchHit::score);
    return all;
  }

  void TakeFound(const GovernedQuestion& question, const std::vector<SearchHit>& hits) {
    if (question.relevant.empty()) return;
    std::size_t found = 0;
    for (std::size_t i = 0; i < std::min(hits.size(), kFoundAmong); ++i) {
      const GovernedItem* item = store_.Find(hits[i].id);
      if (item && question.relevant.contains(item->id)) ++found;
    }
    run_.found += static_cast<double>(found) / static_cast<double>(question.relevant.size());
    ++scored_;
  }

  Status List(const GovernedQuestion& question, Ids& shown) {
    ASSIGN_OR_RETURN(const ReadView view, store_.house().engine().Read(AgentOf(question.user)));
    for (const std::string& part : question.parts) {
      ListFilter filter;
      filter.scope = PlaceOf(question.user, part);
      const auto page = view.List(filter, limits::kListLimitMax, "");
      if (!page && page.error().code == Code::kNotFound) continue;
      if (!page) return std::unexpected(page.error());
      for (const Memory& memory : page->memories) Note(memory.id, shown);
    }
    return {};
  }

  // As an operator of everything, in every state, now and before anything was resolved.
  Status AskWithoutRules(const GovernedQuestion& question, Ids& seen) {
    if (question.text.empty()) return {};
    Principal anyone;
    anyone.id = Uuid{{0xe8}};
    anyone.roles = kAgent | kReviewer | kAuditor | kOperator;
    SearchRequest request;
    request.query = question.text;
    request.limit = limits::kSearchLimitMax;
    for (const fb::MemoryState state : fb::EnumValuesMemoryState()) {
      request.filter.states.push_back(state);
    }
    for (const auto& valid_at : {std::optional<Micros>(), earliest_}) {
      request.at.valid_at = valid_at;
      ASSIGN_OR_RETURN(const auto hits, SearchAs(anyone, request));
      for (const SearchHit& hit : hits) Note(hit.id, seen);
    }
    return {};
  }

  const GovernedSet& set_;
  GovernedStore& store_;
  GovernanceRun& run_;
  std::optional<Micros> earliest_;
  std::size_t scored_ = 0;
};

}  // namespace

Result<GovernanceRun> RunGovernance(const GovernedSet& set, const std::string& directory,
                                    const std::string& model_dir) {
  GovernanceRun run;
  run.name = set.name;
  ASSIGN_OR_RETURN(const auto store, GovernedStore::Make(set, directory, model_dir));
  Asker asker(set, *store, run);
  for (const GovernedQuestion& question : set.questions) RETURN_IF_ERROR(asker.Ask(question));
  asker.Finish();
  return run;
}

bool Passes(const GovernanceRun& run) {
  return std::ranges::all_of(run.kept, [](const auto& reason) {
    return reason.second.returned == 0 && reason.second.control > 0;
  });
}

}  // namespace perdure::eval
