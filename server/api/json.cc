#include "server/api/json.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace perdure {
namespace {

using Json = nlohmann::json;

// Builds the value and stops at the first thing that is not allowed.
class BoundedReader final : public nlohmann::json_sax<Json> {
 public:
  explicit BoundedReader(std::size_t depth_max) : depth_max_(depth_max) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(number_integer_t value) override { return Put(value); }
  bool number_unsigned(number_unsigned_t value) override { return Put(value); }
  bool number_float(number_float_t value, const string_t&) override { return Put(value); }
  bool string(string_t& value) override { return Put(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      problem_ = fmt::format("the member \"{}\" occurs twice in one object", name);
      return false;
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // nlohmann counts from 1 and prefixes its message with a bracketed name.
    std::string_view what = error.what();
    const std::size_t bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    problem_ = fmt::format("at byte {}: {}", position == 0 ? 0 : position - 1, what);
    return false;
  }

  const std::string& problem() const { return problem_; }
  Json Take() { return std::move(root_); }

 private:
  bool Put(Json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(Json value) {
    if (open_.size() >= depth_max_) {
      problem_ = fmt::format("nested deeper than {} levels", depth_max_);
      return false;
    }
    open_.push_back(Place(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  // A container's address stays valid while it is open: nothing is added to its parent meanwhile.
  Json* Place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Json& member = parent[key_];
    member = std::move(value);
    return &member;
  }

  std::size_t depth_max_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::string problem_;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, std::size_t depth_max) {
  try {
    BoundedReader reader(depth_max);
    if (!Json::sax_parse(text, &reader)) {
      return Fail(Code::kInvalidArgument, fmt::format("not acceptable JSON: {}", reader.problem()));
    }
    return reader.Take();
  } catch (const Json::exception& error) {
    return Fail(Code::kInvalidArgument, fmt::format("not acceptable JSON: {}", error.what()));
  }
}

std::string DumpJson(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace perdure
