#include "server/api/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/bytes.h"
#include "server/api/json.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

Result<Json> ReadValue(const Json& schema, const Json& value, const std::string& path);

// Values are quoted in messages, so long ones are cut.
std::string Quote(const Json& value) {
  constexpr std::size_t kQuoteBytesMax = 60;
  const std::string text = DumpJson(value);
  if (text.size() <= kQuoteBytesMax) return text;
  return std::string(CutAtGrapheme(text, kQuoteBytesMax)) + "...";
}

std::string_view TypeOf(const Json& schema) {
  const auto type = schema.find("type");
  return type == schema.end() ? std::string_view() : type->get_ref<const std::string&>();
}

Json ExampleOf(const Json& schema) {
  if (const auto it = schema.find("x-example"); it != schema.end()) return *it;
  if (const auto it = schema.find("examples"); it != schema.end() && !it->empty())
    return it->front();
  if (const auto it = schema.find("default"); it != schema.end()) return *it;
  if (const auto it = schema.find("enum"); it != schema.end()) return it->front();
  const std::string_view type = TypeOf(schema);
  if (type == "integer") return schema.value("minimum", 1);
  if (type == "number") return schema.value("minimum", 0.5);
  if (type == "boolean") return true;
  if (type == "array") {
    const auto items = schema.find("items");
    return Json::array({items == schema.end() ? Json("...") : ExampleOf(*items)});
  }
  if (type != "object") return "...";
  Json example = Json::object();
  if (const auto required = schema.find("required"); required != schema.end()) {
    for (const auto& name : *required) {
      const auto& key = name.get_ref<const std::string&>();
      example[key] = ExampleOf(schema["properties"][key]);
    }
  }
  return example;
}

// `path` without indices ends in the argument's own name, which the example shows.
std::string Example(const Json& schema, const std::string& path) {
  std::string name = path.substr(path.rfind('.') + 1);
  name = name.substr(0, name.find('['));
  const bool is_element = path.ends_with(']');
  Json value = ExampleOf(schema);
  if (is_element) value = Json::array({std::move(value)});
  return name.empty() ? DumpJson(value) : DumpJson(Json{{name, std::move(value)}});
}

std::unexpected<Error> Wrong(const Json& schema, const std::string& path, std::string_view problem,
                             Code code = Code::kInvalidArgument) {
  return Fail(code, fmt::format("\"{}\" {}. Example: {}", path, problem, Example(schema, path)),
              path);
}

bool IsEmpty(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return (value.is_array() || value.is_object()) && value.empty();
}

// An optional argument that says nothing; the same as one that was not sent.
bool SaysNothing(const Json& schema, const Json& value) {
  if (value.is_null()) return true;
  return IsEmpty(value) && !schema.value("x-keep-empty", false);
}

// An array or object that a client sent as text.
std::optional<Json> FromText(const Json& value, Json::value_t wanted) {
  if (!value.is_string()) return std::nullopt;
  auto parsed = ParseJson(value.get_ref<const std::string&>());
  if (!parsed || parsed->type() != wanted) return std::nullopt;
  return std::move(*parsed);
}

std::optional<double> ParseNumber(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> ParseInteger(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem == std::errc() && stop == end) return number;
  }
  const auto number = ParseNumber(value);
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kExactMax) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

std::string Bounds(const Json& schema, std::string_view noun) {
  const auto low = schema.find("minimum");
  const auto high = schema.find("maximum");
  if (low != schema.end() && high != schema.end()) {
    return fmt::format("{} from {} to {}", noun, low->dump(), high->dump());
  }
  if (low != schema.end()) return fmt::format("{} of at least {}", noun, low->dump());
  if (high != schema.end()) return fmt::format("{} of at most {}", noun, high->dump());
  return std::string(noun);
}

template <typename Number>
Result<Json> InBounds(const Json& schema, const std::string& path, Number number,
                      std::string_view noun) {
  const auto low = schema.find("minimum");
  const auto high = schema.find("maximum");
  if ((low != schema.end() && number < low->get<Number>()) ||
      (high != schema.end() && number > high->get<Number>())) {
    return Wrong(schema, path,
                 fmt::format("must be {}, but was {}", Bounds(schema, noun), Quote(Json(number))));
  }
  return Json(number);
}

Result<Json> ReadInteger(const Json& schema, const Json& value, const std::string& path) {
  const auto number = ParseInteger(value);
  if (!number) {
    return Wrong(
        schema, path,
        fmt::format("must be {}, but was {}", Bounds(schema, "a whole number"), Quote(value)));
  }
  return InBounds(schema, path, *number, "a whole number");
}

Result<Json> ReadNumber(const Json& schema, const Json& value, const std::string& path) {
  const auto number = ParseNumber(value);
  if (!number) {
    return Wrong(schema, path,
                 fmt::format("must be {}, but was {}", Bounds(schema, "a number"), Quote(value)));
  }
  return InBounds(schema, path, *number, "a number");
}

Result<Json> ReadBoolean(const Json& schema, const Json& value, const std::string& path) {
  if (value.is_boolean()) return value;
  if (value.is_string()) {
    std::string word = value.get<std::string>();
    std::ranges::transform(word, word.begin(), [](unsigned char letter) {
      return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
    });
    if (word == "true") return Json(true);
    if (word == "false") return Json(false);
  }
  return Wrong(schema, path, fmt::format("must be true or false, but was {}", Quote(value)));
}

Result<Json> ReadString(const Json& schema, const Json& value, const std::string& path) {
  if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
    return Wrong(schema, path, fmt::format("must be text, but was {}", Quote(value)));
  }
  std::string text = value.is_string() ? value.get<std::string>() : DumpJson(value);
  if (const auto low = schema.find("minLength");
      low != schema.end() && text.size() < low->get<std::size_t>()) {
    return Wrong(schema, path,
                 fmt::format("must have at least {} bytes, but had {}", low->dump(), text.size()));
  }
  if (const auto high = schema.find("maxLength");
      high != schema.end() && text.size() > high->get<std::size_t>()) {
    return Wrong(schema, path,
                 fmt::format("must have at most {} bytes, but had {}", high->dump(), text.size()),
                 Code::kTooLarge);
  }
  return Json(std::move(text));
}

Result<Json> ReadArray(const Json& schema, const Json& value, const std::string& path) {
  Json array = value;
  if (!array.is_array()) {
    const auto items = schema.find("items");
    const std::string_view element = items == schema.end() ? "" : TypeOf(*items);
    if (auto parsed = FromText(value, Json::value_t::array)) {
      array = std::move(*parsed);
    } else if (value.is_primitive() && !element.empty() && element != "object" &&
               element != "array") {
      array = Json::array({value});
    } else {
      return Wrong(schema, path, fmt::format("must be an array, but was {}", Quote(value)));
    }
  }
  if (const auto low = schema.find("minItems");
      low != schema.end() && array.size() < low->get<std::size_t>()) {
    return Wrong(
        schema, path,
        fmt::format("must have at least {} elements, but had {}", low->dump(), array.size()));
  }
  if (const auto high = schema.find("maxItems");
      high != schema.end() && array.size() > high->get<std::size_t>()) {
    return Wrong(
        schema, path,
        fmt::format("must have at most {} elements, but had {}", high->dump(), array.size()),
        Code::kTooLarge);
  }
  const auto items = schema.find("items");
  if (items == schema.end()) return array;
  Json read = Json::array();
  for (std::size_t i = 0; i < array.size(); ++i) {
    ASSIGN_OR_RETURN(Json element, ReadValue(*items, array[i], fmt::format("{}[{}]", path, i)));
    read.push_back(std::move(element));
  }
  return read;
}

std::string Names(const Json& properties) {
  std::string names;
  for (const auto& [name, schema] : properties.items()) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

Status RefuseUnknown(const Json& schema, const Json& properties, const Json& object,
                     const std::string& prefix) {
  if (schema.value("additionalProperties", false)) return {};
  for (const auto& [name, value] : object.items()) {
    if (properties.contains(name)) continue;
    const std::string known = properties.empty() ? std::string("there are none")
                                                 : fmt::format("known are: {}", Names(properties));
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}{}\" is not a known argument; {}. Example: {}", prefix, name,
                            known, DumpJson(ExampleOf(schema))),
                prefix + name);
  }
  return {};
}

bool IsRequired(const Json& schema, const std::string& name) {
  const auto required = schema.find("required");
  return required != schema.end() && std::ranges::find(*required, Json(name)) != required->end();
}

Result<Json> ReadMembers(const Json& schema, const Json& object, const std::string& prefix) {
  const auto properties = schema.find("properties");
  if (properties == schema.end()) return object;
  RETURN_IF_ERROR(RefuseUnknown(schema, *properties, object, prefix));
  Json read = Json::object();
  for (const auto& [name, value] : object.items()) {
    if (!properties->contains(name)) read[name] = value;  // additionalProperties
  }
  for (const auto& [name, property] : properties->items()) {
    const auto value = object.find(name);
    if (value != object.end() && !SaysNothing(property, *value)) {
      ASSIGN_OR_RETURN(read[name], ReadValue(property, *value, prefix + name));
    } else if (IsRequired(schema, name)) {
      const bool sent = value != object.end() && !value->is_null();
      return Wrong(property, prefix + name, sent ? "must not be empty" : "is required");
    } else if (const auto fallback = property.find("default"); fallback != property.end()) {
      read[name] = *fallback;
    }
  }
  return read;
}

Result<Json> ReadObject(const Json& schema, const Json& value, const std::string& path) {
  if (value.is_object()) return ReadMembers(schema, value, path + ".");
  if (const auto parsed = FromText(value, Json::value_t::object)) {
    return ReadMembers(schema, *parsed, path + ".");
  }
  return Wrong(schema, path, fmt::format("must be an object, but was {}", Quote(value)));
}

Result<Json> ReadTyped(const Json& schema, const Json& value, const std::string& path) {
  const std::string_view type = TypeOf(schema);
  if (type == "integer") return ReadInteger(schema, value, path);
  if (type == "number") return ReadNumber(schema, value, path);
  if (type == "boolean") return ReadBoolean(schema, value, path);
  if (type == "string") return ReadString(schema, value, path);
  if (type == "array") return ReadArray(schema, value, path);
  if (type == "object") return ReadObject(schema, value, path);
  return value;
}

Result<Json> ReadValue(const Json& schema, const Json& value, const std::string& path) {
  ASSIGN_OR_RETURN(Json read, ReadTyped(schema, value, path));
  const auto allowed = schema.find("enum");
  if (allowed == schema.end() || std::ranges::find(*allowed, read) != allowed->end()) return read;
  std::string choices;
  for (const Json& choice : *allowed) {
    if (!choices.empty()) choices += ", ";
    choices += choice.is_string() ? choice.get<std::string>() : choice.dump();
  }
  return Wrong(schema, path, fmt::format("must be one of {}, but was {}", choices, Quote(value)));
}

}  // namespace

Result<Json> ReadArguments(const Json& schema, const Json& json) {
  if (json.is_null()) return ReadMembers(schema, Json::object(), "");
  if (json.is_object()) return ReadMembers(schema, json, "");
  if (const auto parsed = FromText(json, Json::value_t::object)) {
    return ReadMembers(schema, *parsed, "");
  }
  return Fail(Code::kInvalidArgument,
              fmt::format("the arguments must be an object, but were {}. Example: {}", Quote(json),
                          DumpJson(ExampleOf(schema))));
}

}  // namespace perdure
