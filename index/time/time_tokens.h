// A query as the time interpreter sees it: words without case and accents, numbers, and every other
// character that is not white space, alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

struct TimeToken {
  std::string text;        // ASCII in lower case, or one character
  bool is_number = false;  // text holds digits
  std::size_t begin = 0;   // code points of the query
  std::size_t end = 0;
};

class TimeTokens {
 public:
  explicit TimeTokens(std::string_view query);

  std::size_t size() const { return tokens_.size(); }
  const TimeToken& operator[](std::size_t i) const { return tokens_[i]; }
  // Beyond the ends there is nothing.
  std::string_view At(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(tokens_[i].text) : std::string_view();
  }
  // As the query has them.
  std::string WordsOf(std::size_t first, std::size_t count) const;

 private:
  std::u32string query_;
  std::vector<TimeToken> tokens_;
};

}  // namespace perdure
