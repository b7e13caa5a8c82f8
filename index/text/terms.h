// Turns documents and queries into search terms: pure functions that no string can make fail, and
// the only place where a query is read. There are no operators; every query is a bag of terms.
//
// What a word becomes, in documents and in queries alike:
//   Zstem   a word by Unicode's letters, marks and digits (a mark never ends a word), NFKC and
//           case-folded, stemmed as English and as the language that the text looks like; words
//           with accents also without them
//   Gxy     two neighbouring characters, with the marks upon them, of scripts written without
//           spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese); documents also have each
//           single character
//   Xexact  what holds together by punctuation (foo-bar, src/a.cc, v1.2.3, user_name, C++), exactly
//           but for case, beside its parts; getUserName also as get, user, name
//   Mmark    of a document alone: what it is like beside its words (marks.h)
// A term longer than kTermBytesMax is cut and closed by a hash of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

// Changes with anything that changes a term: an index of another version must be built anew.
inline constexpr std::uint32_t kTermsVersion = 2;

inline constexpr std::size_t kTermBytesMax = 64;
inline constexpr std::size_t kQueryTermsMax = 128;

inline constexpr std::string_view kAskingMark = "Masks";  // ends with a question
inline constexpr std::string_view kTimeMark = "Mtime";    // says when

struct DocumentTerm {
  std::string term;
  std::uint32_t count = 0;  // within-document frequency

  friend bool operator==(const DocumentTerm&, const DocumentTerm&) = default;
};

struct DocumentTerms {
  std::vector<DocumentTerm> terms;  // sorted by term, each once
  std::uint32_t length = 0;         // words but for English stop words, or bigrams; at least 1

  friend bool operator==(const DocumentTerms&, const DocumentTerms&) = default;
};

struct DocumentText {
  std::string_view title;
  std::string_view heading_path;
  std::span<const std::string> labels;  // aliases and tags
  std::string_view text;
};

DocumentTerms TermsOfDocument(const DocumentText& document);

struct QueryTerm {
  std::string term;
  double weight = 1;  // how often it is asked for; forms of one word share a weight of 1

  friend bool operator==(const QueryTerm&, const QueryTerm&) = default;
};

// At most kQueryTermsMax terms, in order of first appearance, each once. Stop words are left out
// unless nothing else is left. Empty if the query has no word at all.
std::vector<QueryTerm> TermsOfQuery(std::string_view query);

}  // namespace perdure
