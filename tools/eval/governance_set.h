// A set of questions that says which items may be returned, as a folder holds it:
//
//   corpus.jsonl   {"id", "scope", "text", "title"?, "tags"?, "aliases"?, "time"?, "pinned"?,
//                   "status"?, "superseded_by"?, "resolved_at"?}
//   queries.jsonl  {"id", "scope", "text", "tags"?, "relevant"?, "expect"?}
//
// one JSON object a line; other members are ignored. `scope` is a user, the first of `tags` the
// part of the user's memories that an item is in; a question asks the parts among its own `tags`,
// and "user:universal". "expect" may name items under "relevantBeliefs" or "openQuestions",
// "mustExclude".
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "tools/eval/question_set.h"

namespace perdure::eval {

struct GovernedItem {
  std::string id;
  std::string user;
  std::string part;
  std::string text;
  std::string title;
  std::vector<std::string> aliases;
  // superseded, rejected, pending, forgotten, archived; any other is current
  std::string status;
  std::string superseded_by;  // an id
  std::optional<Micros> time;
  std::optional<Micros> resolved_at;  // it holds no longer from then on
  bool is_pinned = false;
};

struct GovernedQuestion {
  std::string id;
  std::string user;
  std::string text;
  std::set<std::string> parts;
  std::set<std::string> relevant;
  std::set<std::string> excluded;  // by name
};

struct GovernedSet {
  std::string name;
  std::vector<GovernedItem> items;
  std::vector<GovernedQuestion> questions;
};

// kInvalidArgument names file and line of what is malformed.
Result<GovernedSet> LoadGovernedSet(const SetPlace& place);
// Whether any item of it is out of date: superseded, resolved, or with a status.
bool HasRules(const GovernedSet& set);

// Why the item may not answer the question: "superseded", "resolved", "other user", "other part",
// "named" or its status; empty when it may.
std::string WhyNot(const GovernedItem& item, const GovernedQuestion& question);

}  // namespace perdure::eval
