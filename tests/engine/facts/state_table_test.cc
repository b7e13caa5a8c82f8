// The table of docs/GOVERNANCE.md and the one that the tests hold every entry to are one.
#include "engine/facts/state_table.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

namespace perdure {
namespace {

using fb::MemoryState;
using testing::Moves;

// event, from (empty: new), to, who.
using OneMove = std::tuple<std::string, std::string, std::string, int>;
using AllMoves = std::set<OneMove>;

std::set<std::string> AllStates() {
  std::set<std::string> names;
  for (const MemoryState state : fb::EnumValuesMemoryState()) {
    names.insert(fb::EnumNameMemoryState(state));
  }
  return names;
}

// What stands in backticks and is among `known`.
std::set<std::string> Marked(const std::string& cell, const std::set<std::string>& known) {
  std::set<std::string> marked;
  std::istringstream parts(cell);
  std::string part;
  for (bool is_code = false; std::getline(parts, part, '`'); is_code = !is_code) {
    if (is_code && known.contains(part)) marked.insert(part);
  }
  return marked;
}

std::set<std::string> StatesIn(const std::string& cell) {
  std::set<std::string> states = Marked(cell, AllStates());
  if (!cell.starts_with("any but")) return states;
  std::set<std::string> others = AllStates();
  for (const std::string& state : states) others.erase(state);
  return others;
}

int RolesIn(const std::string& cell) {
  static const std::map<std::string, int> kRoles = {{"agent", testing::kWriters},
                                                    {"reviewer", testing::kDeciders},
                                                    {"verifier", kReviewer},
                                                    {"operator", kOperator}};
  const auto found = kRoles.find(cell.substr(0, cell.find_first_of(" ,:;")));
  EXPECT_NE(found, kRoles.end()) << cell;
  return found == kRoles.end() ? 0 : found->second;
}

std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream parts(line.substr(1));
  for (std::string cell; std::getline(parts, cell, '|');) {
    const std::size_t from = cell.find_first_not_of(' ');
    if (from == std::string::npos) continue;
    cells.push_back(cell.substr(from, cell.find_last_not_of(' ') - from + 1));
  }
  return cells;
}

AllMoves MovesOfPage(std::istream& page, const std::set<std::string>& events) {
  AllMoves moves;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| from | event |")) is_inside = true;
    if (!line.starts_with("|")) is_inside = false;
    if (!is_inside || line.starts_with("| from") || line.starts_with("|--")) continue;
    const std::vector<std::string> cells = CellsOf(line);
    EXPECT_EQ(cells.size(), 4u) << line;
    if (cells.size() != 4) continue;
    const auto named = Marked(cells[1], events);
    EXPECT_FALSE(named.empty()) << line;
    std::set<std::string> from = StatesIn(cells[0]);
    if (cells[0] == "-") from = {""};
    EXPECT_FALSE(from.empty()) << line;
    for (const std::string& event : named) {
      for (const std::string& state : from) {
        const auto to = cells[2] == "same" ? std::set{state} : StatesIn(cells[2]);
        for (const std::string& next : to) {
          moves.emplace(event, state, next, RolesIn(cells[3]));
        }
      }
    }
  }
  return moves;
}

AllMoves MovesOfTable() {
  AllMoves moves;
  for (const testing::Move& move : Moves()) {
    std::vector<std::string> from;
    for (const MemoryState state : move.from) from.emplace_back(fb::EnumNameMemoryState(state));
    if (from.empty()) from.emplace_back();
    for (const std::string& state : from) {
      for (const MemoryState next : move.to) {
        moves.emplace(fb::EnumNameEvent(move.event), state, fb::EnumNameMemoryState(next),
                      int{move.who});
      }
    }
  }
  return moves;
}

std::string Said(const OneMove& move) {
  const auto& [event, from, to, who] = move;
  return event + " from '" + from + "' to '" + to + "' by " + std::to_string(who);
}

TEST(StateTable, IsTheOneOfTheGovernancePage) {
  std::ifstream page(PERDURE_SOURCE_DIR "/docs/GOVERNANCE.md");
  ASSERT_TRUE(page);
  std::set<std::string> events;
  for (const testing::Move& move : Moves()) events.insert(fb::EnumNameEvent(move.event));
  const AllMoves written = MovesOfPage(page, events);
  const AllMoves held = MovesOfTable();
  for (const OneMove& move : held) {
    EXPECT_TRUE(written.contains(move)) << Said(move) << " is not on the page";
  }
  for (const OneMove& move : written) {
    EXPECT_TRUE(held.contains(move)) << Said(move) << " is on the page alone";
  }
  std::istringstream other(
      "| from | event | to | who may |\n|---|---|---|---|\n"
      "| `live` | `MemoryErased` | `forgotten` | agent |\n");
  const AllMoves wrong = MovesOfPage(other, events);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_FALSE(held.contains(*wrong.begin())) << "a wrong row is seen";
}

}  // namespace
}  // namespace perdure
