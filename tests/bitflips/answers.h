// Everything that a store can be asked, as text: so that two of them can be compared.
#pragma once

#include <map>
#include <string>

namespace perdure::testing {

// By question. What could not be answered begins with kNoAnswer.
using Answers = std::map<std::string, std::string>;
inline constexpr const char* kNoAnswer = "error: ";

struct AskOptions {
  bool check_log = true;  // verify and replay, too
};

struct Asked {
  Answers answers;
  std::string repairs;  // what the indexes had to build anew, or empty
};

// Opens `directory` as a server would, asks, and closes it again.
Asked Ask(const std::string& directory, const AskOptions& options = {});

void SaveAnswers(const Answers& answers, const std::string& path);
Answers LoadAnswers(const std::string& path);

// How answers compare with those that are right.
struct Verdict {
  bool is_wrong = false;
  std::string refused;  // the first question that was answered by an error instead, or empty
  std::string text;     // of the wrong or missing answer
};
Verdict Compare(const Answers& right, const Answers& given);

}  // namespace perdure::testing
