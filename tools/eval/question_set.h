// A set of questions beside what they are asked of, as a folder holds it:
//
//   corpus.jsonl   {"id", "scope", "text", "title"?, "tags"?, "aliases"?, "type"?, "theme"?,
//                   "importance"?, "time"?, "session"?, "speaker"?, "caption"?, "pinned"?,
//                   "status"?}
//   queries.jsonl  {"id", "scope", "text", "category"?, "tags"?, "time"?, "relevant": [ids of the
//                   corpus]}
//
// one JSON object a line; other members are ignored. `time` is RFC 3339, the zone may be absent and
// is UTC then. A question is answered from the items of its own scope; one whose `relevant` is
// empty has no labels. Or it holds one file queries.tsv instead (derived_sets.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace perdure::eval {

struct Item {
  std::string id;
  std::string scope;
  std::string text;
  std::string title;
  std::vector<std::string> tags;  // and aliases
  std::string type;
  std::string theme;
  std::string session;
  std::string speaker;
  std::string caption;
  std::optional<double> importance;
  std::optional<Micros> time;
  bool is_pinned = false;
  bool is_superseded = false;

  bool IsTurn() const { return !session.empty() || !speaker.empty(); }
};

struct Question {
  std::string id;
  std::string scope;
  std::string text;
  std::string category;
  std::vector<std::string> tags;      // that the answer must have
  std::optional<Micros> time;         // when it is asked
  std::vector<std::size_t> relevant;  // places in QuestionSet::items, each once
};

struct QuestionSet {
  std::string name;
  std::vector<Item> items;
  std::vector<Question> questions;
};

struct SetPlace {
  std::string name;  // the folder's, with as many folders above it as tell it from the others
  std::string directory;
};

// Every folder below `directory`, or itself, that holds corpus.jsonl and queries.jsonl, by name.
// kNotFound when there is none.
Result<std::vector<SetPlace>> FindSets(const std::string& directory);

// kInvalidArgument names file and line of what is malformed.
Result<QuestionSet> LoadSet(const SetPlace& place);

// Items and questions of one scope alone, as the set "NAME/SCOPE". kNotFound without questions.
Result<QuestionSet> OfScope(const QuestionSet& set, const std::string& scope);

// Whether its categories are its scopes, more than one: a set of several languages.
bool HasScopesAsCategories(const QuestionSet& set);

}  // namespace perdure::eval
