// jsonl: an object a line. csv: RFC 4180, the first record names the fields.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "server/api/json.h"
#include "tools/import/readers.h"

namespace perdure::readers {
namespace {

using Json = nlohmann::json;

// Which argument a field becomes.
using FieldMap = std::map<std::string, std::string>;

const std::set<std::string>& Arguments() {
  static const std::set<std::string> known = {
      "text",    "title",        "tags",       "kind",           "type",       "theme",
      "source",  "scope",        "speaker",    "reference_time", "valid_from", "valid_until",
      "session", "conversation", "expires_at", "importance",     "authorship"};
  return known;
}

Result<FieldMap> MapOf(std::string_view fields) {
  FieldMap map;
  while (!fields.empty()) {
    const std::size_t comma = std::min(fields.find(','), fields.size());
    const std::string_view pair = fields.substr(0, comma);
    const std::size_t equals = pair.find('=');
    const std::string argument(pair.substr(0, equals));
    if (equals == pair.npos || !Arguments().contains(argument)) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("'{}' says of no argument which field it is. Example: "
                              "--fields text=body,title=name",
                              pair),
                  "fields");
    }
    map[std::string(pair.substr(equals + 1))] = argument;
    fields.remove_prefix(std::min(fields.size(), comma + 1));
  }
  return map;
}

bool IsTime(const std::string& argument) {
  return argument.ends_with("_time") || argument.starts_with("valid_") || argument == "expires_at";
}

Json TagsOf(const Json& value) {
  if (value.is_array()) return value;
  Json tags = Json::array();
  std::string_view text = value.get_ref<const std::string&>();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    std::string_view tag = text.substr(0, end);
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    if (!tag.empty()) tags.push_back(std::string(tag));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return tags;
}

// A field without a place of its own is metadata.
ImportRow RowOf(std::uint64_t line, const Json& fields, const FieldMap& map) {
  Json arguments = Json::object();
  for (const auto& [field, value] : fields.items()) {
    const auto mapped = map.find(field);
    const std::string argument = mapped != map.end()           ? mapped->second
                                 : Arguments().contains(field) ? field
                                                               : std::string();
    if (value.is_null() || value == "") continue;
    if (argument.empty()) {
      arguments["metadata"][field] = value;
    } else if (IsTime(argument)) {
      SetTime(arguments, argument.c_str(), fields, field.c_str());
      if (!arguments.contains(argument)) {
        return Problem(line, fmt::format("\"{}\" is no time.", field));
      }
    } else if (argument == "tags" && (value.is_string() || value.is_array())) {
      arguments["tags"] = TagsOf(value);
    } else if (argument == "importance" && value.is_string()) {
      const auto number = ParseJson(value.get<std::string>());
      if (!number || !number->is_number()) {
        return Problem(line, fmt::format("\"{}\" is no number.", field));
      }
      arguments["importance"] = *number;
    } else {
      arguments[argument] = value;
    }
  }
  const Json text = arguments.value("text", Json());
  if (!text.is_string())
    return Problem(line, "It has no text: name its field by --fields text=...");
  ImportRow row = NoteRow(line, text.get<std::string>());
  if (row.problem.empty()) row.arguments = std::move(arguments);
  return row;
}

// The next record of a CSV text; nullopt at its end. An error where a quote is not closed.
class Records {
 public:
  explicit Records(std::string_view text) : rest_(text) {}

  std::optional<std::vector<std::string>> Next() {
    if (rest_.empty()) return std::nullopt;
    std::vector<std::string> record;
    begun_ = line_;
    do record.push_back(Field());
    while (TakeIf(','));
    if (!TakeIf('\r') || rest_.starts_with('\n')) static_cast<void>(TakeIf('\n'));
    return record;
  }
  std::uint64_t line() const { return begun_; }  // where the last record begins
  bool is_open() const { return is_open_; }      // a quote was never closed

 private:
  bool TakeIf(char c) {
    if (!rest_.starts_with(c)) return false;
    if (c == '\n') ++line_;
    rest_.remove_prefix(1);
    return true;
  }
  std::string Field() {
    std::string field;
    if (!TakeIf('"')) {
      field = rest_.substr(0, rest_.find_first_of(",\r\n"));
      rest_.remove_prefix(field.size());
      return field;
    }
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (TakeIf('"')) {
        if (!TakeIf('"')) return field;
      } else {
        static_cast<void>(TakeIf(c));
      }
      field += c;
    }
    is_open_ = true;
    return field;
  }

  std::string_view rest_;
  std::uint64_t line_ = 1;
  std::uint64_t begun_ = 1;
  bool is_open_ = false;
};

}  // namespace

Status Jsonl(const std::string& path, const std::string& fields, const TakeRow& take) {
  ASSIGN_OR_RETURN(const FieldMap map, MapOf(fields));
  return EachLine(path, [&](std::uint64_t line, std::string_view text) {
    const auto json = ParseJson(text);
    if (!json || !json->is_object()) return take(Problem(line, "It is no JSON object."));
    return take(RowOf(line, *json, map));
  });
}

Status Csv(const std::string& path, const std::string& fields, const TakeRow& take) {
  ASSIGN_OR_RETURN(const FieldMap map, MapOf(fields));
  ASSIGN_OR_RETURN(const std::string text, WholeFile(path));
  Records records(text);
  const auto heads = records.Next();
  if (!heads) return {};
  while (const auto record = records.Next()) {
    if (record->size() == 1 && record->front().empty()) continue;  // a blank line
    if (records.is_open()) return take(Problem(records.line(), "A quote is not closed."));
    if (record->size() != heads->size()) {
      RETURN_IF_ERROR(take(Problem(
          records.line(), fmt::format("It has {} fields of {}.", record->size(), heads->size()))));
      continue;
    }
    Json row = Json::object();
    for (std::size_t i = 0; i < heads->size(); ++i) row[(*heads)[i]] = (*record)[i];
    RETURN_IF_ERROR(take(RowOf(records.line(), row, map)));
  }
  return {};
}

}  // namespace perdure::readers
