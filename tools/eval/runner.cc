#include "tools/eval/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "tools/progress.h"

namespace perdure::eval {
namespace {

constexpr std::size_t kTimedMax = 200;
constexpr std::size_t kTimedLimit = 10;

std::string DirectoryOf(const QuestionSet& set, const std::string& parent) {
  std::string items;
  for (const Item& item : set.items) {
    for (const std::string* part : {&item.id, &item.scope, &item.text, &item.title, &item.session,
                                    &item.speaker, &item.caption, &item.type, &item.theme}) {
      items += fmt::format("{}:{}", part->size(), *part);
    }
    for (const std::string& tag : item.tags) items += fmt::format("{}:{}", tag.size(), tag);
    items += fmt::format("{} {} {} {}\n", item.time.value_or(kTimeMin),
                         item.importance.value_or(-1), item.is_pinned, item.is_superseded);
  }
  std::string name = set.name;
  std::ranges::replace(name, '/', '_');
  return fmt::format("{}/{}-{}", parent, name, HexEncode(AsBytes(Sha256(items))).substr(0, 12));
}

class Runner {
 public:
  Runner(const QuestionSet& set, FilledStore& store, SetRun& run)
      : set_(set), store_(store), run_(run), first_item_(store.memory_of_item().size()) {
    for (std::size_t i = set.items.size(); i-- > 0;) first_item_[store.memory_of_item()[i]] = i;
  }

  Status Ask(const Question& question) {
    Asked asked{question.id, question.scope, question.category, {}, {}, {}, 0};
    ASSIGN_OR_RETURN(const SearchAnswer answer, Search(question, limits::kSearchLimitMax));
    std::set<std::size_t> relevant;  // memories
    for (const std::size_t item : question.relevant) {
      relevant.insert(store_.memory_of_item()[item]);
    }
    const auto is_relevant = [&](const SearchHit& hit) {
      const std::size_t* memory = store_.Find(hit.id);
      return memory != nullptr && relevant.contains(*memory);
    };
    std::vector<std::size_t> ranks;
    for (const SearchHit& hit : answer.hits) {
      const std::size_t* memory = store_.Find(hit.id);
      asked.hits.push_back(memory == nullptr ? std::string() : set_.items[first_item_[*memory]].id);
      asked.why.push_back(*hit.explanation);
      if (is_relevant(hit)) ranks.push_back(asked.hits.size());
    }
    asked.scores = ScoreRanks(ranks, relevant.size());
    asked.relevance = answer.relevance;
    run_.ablation.Add(answer.hits, is_relevant, relevant.size());
    run_.asked.push_back(std::move(asked));
    if (answer.nothing_relevant) ++run_.wrongly_refused;
    NoteArms(answer);
    return {};
  }

  Status AskUnanswerable(const Question& question) {
    ASSIGN_OR_RETURN(const SearchAnswer answer, Search(question, kTimedLimit));
    if (answer.nothing_relevant) ++run_.refused;
    return {};
  }

  Status Time(const Question& question) {
    ASSIGN_OR_RETURN(const SearchAnswer answer, Search(question, kTimedLimit));
    if (answer.arms.empty()) return {};
    run_.times.push_back(
        {answer.timings.total_ms, answer.timings.total_ms - answer.timings.embed_ms});
    return {};
  }

 private:
  Result<SearchAnswer> Search(const Question& question, std::size_t limit) {
    if (question.text.empty()) return SearchAnswer{.nothing_relevant = true};
    SearchRequest request;
    request.query = question.text;
    request.limit = limit;
    request.explain = true;
    // When it does not say, "last week" is no week of the items', and the same in every run.
    request.now = question.time.value_or(kTimeMax);
    request.filter.scope = ScopePath{.containers = {question.scope}};
    // Of several, any would do, which the filter cannot say.
    if (question.tags.size() == 1) request.filter.tags = question.tags;
    auto answer = store_.house().search().Search(store_.principal(), request);
    if (answer) return answer;
    return Fail(answer.error().code, fmt::format("{}: the question {} was not answered: {}",
                                                 set_.name, question.id, answer.error().message));
  }

  void NoteArms(const SearchAnswer& answer) {
    bool is_degraded = false;
    for (const SearchArm& arm : answer.arms) {
      const bool is_whole = arm.status == ArmStatus::kOk || arm.status == ArmStatus::kStandIn;
      is_degraded = is_degraded || !is_whole;
      if (arm.name == "semantic" && !(is_whole && arm.note.empty())) {
        run_.semantic_note = arm.note;
      }
    }
    if (is_degraded) ++run_.degraded;
  }

  const QuestionSet& set_;
  FilledStore& store_;
  SetRun& run_;
  std::vector<std::size_t> first_item_;  // by number of a memory
};

}  // namespace

FilledStore::Place PlaceOf(const QuestionSet& set, const RunOptions& options) {
  return {.directory = DirectoryOf(set, options.directory),
          .model_dir = options.model_dir,
          .keep = options.keep};
}

Result<SetRun> RunSet(const QuestionSet& set, const RunOptions& options) {
  SetRun run;
  run.name = set.name;
  run.items = set.items.size();
  run.has_scopes_as_categories = HasScopesAsCategories(set);
  std::vector<const Question*> questions;
  for (const Question& question : set.questions) {
    if (question.relevant.empty()) {
      run.unlabelled.push_back(question.category);
    } else {
      questions.push_back(&question);
    }
  }
  questions = Spaced(questions, options.limit);
  if (questions.empty()) return run;
  ASSIGN_OR_RETURN(const auto store, FilledStore::Make(set, PlaceOf(set, options)));
  Runner runner(set, *store, run);
  ProgressBar progress("asking " + set.name, questions.size());
  for (const Question* question : questions) {
    RETURN_IF_ERROR(runner.Ask(*question));
    progress.Update(run.asked.size());
  }
  for (const Question& question : set.questions) {
    if (question.relevant.empty()) RETURN_IF_ERROR(runner.AskUnanswerable(question));
  }
  for (const Question* question : Spaced(questions, kTimedMax)) {
    RETURN_IF_ERROR(runner.Time(*question));
  }
  return run;
}

}  // namespace perdure::eval
