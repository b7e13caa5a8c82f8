#include "tools/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/api/json.h"
#include "tools/program.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

bool BeginsCodePoint(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

std::size_t Columns(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, BeginsCodePoint));
}

// C0, DEL, and C1 as UTF-8 writes it (0xc2 0x80..0x9f): what terminals obey.
std::string WithoutControls(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) {
      out += ' ';
    } else if (byte == 0xc2 && i + 1 < text.size() &&
               static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      out += ' ';
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string TextAt(const Json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  if (!at->is_array()) return DumpJson(*at);
  std::string all;
  for (const Json& item : *at) {
    if (!all.empty()) all += ", ";
    all += item.is_string() ? item.get<std::string>() : DumpJson(item);
  }
  return all;
}

std::string OneLine(const std::string& text, std::size_t columns) {
  const std::string clean = WithoutControls(text);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (BeginsCodePoint(clean[i]) && seen++ == columns) return clean.substr(0, i) + "…";
  }
  return clean;
}

std::string ShortTime(const std::string& time) {
  if (time.size() < 19) return time;
  return time.substr(0, 10) + " " + time.substr(11, 8);
}

void Table::Add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = OneLine(cell, 100);
  rows_.push_back(std::move(row));
}

void Table::Print() const {
  std::vector<std::size_t> widths(heads_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Columns(row[i]));
  }
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::size_t width = std::max(widths[i], Columns(heads_[i]));
      line += row[i] + std::string(width + 2 - Columns(row[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    perdure::Print(line + "\n");
  };
  if (rows_.empty()) {
    perdure::Print("nothing\n");
    return;
  }
  print(heads_);
  for (const auto& row : rows_) print(row);
}

void PrintLogLines(const Json& entries) {
  Table table({"seq", "time", "event", "memory", "version", "actor", "client", "reason"});
  for (const Json& entry : entries) {
    std::string why = TextAt(entry, "reason");
    if (entry.contains("message")) why = TextAt(entry, "message");
    table.Add({TextAt(entry, "seq"), ShortTime(TextAt(entry, "record_time")),
               TextAt(entry, "event"), TextAt(entry, "memory"), TextAt(entry, "version"),
               TextAt(entry, "actor"), TextAt(entry, "client"), why});
  }
  table.Print();
}

bool PrintWould(const Json& answer) {
  if (!answer.contains("would")) return false;
  Print(fmt::format("would {}\n", TextAt(answer, "would")));
  if (answer.contains("kept_seq")) {
    Print(fmt::format("kept as entry {}\n", TextAt(answer, "kept_seq")));
  }
  return true;
}

void PrintVerdict(const Json& answer) {
  const std::string outcome = TextAt(answer, "outcome");
  if (outcome != "refused" && PrintWould(answer)) return;
  std::string line = outcome;
  if (answer.contains("id")) line += " " + TextAt(answer, "id");
  if (answer.contains("confidence")) line += ", confidence " + TextAt(answer, "confidence");
  if (answer.contains("rule")) {
    line += fmt::format(" ({}: {})", TextAt(answer, "gate"), TextAt(answer, "rule"));
  }
  if (answer.contains("seq")) line += fmt::format(" (seq {})", TextAt(answer, "seq"));
  Print(line + "\n");
  for (const char* name : {"reason", "faded", "superseded", "not_applied", "decision"}) {
    if (const std::string text = TextAt(answer, name); !text.empty()) {
      Print(fmt::format("  {}: {}\n", name, OneLine(text, 400)));
    }
  }
  PrintSuppression(answer);
}

void PrintSuppression(const Json& answer) {
  if (answer.contains("suppression")) {
    Print(fmt::format("  suppression {}\n", TextAt(answer, "suppression")));
  }
  if (answer.contains("forgotten")) {
    Print(fmt::format("  forgotten, too: {}\n", TextAt(answer, "forgotten")));
  }
}

void PrintChange(const char* verb, const Json& answer) {
  if (PrintWould(answer)) return;
  if (!answer.value("changed", true)) {
    Print(fmt::format("{} was so already, at version {}\n", TextAt(answer, "id"),
                      TextAt(answer, "version")));
    return;
  }
  Print(fmt::format("{} {}, now at version {} (seq {})\n", verb, TextAt(answer, "id"),
                    TextAt(answer, "version"), TextAt(answer, "seq")));
}

}  // namespace perdure
