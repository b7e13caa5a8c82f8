// Words of a query that may be somebody's name. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

inline constexpr std::size_t kNameWordsMax = 3;
inline constexpr std::size_t kNamesMax = 64;

struct NameInQuery {
  std::string name;       // without "'s"
  std::size_t begin = 0;  // its bytes in the query, with it
  std::size_t end = 0;
};

// Runs of one to three words that begin with a capital letter, or with any letter beyond ASCII; the
// first kNamesMax of them.
std::vector<NameInQuery> NamesInQuery(std::string_view query);

// The query without these; the query itself when no word would be left.
std::string WithoutNames(std::string_view query, std::span<const NameInQuery> names);

}  // namespace perdure
