#include "tools/side_by_side.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "tools/table.h"

namespace perdure {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kSideColumnsMin = 16;

bool BeginsCodePoint(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

std::size_t Columns(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, BeginsCodePoint));
}

// How many bytes the first `columns` code points have.
std::size_t BytesOf(const std::string& text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (BeginsCodePoint(text[i]) && seen++ == columns) return i;
  }
  return text.size();
}

// One line of the text, broken between words where it can be.
void Break(std::string line, std::size_t columns, std::vector<std::string>& lines) {
  while (Columns(line) > columns) {
    const std::size_t end = BytesOf(line, columns);
    const std::size_t space = line.rfind(' ', end);
    const bool is_between_words = space != std::string::npos && space > 0;
    lines.push_back(line.substr(0, is_between_words ? space : end));
    line.erase(0, is_between_words ? space + 1 : end);
  }
  lines.push_back(std::move(line));
}

std::vector<std::string> Lines(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    Break(OneLine(text.substr(begin, end - begin), std::numeric_limits<std::size_t>::max()),
          columns, lines);
    begin = end + 1;
  }
  return lines;
}

std::string Padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, Columns(text)), ' ');
}

}  // namespace

std::string SideBySide(const std::vector<SideBySideRow>& rows, std::size_t columns) {
  std::size_t label_columns = 0;
  for (const auto& row : rows) label_columns = std::max(label_columns, Columns(row.label));
  const std::size_t taken = label_columns + 2 * kGap;
  const std::size_t side = std::max(columns > taken ? (columns - taken) / 2 : 0, kSideColumnsMin);
  std::string out;
  for (const SideBySideRow& row : rows) {
    const std::vector<std::string> left = Lines(row.left, side);
    const std::vector<std::string> right = Lines(row.right, side);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      std::string line = Padded(i == 0 ? row.label : "", label_columns + kGap);
      line += Padded(i < left.size() ? left[i] : "", side + kGap);
      if (i < right.size()) line += right[i];
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::size_t TerminalColumns() {
  constexpr std::size_t kUsual = 100;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace perdure
