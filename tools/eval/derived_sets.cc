#include "tools/eval/derived_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>

namespace perdure::eval {
namespace {

constexpr std::size_t kTurnsOfSessionMin = 4;
constexpr const char* kOnlyScope = "all";

using SessionName = std::pair<std::string, std::string>;  // scope, session

void AddTurn(const Item& turn, Item& session) {
  if (!session.text.empty()) session.text += '\n';
  if (!turn.speaker.empty()) session.text += turn.speaker + ": ";
  session.text += turn.text;
}

Item TextItem(std::string id, const std::string& text) {
  Item item;
  item.id = std::move(id);
  item.scope = kOnlyScope;
  item.text = text;
  return item;
}

}  // namespace

std::optional<QuestionSet> SessionsOf(const QuestionSet& set) {
  QuestionSet sessions;
  sessions.name = set.name + "/sessions";
  std::map<SessionName, std::size_t> places;
  std::vector<std::size_t> session_of(set.items.size());
  std::set<std::string> scopes;
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    const Item& turn = set.items[i];
    if (turn.session.empty()) return std::nullopt;
    scopes.insert(turn.scope);
    const auto [place, is_new] =
        places.emplace(SessionName(turn.scope, turn.session), sessions.items.size());
    if (is_new) {
      sessions.items.push_back(TextItem(turn.scope + "/" + turn.session, ""));
      sessions.items.back().time = turn.time;
    }
    session_of[i] = place->second;
    AddTurn(turn, sessions.items[place->second]);
  }
  if (scopes.size() < 2 || set.items.size() < kTurnsOfSessionMin * sessions.items.size()) {
    return std::nullopt;
  }
  for (Question question : set.questions) {
    std::set<std::size_t> relevant;
    for (const std::size_t turn : question.relevant) relevant.insert(session_of[turn]);
    question.relevant.assign(relevant.begin(), relevant.end());
    question.scope = kOnlyScope;
    sessions.questions.push_back(std::move(question));
  }
  return sessions;
}

Result<QuestionSet> LoadParaphrases(const SetPlace& place, const std::string& file) {
  const std::string path = place.directory + "/" + file;
  QuestionSet set;
  set.name = place.name;
  std::ifstream lines(path, std::ios::binary);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    const std::size_t memory = line.find('\t');
    const std::size_t decoy = memory == std::string::npos ? memory : line.find('\t', memory + 1);
    if (decoy == std::string::npos || line.find('\t', decoy + 1) != std::string::npos) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("{}:{}: the line has not three columns.", path, number));
    }
    Question question;
    question.id = fmt::format("q{}", number);
    question.scope = kOnlyScope;
    question.text = line.substr(0, memory);
    question.relevant = {set.items.size()};
    set.questions.push_back(std::move(question));
    set.items.push_back(
        TextItem(fmt::format("memory{}", number), line.substr(memory + 1, decoy - memory - 1)));
    set.items.push_back(TextItem(fmt::format("decoy{}", number), line.substr(decoy + 1)));
  }
  if (!lines.eof()) return Fail(Code::kUnavailable, fmt::format("Cannot read {}.", path));
  return set;
}

}  // namespace perdure::eval
