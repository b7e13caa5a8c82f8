#include "server/api/text_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "server/api/sequence_diff.h"

namespace perdure {
namespace {

constexpr std::size_t kContextLines = 3;

using Tokens = std::vector<std::string_view>;

// With their line feeds, so that they join to the whole.
Tokens Lines(std::string_view text) {
  Tokens lines;
  while (!text.empty()) {
    const std::size_t at = text.find('\n');
    const std::size_t size = at == std::string_view::npos ? text.size() : at + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// Words of letters, digits and whatever is not ASCII; runs of white space; single other signs.
Tokens Words(std::string_view text) {
  const auto class_of = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return 0;
    const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') || byte == '_' || byte >= 0x80;
    return is_letter ? 1 : 2;
  };
  Tokens words;
  while (!text.empty()) {
    const int first = class_of(text.front());
    std::size_t size = 1;
    while (first != 2 && size < text.size() && class_of(text[size]) == first) ++size;
    words.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return words;
}

struct Hunk {
  std::size_t a = 0;  // first line, from 0
  std::size_t b = 0;
  std::size_t a_count = 0;
  std::size_t b_count = 0;
  std::string body;
};

void PutLines(std::string& body, char sign, const Tokens& lines, std::size_t begin,
              std::size_t count) {
  for (std::size_t i = begin; i < begin + count; ++i) {
    body += sign;
    body += lines[i];
    if (!lines[i].ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
}

std::string FormatHunk(const Hunk& hunk) {
  // A side without lines is numbered by the line before it.
  const auto range = [](std::size_t begin, std::size_t count) {
    const std::size_t first = count == 0 ? begin : begin + 1;
    return count == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, count);
  };
  return fmt::format("@@ -{} +{} @@\n{}", range(hunk.a, hunk.a_count), range(hunk.b, hunk.b_count),
                     hunk.body);
}

void PutKept(Hunk& hunk, const Tokens& lines, std::size_t begin, std::size_t count) {
  PutLines(hunk.body, ' ', lines, begin, count);
  hunk.a_count += count;
  hunk.b_count += count;
}

std::string_view Joined(const Tokens& tokens, std::size_t begin, std::size_t count) {
  if (count == 0) return {};
  const char* first = tokens[begin].data();
  const std::string_view last = tokens[begin + count - 1];
  return {first, static_cast<std::size_t>(last.data() + last.size() - first)};
}

std::string WordsOfPlace(std::string_view old_text, std::string_view new_text) {
  const Tokens a = Words(old_text);
  const Tokens b = Words(new_text);
  std::string place;
  for (const DiffRun& run : DiffSequences(a, b)) {
    switch (run.kind) {
      case DiffKind::kKept:
        place += Joined(a, run.a, run.count);
        break;
      case DiffKind::kDeleted:
        place += fmt::format("[-{}-]", Joined(a, run.a, run.count));
        break;
      case DiffKind::kAdded:
        place += fmt::format("{{+{}+}}", Joined(b, run.b, run.count));
        break;
    }
  }
  if (!place.ends_with('\n')) place += '\n';
  return place;
}

}  // namespace

std::string UnifiedDiff(std::string_view old_text, std::string_view new_text,
                        const DiffNames& names) {
  const Tokens a = Lines(old_text);
  const Tokens b = Lines(new_text);
  std::string diff;
  std::vector<Hunk> open;  // none or one
  const std::vector<DiffRun> runs = DiffSequences(a, b);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const DiffRun& run = runs[i];
    if (run.kind != DiffKind::kKept) {
      if (open.empty()) open.push_back({.a = run.a, .b = run.b});
      const bool is_added = run.kind == DiffKind::kAdded;
      PutLines(open[0].body, is_added ? '+' : '-', is_added ? b : a, is_added ? run.b : run.a,
               run.count);
      (is_added ? open[0].b_count : open[0].a_count) += run.count;
      continue;
    }
    const bool is_last = i + 1 == runs.size();
    if (!open.empty() && !is_last && run.count <= 2 * kContextLines) {
      PutKept(open[0], a, run.a, run.count);
      continue;
    }
    if (!open.empty()) {
      PutKept(open[0], a, run.a, std::min(run.count, kContextLines));
      diff += FormatHunk(open[0]);
      open.clear();
    }
    if (is_last) continue;
    const std::size_t lead = std::min(run.count, kContextLines);
    const std::size_t skip = run.count - lead;
    open.push_back({.a = run.a + skip, .b = run.b + skip});
    PutKept(open[0], a, run.a + skip, lead);
  }
  if (!open.empty()) diff += FormatHunk(open[0]);
  if (diff.empty()) return diff;
  return fmt::format("--- {}\n+++ {}\n{}", names.old_name, names.new_name, diff);
}

std::string WordDiff(std::string_view old_text, std::string_view new_text) {
  const Tokens a = Lines(old_text);
  const Tokens b = Lines(new_text);
  const std::vector<DiffRun> runs = DiffSequences(a, b);
  std::string diff;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].kind == DiffKind::kKept) continue;
    const bool has_both = runs[i].kind == DiffKind::kDeleted && i + 1 < runs.size() &&
                          runs[i + 1].kind == DiffKind::kAdded;
    const DiffRun& added = has_both ? runs[i + 1] : runs[i];
    const std::string_view went = runs[i].kind == DiffKind::kDeleted
                                      ? Joined(a, runs[i].a, runs[i].count)
                                      : std::string_view();
    const std::string_view came =
        added.kind == DiffKind::kAdded ? Joined(b, added.b, added.count) : std::string_view();
    diff += fmt::format("@@ line {} @@\n{}", added.b + 1, WordsOfPlace(went, came));
    if (has_both) ++i;
  }
  return diff;
}

}  // namespace perdure
