#include "tools/eval/question_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "tools/eval/derived_sets.h"

namespace perdure::eval {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kCorpus = "corpus.jsonl";
constexpr const char* kQueries = "queries.jsonl";
constexpr const char* kParaphrases = "queries.tsv";  // instead of both

// One line, whose members are asked for by name.
class Line {
 public:
  static Result<Line> Parse(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return Wrong("is not a JSON object");
    return Line(std::move(json));
  }

  static std::unexpected<Error> Wrong(std::string what) {
    return Fail(Code::kInvalidArgument, std::move(what));
  }

  bool Has(const char* name) const { return json_.contains(name); }

  Result<std::string> Needed(const char* name) const {
    if (!Has(name)) return Wrong(fmt::format("has no \"{}\"", name));
    return Text(name);
  }
  // Empty when absent; a number as its digits.
  Result<std::string> Text(const char* name) const {
    if (!Has(name)) return std::string();
    const Json& value = json_[name];
    if (value.is_number_integer()) return value.dump();
    if (!value.is_string()) return Wrong(fmt::format("\"{}\" is not a string", name));
    return value.get<std::string>();
  }
  Result<std::vector<std::string>> Texts(const char* name) const {
    std::vector<std::string> texts;
    if (!Has(name)) return texts;
    const Json& list = json_[name];
    const bool is_list =
        list.is_array() && std::ranges::all_of(list, [](const Json& e) { return e.is_string(); });
    if (!is_list) return Wrong(fmt::format("\"{}\" is not a list of strings", name));
    return list.get<std::vector<std::string>>();
  }
  Result<std::optional<double>> Number(const char* name) const {
    if (!Has(name)) return std::nullopt;
    if (!json_[name].is_number()) return Wrong(fmt::format("\"{}\" is not a number", name));
    return json_[name].get<double>();
  }
  Result<bool> Flag(const char* name) const {
    if (!Has(name)) return false;
    if (!json_[name].is_boolean()) return Wrong(fmt::format("\"{}\" is not true or false", name));
    return json_[name].get<bool>();
  }

 private:
  explicit Line(Json json) : json_(std::move(json)) {}

  Json json_;
};

Result<std::optional<Micros>> TimeOf(const Line& line) {
  ASSIGN_OR_RETURN(const std::string text, line.Text("time"));
  if (text.empty()) return std::nullopt;
  if (const auto time = ParseTime(text, "time")) return *time;
  const auto time = ParseTime(text + "Z", "time");
  if (!time) return Line::Wrong(fmt::format("\"time\" is no time: {}", text));
  return *time;
}

Result<Item> ItemOf(const Line& line) {
  Item item;
  ASSIGN_OR_RETURN(item.id, line.Needed("id"));
  ASSIGN_OR_RETURN(item.scope, line.Needed("scope"));
  ASSIGN_OR_RETURN(item.text, line.Needed("text"));
  ASSIGN_OR_RETURN(item.title, line.Text("title"));
  ASSIGN_OR_RETURN(item.tags, line.Texts("tags"));
  ASSIGN_OR_RETURN(const auto aliases, line.Texts("aliases"));
  item.tags.insert(item.tags.end(), aliases.begin(), aliases.end());
  ASSIGN_OR_RETURN(item.type, line.Text("type"));
  ASSIGN_OR_RETURN(item.theme, line.Text("theme"));
  ASSIGN_OR_RETURN(item.session, line.Text("session"));
  ASSIGN_OR_RETURN(item.speaker, line.Text("speaker"));
  ASSIGN_OR_RETURN(item.caption, line.Text("caption"));
  ASSIGN_OR_RETURN(item.importance, line.Number("importance"));
  ASSIGN_OR_RETURN(item.time, TimeOf(line));
  ASSIGN_OR_RETURN(item.is_pinned, line.Flag("pinned"));
  ASSIGN_OR_RETURN(const std::string status, line.Text("status"));
  item.is_superseded = status == "superseded";
  return item;
}

using Places = std::map<std::string, std::size_t>;

Result<Question> QuestionOf(const Line& line, const Places& items) {
  Question question;
  ASSIGN_OR_RETURN(question.id, line.Needed("id"));
  ASSIGN_OR_RETURN(question.scope, line.Needed("scope"));
  ASSIGN_OR_RETURN(question.text, line.Needed("text"));
  ASSIGN_OR_RETURN(question.category, line.Text("category"));
  if (question.category == "all") {
    return Line::Wrong("\"category\" is \"all\", which stands for every category");
  }
  ASSIGN_OR_RETURN(question.tags, line.Texts("tags"));
  ASSIGN_OR_RETURN(question.time, TimeOf(line));
  if (!line.Has("relevant")) return Line::Wrong("has no \"relevant\"");
  ASSIGN_OR_RETURN(const auto relevant, line.Texts("relevant"));
  std::set<std::size_t> places;
  for (const std::string& id : relevant) {
    const auto place = items.find(id);
    if (place == items.end()) {
      return Line::Wrong(fmt::format("\"relevant\" names {}, which the corpus has not", id));
    }
    places.insert(place->second);
  }
  question.relevant.assign(places.begin(), places.end());
  return question;
}

Status ForEachLine(const std::string& path, const std::function<Status(const Line&)>& take) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::size_t number = 0;
  while (std::getline(file, text)) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    Status taken;
    const auto line = Line::Parse(text);
    if (line) {
      taken = take(*line);
    } else {
      taken = std::unexpected(line.error());
    }
    if (!taken) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("{}:{}: the line {}.", path, number, taken.error().message));
    }
  }
  if (!file.eof()) {
    return Fail(Code::kUnavailable, fmt::format("Cannot read {}: {}.", path, std::strerror(errno)));
  }
  return {};
}

// The last `parts` folders of a path.
std::string Tail(const fs::path& path, std::size_t parts) {
  std::string tail = path.filename().string();
  fs::path above = path.parent_path();
  for (; parts > 1 && above.has_filename(); --parts, above = above.parent_path()) {
    tail = above.filename().string() + "/" + tail;
  }
  return tail;
}

std::vector<SetPlace> Named(const std::vector<fs::path>& folders) {
  std::vector<SetPlace> places;
  for (const fs::path& folder : folders) {
    std::size_t parts = 1;
    const auto is_shared = [&](const fs::path& other) {
      return other != folder && Tail(other, parts) == Tail(folder, parts);
    };
    while (std::ranges::any_of(folders, is_shared)) ++parts;
    places.push_back({Tail(folder, parts), folder.string()});
  }
  std::ranges::sort(places, {}, &SetPlace::name);
  return places;
}

}  // namespace

Result<std::vector<SetPlace>> FindSets(const std::string& directory) {
  std::error_code error;
  const fs::path root = fs::canonical(directory, error);
  std::vector<fs::path> folders;
  const auto add_if_set = [&folders](const fs::path& folder) {
    std::error_code ignored;
    const bool has_items = fs::is_regular_file(folder / kCorpus, ignored) &&
                           fs::is_regular_file(folder / kQueries, ignored);
    if (has_items || fs::is_regular_file(folder / kParaphrases, ignored)) folders.push_back(folder);
  };
  if (!error) {
    add_if_set(root);
    for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->is_directory()) add_if_set(entry->path());
    }
  }
  if (error) {
    return Fail(Code::kNotFound, fmt::format("Cannot read {}: {}.", directory, error.message()));
  }
  if (folders.empty()) {
    return Fail(Code::kNotFound, fmt::format("No folder below {} holds both {} and {}, or {}.",
                                             directory, kCorpus, kQueries, kParaphrases));
  }
  return Named(folders);
}

Result<QuestionSet> LoadSet(const SetPlace& place) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::path(place.directory) / kCorpus, ignored)) {
    return LoadParaphrases(place, kParaphrases);
  }
  QuestionSet set;
  set.name = place.name;
  Places items;
  RETURN_IF_ERROR(ForEachLine(place.directory + "/" + kCorpus, [&](const Line& line) -> Status {
    ASSIGN_OR_RETURN(Item item, ItemOf(line));
    if (!items.emplace(item.id, set.items.size()).second) {
      return Line::Wrong(fmt::format("repeats the id {}", item.id));
    }
    set.items.push_back(std::move(item));
    return {};
  }));
  RETURN_IF_ERROR(ForEachLine(place.directory + "/" + kQueries, [&](const Line& line) -> Status {
    ASSIGN_OR_RETURN(Question question, QuestionOf(line, items));
    set.questions.push_back(std::move(question));
    return {};
  }));
  return set;
}

Result<QuestionSet> OfScope(const QuestionSet& set, const std::string& scope) {
  QuestionSet part;
  part.name = set.name + "/" + scope;
  std::vector<std::size_t> places(set.items.size());
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    if (set.items[i].scope != scope) continue;
    places[i] = part.items.size();
    part.items.push_back(set.items[i]);
  }
  for (Question question : set.questions) {
    if (question.scope != scope) continue;
    std::erase_if(question.relevant, [&](std::size_t i) { return set.items[i].scope != scope; });
    for (std::size_t& item : question.relevant) item = places[item];
    part.questions.push_back(std::move(question));
  }
  if (part.questions.empty()) {
    return Fail(Code::kNotFound, fmt::format("{} asks nothing of {}.", set.name, scope));
  }
  return part;
}

bool HasScopesAsCategories(const QuestionSet& set) {
  const auto is_scope = [](const Question& q) { return q.category == q.scope; };
  return std::ranges::all_of(set.questions, is_scope) &&
         std::ranges::any_of(set.questions,
                             [&](const Question& q) { return q.scope != set.questions[0].scope; });
}

}  // namespace perdure::eval
