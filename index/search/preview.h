// A short piece of a chunk that shows why it was found.
#pragma once

#include <cstddef>
#include <string_view>

namespace perdure {

// A part of `text` of at most `bytes_max` bytes, cut at graphemes: its beginning, or, when the
// longest word of the query that occurs (as it stands, but for ASCII case) lies further in, from a
// white space a little before that.
std::string_view PreviewOf(std::string_view text, std::string_view query, std::size_t bytes_max);

}  // namespace perdure
