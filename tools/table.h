// Answers as people read them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace perdure {

// A member as text: empty when absent, lists joined by ", ".
std::string TextAt(const nlohmann::json& object, const char* name);

// Columns as wide as their contents; what is empty in every row is left out. Control characters
// and line ends in cells become spaces, so that stored text cannot steer a terminal.
class Table {
 public:
  explicit Table(std::vector<std::string> heads) : heads_(std::move(heads)) {}
  void Add(std::vector<std::string> row);
  void Print() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
};

// Without control characters, cut to `columns` code points.
std::string OneLine(const std::string& text, std::size_t columns);

// "2024-05-01 08:30:00" of an RFC 3339 time; empty stays empty.
std::string ShortTime(const std::string& time);

// Entries of the log, one a line.
void PrintLogLines(const nlohmann::json& entries);

// Of a dry run: what would be done. False for a write that was done.
bool PrintWould(const nlohmann::json& answer);

// What became of a claim: its outcome, and the gate and reason that kept it out.
void PrintVerdict(const nlohmann::json& answer);
// The suppression that a rejection left, and what else had the value.
void PrintSuppression(const nlohmann::json& answer);

// "verb id, now at version N" of a change of a memory, or its dry run.
void PrintChange(const char* verb, const nlohmann::json& answer);

}  // namespace perdure
