// What a filter asks of metadata: an expression over typed JSON, itself written as JSON.
//
//   expression := "{" member ("," member)* "}"          all of them hold
//   member     := "and" ":" [expression, ...] | "or" ":" [expression, ...] | "not" ":" expression
//               | PATH ":" condition
//   condition  := scalar (is equal to it) | "{" operator ":" operand, ... "}"  all of them hold
//   PATH       := the name of a member of the metadata; else, at each dot, a member of a member
//
//   operator   | operand            | holds where the member
//   eq         | scalar             | is equal: same type, numbers by value
//   ne         | scalar             | is not equal, or is not there
//   gt gte     | number or text     | is of that type and greater (or equal); texts by their bytes,
//   lt lte     |                    | less (or equal), so that ISO times compare as times do
//   in         | array of scalars   | is equal to one of them
//   nin        | array of scalars   | is equal to none, or is not there
//   contains   | scalar             | is an array with it, or a text with that text in it
//   icontains  | text               | the same, in the canonical form (base/canonical.h)
//   exists     | true or false      | is there, be it null; or is not
//
// A scalar is a text, a number, true, false or null. Memories without metadata are as if theirs
// were {}. Whatever is none of this is refused by name: kInvalidArgument, kTooLarge past the
// limits.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

// Metadata as it is stored, parsed; {} where it is empty.
std::shared_ptr<const nlohmann::json> ParseMetadata(std::string_view stored);

// A value; copies share what they hold. Thread-safe.
class MetadataFilter {
 public:
  MetadataFilter() = default;  // admits all

  // `field` begins the field of errors ("filter.metadata").
  static Result<MetadataFilter> Parse(std::string_view expression, std::string_view field);

  bool admits_all() const { return root_ == nullptr; }
  bool Matches(const nlohmann::json& metadata) const;
  // The expression, as canonical text: equal for equal filters.
  const std::string& text() const { return text_; }

  struct Node;  // of metadata_filter.cc

 private:
  std::shared_ptr<const Node> root_;
  std::string text_;
};

}  // namespace perdure
