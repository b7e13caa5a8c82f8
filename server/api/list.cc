#include <fmt/format.h>

#include <charconv>

#include "engine/base/limits.h"
#include "server/api/answers.h"
#include "server/api/filter.h"
#include "server/api/json.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

// cursor := record time of the first page(decimal) "." the view's own cursor
struct Cursor {
  Micros as_of = 0;
  std::string_view inner;
};

Result<Cursor> ParseCursor(std::string_view text) {
  Cursor cursor;
  const std::size_t dot = text.find('.');
  const char* end = text.data() + std::min(dot, text.size());
  const auto [stop, problem] = std::from_chars(text.data(), end, cursor.as_of);
  if (dot == std::string_view::npos || problem != std::errc() || stop != end) {
    return Fail(Code::kInvalidArgument,
                "\"cursor\" must be the cursor of the page before. Leave it out to begin anew.",
                "cursor");
  }
  cursor.inner = text.substr(dot + 1);
  return cursor;
}

// The longest beginning of the page that keeps to the byte budget, at least one memory.
std::size_t PutMemories(Json& answer, const MemoryPage& page) {
  std::size_t bytes = 0;
  for (const Memory& memory : page.memories) {
    Json listed = AnswerOf(memory, schemas::Detail::kListed);
    bytes += DumpJson(listed).size();
    if (bytes > limits::kAnswerBytesDefault && !answer["memories"].empty()) break;
    answer["memories"].push_back(std::move(listed));
  }
  return answer["memories"].size();
}

Result<Json> List(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ListFilter filter, FilterOf(arguments));
  ASSIGN_OR_RETURN(const DescriptionFilter described, DescribedOf(arguments));
  ASSIGN_OR_RETURN(ReadAt at, ReadAtOf(arguments));
  const std::string text = TextOf(arguments, "cursor");
  Cursor cursor;
  if (!text.empty()) {
    ASSIGN_OR_RETURN(cursor, ParseCursor(text));
    at = {.time = cursor.as_of, .valid_at = at.valid_at};
  }
  Result<ReadView> opened =
      text.empty() ? ViewFor(engine, principal, arguments) : engine.Read(principal, at);
  ASSIGN_OR_RETURN(const ReadView view, std::move(opened));
  const auto limit = arguments["limit"].get<std::size_t>();
  ASSIGN_OR_RETURN(MemoryPage page, ListDescribed(view, filter, described, limit, cursor.inner));
  Json answer = {{"memories", Json::array()}, {"total", page.total}};
  const std::size_t count = PutMemories(answer, page);
  if (count < page.memories.size()) {
    ASSIGN_OR_RETURN(page, ListDescribed(view, filter, described, count, cursor.inner));
  }
  if (!page.cursor.empty()) {
    answer["cursor"] = fmt::format("{}.{}", view.as_of(), page.cursor);
  }
  PutView(answer, view, arguments);
  return answer;
}

Result<Json> History(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const Uuid id, view.Resolve(TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(const perdure::MemoryHistory history, view.History(id));
  const auto limit = arguments["limit"].get<std::size_t>();
  const Seq before = arguments.value("before", Seq{0});
  // The latest entries below `before`, oldest first, with the versions that they made.
  std::vector<const LogLine*> lines;
  for (const LogLine& line : history.entries) {
    if (before == 0 || line.seq < before) lines.push_back(&line);
  }
  const std::size_t left_out = lines.size() - std::min(lines.size(), limit);
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(left_out));
  Json answer = {{"id", ToString(id)},
                 {"versions", Json::array()},
                 {"entries", Json::array()},
                 {"truncated", left_out > 0}};
  for (const LogLine* line : lines) answer["entries"].push_back(AnswerOf(*line));
  for (const VersionInfo& version : history.versions) {
    if (lines.empty() || version.seq < lines.front()->seq) continue;
    if (before == 0 || version.seq < before) answer["versions"].push_back(AnswerOf(version));
  }
  if (left_out > 0) answer["next_before"] = lines.front()->seq;
  PutView(answer, view, arguments);
  return answer;
}

Json ListSchema() {
  return s::Object({{"scope", s::Scope()},
                    {"scope_exact", s::ScopeExact()},
                    {"filter", s::Filter()},
                    {"as_of", s::AsOf()},
                    {"valid_at", s::ValidAt()},
                    {"limit", s::WithDefault(s::Integer("", 1, limits::kListLimitMax), 50)},
                    {"cursor", s::Brief(s::Text("Of the page before"))}});
}

Json VersionSchema() {
  return s::WithQuiet(
      s::Object({{"version", s::Integer()}, {"seq", s::Integer()}, {"record_time", s::Text()}},
                {"version", "seq", "record_time"}),
      {{"event", s::Text()},
       {"title", s::Text()},
       {"text_bytes", s::Integer()},
       {"erased", s::Flag()},
       {"compacted", s::Flag()}});
}

}  // namespace

Operation MemoryList(Engine& engine) {
  Operation operation;
  operation.name = "memory_list";
  operation.title = "List memories";
  operation.description =
      "Lists memories without texts, newest first, by place, tag, type, theme, state or time; for "
      "meaning, use memory_search. Returns memories, the total, and a cursor while there are more. "
      "memory_get reads the texts.";
  operation.input_schema = ListSchema();
  operation.output_schema = s::Read({{"memories", s::ListOf(s::Memory(s::Detail::kListed))},
                                     {"total", s::Integer()},
                                     {"cursor", s::Text()}},
                                    {"memories", "total"});
  operation.hints = kReads;
  operation.mirror = MirrorOfList;
  Serve(operation, Caller::kAnyone, {"GET", "/api/v1/memories"}, engine, List);
  return operation;
}

Operation MemoryHistory(Engine& engine) {
  Operation operation;
  operation.name = "memory_history";
  operation.title = "A memory's history";
  operation.description =
      "Tells how a memory came to say what it says: its versions and log entries, oldest first, "
      "with who, when and why. memory_get reads an old version, memory_revert brings it back. When "
      "truncated, call again with before = next_before.";
  operation.input_schema =
      s::Object({{"id", s::Id()},
                 {"as_of", s::AsOf()},
                 {"limit", s::WithDefault(s::Integer("", 1, limits::kListLimitMax), 100)},
                 {"before", s::Brief(s::Integer("Only below this seq", 1), "Only below this seq")}},
                {"id"});
  operation.output_schema = s::Read({{"id", s::Text()},
                                     {"versions", s::ListOf(s::Brief(VersionSchema()))},
                                     {"entries", s::ListOf(s::Brief(s::LogLine()))},
                                     {"truncated", s::Flag()},
                                     {"next_before", s::Integer()}},
                                    {"id", "versions", "entries", "truncated"});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, Caller::kAnyone, {"GET", "/api/v1/memories/{id}/history"}, engine, History);
  return operation;
}

}  // namespace perdure::operations
