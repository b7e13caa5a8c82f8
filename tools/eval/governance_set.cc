#include "tools/eval/governance_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace perdure::eval {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kUniversal = "user:universal";

std::string TextIn(const Json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> TextsIn(const Json& line, const char* name) {
  std::vector<std::string> texts;
  const auto found = line.find(name);
  if (found == line.end() || !found->is_array()) return texts;
  for (const Json& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

Result<std::optional<Micros>> TimeIn(const Json& line, const char* name) {
  const std::string text = TextIn(line, name);
  if (text.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const Micros time, ParseTime(text, name));
  return time;
}

Result<GovernedItem> ItemOf(const Json& line) {
  GovernedItem item;
  item.id = TextIn(line, "id");
  item.user = TextIn(line, "scope");
  item.text = TextIn(line, "text");
  item.title = TextIn(line, "title");
  item.aliases = TextsIn(line, "aliases");
  item.status = TextIn(line, "status");
  item.superseded_by = TextIn(line, "superseded_by");
  item.is_pinned = line.value("pinned", false);
  const std::vector<std::string> tags = TextsIn(line, "tags");
  item.part = tags.empty() ? std::string(kUniversal) : tags.front();
  ASSIGN_OR_RETURN(item.time, TimeIn(line, "time"));
  ASSIGN_OR_RETURN(item.resolved_at, TimeIn(line, "resolved_at"));
  return item;
}

Result<GovernedQuestion> QuestionOf(const Json& line) {
  GovernedQuestion question;
  question.id = TextIn(line, "id");
  question.user = TextIn(line, "scope");
  question.text = TextIn(line, "text");
  for (std::string& tag : TextsIn(line, "tags")) question.parts.insert(std::move(tag));
  question.parts.emplace(kUniversal);
  for (std::string& id : TextsIn(line, "relevant")) question.relevant.insert(std::move(id));
  const Json expected = line.value("expect", Json::object());
  for (const char* place : {"relevantBeliefs", "openQuestions"}) {
    for (std::string& id : TextsIn(expected.value(place, Json::object()), "mustExclude")) {
      question.excluded.insert(std::move(id));
    }
  }
  return question;
}

// Each line of the file, made into what `make` makes of it.
template <typename Made>
Result<std::vector<Made>> ReadLines(const std::string& path, Result<Made> (*make)(const Json&)) {
  std::ifstream file(path);
  std::vector<Made> all;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const Json line = Json::parse(text, nullptr, false);
    const bool is_whole = line.is_object() && !TextIn(line, "id").empty() &&
                          !TextIn(line, "scope").empty() && line.contains("text");
    if (!is_whole) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("{}:{} is no object with id, scope and text.", path, number));
    }
    auto made = make(line);
    if (!made) {
      return Fail(made.error().code, fmt::format("{}:{}: {}", path, number, made.error().message));
    }
    all.push_back(*std::move(made));
  }
  return all;
}

}  // namespace

Result<GovernedSet> LoadGovernedSet(const SetPlace& place) {
  GovernedSet set;
  set.name = place.name;
  ASSIGN_OR_RETURN(set.items, ReadLines(place.directory + "/corpus.jsonl", ItemOf));
  ASSIGN_OR_RETURN(set.questions, ReadLines(place.directory + "/queries.jsonl", QuestionOf));
  return set;
}

bool HasRules(const GovernedSet& set) {
  return std::ranges::any_of(set.items, [](const GovernedItem& item) {
    return !item.status.empty() || !item.superseded_by.empty() || item.resolved_at;
  });
}

std::string WhyNot(const GovernedItem& item, const GovernedQuestion& question) {
  for (const char* status : {"superseded", "rejected", "pending", "forgotten", "archived"}) {
    if (item.status == status) return status;
  }
  if (item.resolved_at) return "resolved";
  if (item.user != question.user) return "other user";
  if (!question.parts.contains(item.part)) return "other part";
  return question.excluded.contains(item.id) ? "named" : "";
}

}  // namespace perdure::eval
