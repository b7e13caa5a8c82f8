#include "engine/read/metadata_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/canonical.h"
#include "engine/base/front_limits.h"

namespace perdure {

using Json = nlohmann::json;

namespace {

enum class Operator { kEq, kNe, kGt, kGte, kLt, kLte, kIn, kNin, kContains, kIcontains, kExists };

constexpr auto kOperators =
    std::to_array<std::pair<std::string_view, Operator>>({{"eq", Operator::kEq},
                                                          {"ne", Operator::kNe},
                                                          {"gt", Operator::kGt},
                                                          {"gte", Operator::kGte},
                                                          {"lt", Operator::kLt},
                                                          {"lte", Operator::kLte},
                                                          {"in", Operator::kIn},
                                                          {"nin", Operator::kNin},
                                                          {"contains", Operator::kContains},
                                                          {"icontains", Operator::kIcontains},
                                                          {"exists", Operator::kExists}});
constexpr std::string_view kOperatorNames =
    "eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, exists";

bool IsScalar(const Json& value) { return !value.is_structured() && !value.is_discarded(); }

bool IsOrdered(const Json& value) { return value.is_number() || value.is_string(); }

// As gt and its kin see them; nullopt where they cannot be told apart.
std::optional<int> Compare(const Json& left, const Json& right) {
  const bool numbers = left.is_number() && right.is_number();
  if (!numbers && !(left.is_string() && right.is_string())) return std::nullopt;
  if (left < right) return -1;
  return right < left ? 1 : 0;
}

bool ContainsText(const Json& value, const std::string& operand, bool folded) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  if (!folded) return text.find(operand) != std::string::npos;
  const auto canonical = Canonical(text);
  return canonical && canonical->find(operand) != std::string::npos;
}

bool Contains(const Json& value, const Json& operand, bool folded) {
  const auto has = [&](const Json& part) {
    return operand.is_string() && ContainsText(part, operand.get_ref<const std::string&>(), folded);
  };
  if (!value.is_array()) return has(value);
  return std::ranges::any_of(
      value, [&](const Json& element) { return folded ? has(element) : element == operand; });
}

// The member that a path leads to, or nullptr.
const Json* Find(const Json& metadata, std::string_view path) {
  const Json* at = &metadata;
  while (at->is_object()) {
    if (const auto whole = at->find(path); whole != at->end()) return &*whole;
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return nullptr;
    const auto next = at->find(path.substr(0, dot));
    if (next == at->end()) return nullptr;
    at = &*next;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

struct Condition {
  Operator op = Operator::kEq;
  Json operand;  // of icontains: in the canonical form

  bool Holds(const Json* member) const {
    switch (op) {
      case Operator::kExists:
        return operand.get<bool>() == (member != nullptr);
      case Operator::kNe:
        return member == nullptr || *member != operand;
      case Operator::kNin:
        return member == nullptr || !IsOneOf(*member);
      default:
        return member != nullptr && HoldsOf(*member);
    }
  }

 private:
  bool IsOneOf(const Json& member) const {
    return std::ranges::find(operand, member) != operand.end();
  }
  bool HoldsOf(const Json& member) const {
    if (op == Operator::kEq) return member == operand;
    if (op == Operator::kIn) return IsOneOf(member);
    if (op == Operator::kContains || op == Operator::kIcontains) {
      return Contains(member, operand, op == Operator::kIcontains);
    }
    const auto order = Compare(member, operand);
    if (!order) return false;
    if (op == Operator::kGt) return *order > 0;
    if (op == Operator::kGte) return *order >= 0;
    return op == Operator::kLt ? *order < 0 : *order <= 0;
  }
};

}  // namespace

struct MetadataFilter::Node {
  enum class Kind { kAll, kAny, kNone, kMember };
  Kind kind = Kind::kAll;
  std::vector<Node> parts;            // of all but kMember
  std::string path;                   // of kMember
  std::vector<Condition> conditions;  // of kMember: all of them

  bool Holds(const Json& metadata) const {
    const auto holds = [&](const Node& part) { return part.Holds(metadata); };
    switch (kind) {
      case Kind::kAll:
        return std::ranges::all_of(parts, holds);
      case Kind::kAny:
        return std::ranges::any_of(parts, holds);
      case Kind::kNone:
        return std::ranges::none_of(parts, holds);
      case Kind::kMember:
        break;
    }
    const Json* member = Find(metadata, path);
    return std::ranges::all_of(conditions,
                               [&](const Condition& condition) { return condition.Holds(member); });
  }
};

namespace {

using Node = MetadataFilter::Node;

class Parser {
 public:
  Result<Node> Expression(const Json& json, const std::string& field, std::size_t depth) {
    if (depth > limits::kFilterDepthMax) {
      return Fail(
          Code::kTooLarge,
          fmt::format("\"{}\" is nested deeper than {} levels.", field, limits::kFilterDepthMax),
          field);
    }
    if (!json.is_object() || json.empty()) {
      return Wrong(field, "must be an object that says something", json);
    }
    Node node;
    for (const auto& [name, value] : json.items()) {
      ASSIGN_OR_RETURN(node.parts.emplace_back(), Member(name, value, field + '.' + name, depth));
    }
    return node;
  }

 private:
  static std::unexpected<Error> Wrong(const std::string& field, std::string_view problem,
                                      const Json& found) {
    const std::string quoted = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" {}, but was {}. Example: "
                            "{{\"metadata\":{{\"priority\":{{\"gte\":2}},\"team\":\"core\"}}}}",
                            field, problem, CutAtGrapheme(quoted, 60)),
                field);
  }

  Result<Node> Member(const std::string& name, const Json& value, const std::string& field,
                      std::size_t depth) {
    if (name == "and" || name == "or") {
      if (!value.is_array() || value.empty()) {
        return Wrong(field, "must be an array of expressions", value);
      }
      Node node{.kind = name == "and" ? Node::Kind::kAll : Node::Kind::kAny};
      for (std::size_t i = 0; i < value.size(); ++i) {
        ASSIGN_OR_RETURN(node.parts.emplace_back(),
                         Expression(value[i], fmt::format("{}[{}]", field, i), depth + 1));
      }
      return node;
    }
    if (name == "not") {
      Node node{.kind = Node::Kind::kNone};
      ASSIGN_OR_RETURN(node.parts.emplace_back(), Expression(value, field, depth + 1));
      return node;
    }
    return Conditions(name, value, field);
  }

  Result<Node> Conditions(const std::string& path, const Json& value, const std::string& field) {
    Node node{.kind = Node::Kind::kMember, .path = path};
    if (IsScalar(value)) {
      RETURN_IF_ERROR(Count(1, field));
      node.conditions.push_back({Operator::kEq, value});
      return node;
    }
    if (!value.is_object() || value.empty()) {
      return Wrong(field, fmt::format("must be a value, or an object of {}", kOperatorNames),
                   value);
    }
    for (const auto& [name, operand] : value.items()) {
      ASSIGN_OR_RETURN(node.conditions.emplace_back(),
                       ConditionOf(name, operand, field, field + '.' + name));
    }
    return node;
  }

  Result<Condition> ConditionOf(const std::string& name, const Json& operand,
                                const std::string& member, const std::string& field) {
    const auto known =
        std::ranges::find(kOperators, name, [](const auto& row) { return row.first; });
    if (known == kOperators.end()) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("\"{}\" is not a known operator; known are: {}. For a member of a "
                              "member, write \"{}.{}\".",
                              field, kOperatorNames, member, name),
                  field);
    }
    const Operator op = known->second;
    const bool takes_many = op == Operator::kIn || op == Operator::kNin;
    RETURN_IF_ERROR(Count(takes_many && operand.is_array() ? operand.size() : 1, field));
    RETURN_IF_ERROR(CheckOperand(op, operand, field));
    if (op != Operator::kIcontains) return Condition{op, operand};
    ASSIGN_OR_RETURN(std::string folded, Canonical(operand.get_ref<const std::string&>()));
    return Condition{op, std::move(folded)};
  }

  static Status CheckOperand(Operator op, const Json& operand, const std::string& field) {
    switch (op) {
      case Operator::kIn:
      case Operator::kNin:
        if (operand.is_array() && std::ranges::all_of(operand, IsScalar)) return {};
        return Wrong(field, "must be an array of texts, numbers, true, false or null", operand);
      case Operator::kExists:
        if (operand.is_boolean()) return {};
        return Wrong(field, "must be true or false", operand);
      case Operator::kIcontains:
        if (operand.is_string()) return {};
        return Wrong(field, "must be a text", operand);
      case Operator::kGt:
      case Operator::kGte:
      case Operator::kLt:
      case Operator::kLte:
        if (IsOrdered(operand)) return {};
        return Wrong(field, "must be a number or a text", operand);
      default:
        if (IsScalar(operand)) return {};
        return Wrong(field, "must be a text, a number, true, false or null", operand);
    }
  }

  Status Count(std::size_t terms, const std::string& field) {
    terms_ += terms;
    if (terms_ <= limits::kFilterTermsMax) return {};
    return Fail(
        Code::kTooLarge,
        fmt::format("The filter compares with more than {} values.", limits::kFilterTermsMax),
        field);
  }

  std::size_t terms_ = 0;
};

}  // namespace

std::shared_ptr<const Json> ParseMetadata(std::string_view stored) {
  Json parsed = Json::parse(stored, nullptr, false);
  if (!parsed.is_object()) parsed = Json::object();
  return std::make_shared<const Json>(std::move(parsed));
}

Result<MetadataFilter> MetadataFilter::Parse(std::string_view expression, std::string_view field) {
  const Json json = Json::parse(expression, nullptr, false);
  if (json.is_discarded()) {
    return Fail(Code::kInvalidArgument, fmt::format("\"{}\" is not JSON.", field),
                std::string(field));
  }
  ASSIGN_OR_RETURN(Node root, Parser().Expression(json, std::string(field), 1));
  MetadataFilter filter;
  filter.root_ = std::make_shared<const Node>(std::move(root));
  filter.text_ = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return filter;
}

bool MetadataFilter::Matches(const Json& metadata) const {
  return !root_ || root_->Holds(metadata);
}

}  // namespace perdure
