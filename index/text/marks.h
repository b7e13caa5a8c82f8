// What a text is like, beside its words: a question, or something that says when. Told by signs and
// a few English words. Pure.
#pragma once

#include <span>
#include <string_view>

#include "index/text/words.h"

namespace perdure {

// Its last sign, quotes and brackets aside, is a question mark.
bool EndsWithQuestion(std::string_view text);

// It names a time: a year, a month, "yesterday", "ago".
bool SaysWhen(std::span<const Token> tokens);

// A question for a time: when, since when, how long, on which day.
bool AsksWhen(std::string_view query);

}  // namespace perdure
