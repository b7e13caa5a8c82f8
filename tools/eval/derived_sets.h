// Sets that are made of others, or of a file of another form.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "tools/eval/question_set.h"

namespace perdure::eval {

// Of a set of conversations: each session as one text, "speaker: text" a line, and all of them in
// one scope, so that a question has to find the session wherever it was. The set NAME/sessions.
// nullopt where fewer than two scopes have sessions, or a session has fewer than four turns in the
// mean.
std::optional<QuestionSet> SessionsOf(const QuestionSet& set);

// Of a file of lines "question TAB memory that answers it in other words TAB decoy with the
// question's words": all memories and decoys in one scope. kInvalidArgument names file and line of
// what is malformed.
Result<QuestionSet> LoadParaphrases(const SetPlace& place, const std::string& file);

}  // namespace perdure::eval
