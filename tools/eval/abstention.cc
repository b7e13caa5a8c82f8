#include "tools/eval/abstention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "index/search/query_embedder.h"
#include "index/search/relevance.h"
#include "tools/eval/pages.h"
#include "tools/progress.h"
#include "tools/table.h"

namespace perdure::eval {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kQuestionsDefault = 200;
// Points of the curve: the shares of answerable questions that are to be kept.
constexpr std::array kKept = {.99, .97, .95, .90, .80};
constexpr std::array kKinds = {"foreign", "neighbour", "unanswerable"};

// The relevance that each question was answered with.
struct Relevances {
  std::vector<double> answerable;
  std::map<std::string, std::vector<double>> others;  // by kKinds

  void Add(const Relevances& more) {
    answerable.insert(answerable.end(), more.answerable.begin(), more.answerable.end());
    for (const auto& [kind, all] : more.others) {
      others[kind].insert(others[kind].end(), all.begin(), all.end());
    }
  }
};

double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

double ShareBelow(const std::vector<double>& values, double bound) {
  if (values.empty()) return 0;
  const auto below = std::ranges::count_if(values, [&](double v) { return v < bound; });
  return static_cast<double>(below) / static_cast<double>(values.size());
}

Json PointAt(const Relevances& asked, double relevance) {
  Json point = {{"relevance", Rounded(relevance)},
                {"kept", Rounded(1 - ShareBelow(asked.answerable, relevance))}};
  for (const char* kind : kKinds) {
    const auto found = asked.others.find(kind);
    if (found != asked.others.end()) {
      point[kind] = Rounded(ShareBelow(found->second, relevance));
    }
  }
  return point;
}

Json FiguresOf(Relevances asked) {
  std::ranges::sort(asked.answerable);
  Json figures = {{"answerable", asked.answerable.size()}, {"curve", Json::array()}};
  for (const auto& [kind, all] : asked.others) figures[kind] = all.size();
  for (const double kept : kKept) {
    const auto dropped = static_cast<std::size_t>(
        std::floor((1 - kept) * static_cast<double>(asked.answerable.size()) + 1e-9));
    figures["curve"].push_back(PointAt(asked, asked.answerable[dropped]));
  }
  figures["at_floor"] = PointAt(asked, kRelevanceFloor);
  return figures;
}

bool TakesPart(const QuestionSet& set) {
  return !set.name.ends_with("/sessions") && !HasScopesAsCategories(set) &&
         std::ranges::any_of(set.questions, [](const Question& q) { return !q.relevant.empty(); });
}

std::vector<const Question*> Answerable(const QuestionSet& set, std::size_t count) {
  std::vector<const Question*> all;
  for (const Question& question : set.questions) {
    if (!question.relevant.empty() && !question.text.empty()) all.push_back(&question);
  }
  return Spaced(all, count);
}

// Of an alphabet that the model knows, as its first question is.
bool IsKnown(const QuestionSet& set) { return KnowsScriptOf(set.questions.front().text); }

class Asker {
 public:
  Asker(const QuestionSet& set, FilledStore& store) : set_(set), store_(store) {
    for (const Question& question : set.questions) {
      if (std::ranges::find(scopes_, question.scope) == scopes_.end()) {
        scopes_.push_back(question.scope);
      }
    }
  }

  Result<Relevances> Ask(const std::vector<QuestionSet>& sets, std::size_t limit);

 private:
  Status AskOf(const Question& question, const std::string& scope, std::vector<double>& to) {
    SearchRequest request;
    request.query = question.text;
    request.filter.scope = ScopePath{.containers = {scope}};
    ASSIGN_OR_RETURN(const SearchAnswer answer,
                     store_.house().search().Search(store_.principal(), request));
    for (const SearchArm& arm : answer.arms) {
      if (arm.status == ArmStatus::kOk || arm.status == ArmStatus::kStandIn) continue;
      return Fail(Code::kUnavailable,
                  fmt::format("{}: the question {} was answered without the {} arm: {}", set_.name,
                              question.id, arm.name, arm.note));
    }
    to.push_back(static_cast<double>(answer.relevance));
    return {};
  }

  const QuestionSet& set_;
  FilledStore& store_;
  std::vector<std::string> scopes_;
};

Result<Relevances> Asker::Ask(const std::vector<QuestionSet>& sets, std::size_t limit) {
  Relevances asked;
  for (const Question* question : Answerable(set_, limit)) {
    RETURN_IF_ERROR(AskOf(*question, question->scope, asked.answerable));
    if (scopes_.size() < 2) continue;
    const auto own = std::ranges::find(scopes_, question->scope) - scopes_.begin();
    const auto next = static_cast<std::size_t>(own + 1) % scopes_.size();
    RETURN_IF_ERROR(AskOf(*question, scopes_[next], asked.others["neighbour"]));
  }
  for (const Question& question : set_.questions) {
    if (!question.relevant.empty() || question.text.empty()) continue;
    RETURN_IF_ERROR(AskOf(question, question.scope, asked.others["unanswerable"]));
  }
  std::vector<const QuestionSet*> others;
  for (const QuestionSet& other : sets) {
    const bool is_other = other.name != set_.name && TakesPart(other);
    if (is_other && IsKnown(other) == IsKnown(set_)) others.push_back(&other);
  }
  std::size_t place = 0;
  for (const QuestionSet* other : others) {
    for (const Question* question : Answerable(*other, limit / others.size())) {
      const std::string& scope = scopes_[place++ % scopes_.size()];
      RETURN_IF_ERROR(AskOf(*question, scope, asked.others["foreign"]));
    }
  }
  return asked;
}

template <typename Visit>
void ForEachPoint(const Json& report, Visit visit) {
  const auto visit_all = [&](const std::string& name, const Json& figures) {
    for (const Json& point : figures["curve"]) visit(name, point);
    visit(name + ", by default", figures["at_floor"]);
  };
  visit_all("all", report["all"]);
  for (const auto& [name, figures] : report["sets"].items()) {
    visit(name + ", by default", figures["at_floor"]);
  }
}

std::string ShareAt(const Json& point, const char* name) {
  return point.contains(name) ? fmt::format("{:.3f}", point[name].get<double>()) : std::string();
}

constexpr std::array kColumns = {"relevance", "kept", "foreign", "neighbour", "unanswerable"};

}  // namespace

Result<Json> RunAbstention(const std::vector<QuestionSet>& sets, const RunOptions& options) {
  const std::size_t limit = options.limit == 0 ? kQuestionsDefault : options.limit;
  Json report = {{"floor", kRelevanceFloor}, {"sets", Json::object()}};
  Relevances all;
  for (const QuestionSet& set : sets) {
    if (!TakesPart(set)) continue;
    ASSIGN_OR_RETURN(const auto store, FilledStore::Make(set, PlaceOf(set, options)));
    ASSIGN_OR_RETURN(const Relevances asked, Asker(set, *store).Ask(sets, limit));
    report["sets"][set.name] = FiguresOf(asked);
    all.Add(asked);
  }
  if (all.answerable.empty()) {
    return Fail(Code::kNotFound, "No set has a question with an answer.");
  }
  report["all"] = FiguresOf(std::move(all));
  return report;
}

void PrintAbstention(const Json& report) {
  Table table({"set", "relevance", "kept", "another set's refused", "another scope's refused",
               "unanswerable refused"});
  ForEachPoint(report, [&](const std::string& name, const Json& point) {
    std::vector<std::string> row = {name};
    for (const char* column : kColumns) row.push_back(ShareAt(point, column));
    table.Add(std::move(row));
  });
  table.Print();
}

Status WriteAbstention(const std::string& page, const Json& report) {
  std::string text =
      "| set | relevance | kept | another set's refused | another scope's refused | unanswerable "
      "refused |\n|---|---|---|---|---|---|\n";
  ForEachPoint(report, [&](const std::string& name, const Json& point) {
    text += fmt::format("| {} |", name);
    for (const char* column : kColumns) text += fmt::format(" {} |", ShareAt(point, column));
    text += "\n";
  });
  return WriteIntoPage(page, "abstention", text);
}

}  // namespace perdure::eval
