// Folders that stores mirror. Who reads the folder is the caller (tools/source/): it asks which
// files are known, and sends what differs.
#include "engine/read/sources.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "server/api/answers.h"
#include "server/api/json.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"
#include "server/api/status.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

// What becomes of each of a source's files.
constexpr std::array<const char*, 4> kDefaults = {"patterns", "tags", "class", "authorship"};

Json SettingsOf(const Json& arguments) {
  Json settings = Json::object();
  for (const char* name : kDefaults) {
    if (arguments.contains(name)) settings[name] = arguments[name];
  }
  if (arguments.contains("scope")) settings["scope"] = arguments["scope"];
  return settings;
}

Result<Json> Add(Engine& engine, const Principal& principal, const Json& arguments) {
  RETURN_IF_ERROR(ScopeOf(arguments));
  AddSource command{.store = TextOf(arguments, "store"),
                    .root = TextOf(arguments, "path"),
                    .settings = DumpJson(SettingsOf(arguments))};
  if (!command.root.starts_with('/') || command.root.size() > limits::kLabelBytesMax) {
    return Fail(
        Code::kInvalidArgument,
        fmt::format("\"path\" must be absolute and have at most {} bytes.", limits::kLabelBytesMax),
        "path");
  }
  const std::string would = fmt::format("mirror {} in the store {}", command.root, command.store);
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("source_add", arguments)));
  Json answer = Json::object();
  if (!outcome.dry_run) answer["source"] = outcome.made;
  PutOutcome(answer, outcome, would);
  return answer;
}

Result<Json> Remove(Engine& engine, const Principal& principal, const Json& arguments) {
  const RemoveSource command{arguments["source"].get<Seq>()};
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("source_remove", arguments)));
  Json answer = {{"source", command.source}};
  PutOutcome(answer, outcome, "remove the source; its memories stay and can be edited");
  return answer;
}

// Written by Add from an object; empty when the payload is gone.
Json SettingsOf(const SourceInfo& source) {
  return source.settings.empty() ? Json::object() : Json::parse(source.settings);
}

Result<std::uint64_t> CountIn(const ReadView& view, const std::string& store,
                              fb::MemoryState state) {
  ListFilter filter;
  filter.store = store;
  filter.states = {state};
  ASSIGN_OR_RETURN(const MemoryPage page, view.List(filter, 1, {}));
  return page.total;
}

Result<Json> List(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const auto sources, ListSources(view));
  Json answer = {{"sources", Json::array()}};
  for (const SourceInfo& source : sources) {
    Json listed = SettingsOf(source);
    listed["source"] = source.source;
    listed["store"] = source.store;
    listed["path"] = source.root;
    listed["added_time"] = FormatTime(source.added);
    ASSIGN_OR_RETURN(listed["memories"], CountIn(view, source.store, fb::MemoryState::live));
    ASSIGN_OR_RETURN(listed["archived"], CountIn(view, source.store, fb::MemoryState::archived));
    answer["sources"].push_back(std::move(listed));
  }
  PutView(answer, view, arguments);
  return answer;
}

Result<SourceInfo> Find(const ReadView& view, const Json& arguments) {
  ASSIGN_OR_RETURN(const auto sources, ListSources(view));
  const Seq wanted = arguments["source"].get<Seq>();
  for (const SourceInfo& source : sources) {
    if (source.source == wanted) return source;
  }
  return Fail(Code::kNotFound,
              fmt::format("There is no source {}. source_list shows those there are.", wanted),
              "source");
}

std::string FileOf(const Memory& memory) {
  if (memory.metadata.empty()) return {};
  return Json::parse(memory.metadata).value("file", "");
}

Result<Json> Files(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  ASSIGN_OR_RETURN(const SourceInfo source, Find(view, arguments));
  ListFilter filter;
  filter.store = source.store;
  for (const fb::MemoryState state : fb::EnumValuesMemoryState()) {
    if (state != fb::MemoryState::erased) filter.states.push_back(state);
  }
  ASSIGN_OR_RETURN(const MemoryPage page, view.List(filter, arguments["limit"].get<std::size_t>(),
                                                    TextOf(arguments, "cursor")));
  Json answer = {{"files", Json::array()}, {"total", page.total}};
  for (const Memory& listed : page.memories) {
    auto memory = view.Get(listed.id);
    if (!memory && memory.error().code == Code::kCompacted) continue;
    if (!memory) return std::unexpected(std::move(memory).error());
    const std::string file = FileOf(*memory);
    if (file.empty()) continue;  // it lay in the store before the folder did
    const Hash digest = Sha256(memory->text);
    answer["files"].push_back({{"id", ToString(memory->id)},
                               {"path", file},
                               {"state", fb::EnumNameMemoryState(memory->record.state)},
                               {"title", memory->title},
                               {"digest", HexEncode(AsBytes(digest))}});
  }
  if (!page.cursor.empty()) answer["cursor"] = page.cursor;
  PutView(answer, view, arguments);
  return answer;
}

std::string MetadataFor(const std::string& path) { return DumpJson({{"file", path}}); }

Result<NoteDraft> DraftFor(const SourceInfo& source, const Json& change) {
  const Json settings = SettingsOf(source);
  NoteDraft draft;
  draft.text = TextOf(change, "text");
  draft.title = TextOf(change, "title");
  draft.source = source.root;
  draft.metadata = MetadataFor(TextOf(change, "path"));
  draft.store = source.store;
  draft.tags = settings.value("tags", std::vector<std::string>());
  draft.authorship = AuthorshipOf(settings);
  draft.memory_class = ClassOf(settings);
  ASSIGN_OR_RETURN(draft.scope, ScopeOf(settings));
  return draft;
}

// The commands that do one change, in their order.
Result<std::vector<Command>> CommandsFor(const SourceInfo& source, const Json& change) {
  const std::string action = TextOf(change, "action");
  std::vector<Command> commands;
  if (action == "store") {
    ASSIGN_OR_RETURN(NoteDraft draft, DraftFor(source, change));
    commands.emplace_back(StoreMemories{{std::move(draft)}});
    return commands;
  }
  const auto id = ParseUuid(TextOf(change, "id"));
  if (!id) return Fail(Code::kInvalidArgument, "\"id\" must be the whole id of a memory.", "id");
  if (action == "archive" || action == "restore") {
    commands.emplace_back(
        MoveState{*id, action == "archive" ? Transition::kArchive : Transition::kRestore, {}});
    return commands;
  }
  if (change.contains("text")) {
    commands.emplace_back(EditMemory{*id, WholeText{TextOf(change, "text")}});
  }
  DescribeMemory description{.id = *id};
  if (change.contains("title")) description.title = TextOf(change, "title");
  if (action == "rename") description.metadata = MetadataFor(TextOf(change, "path"));
  if (description.title || description.metadata) commands.emplace_back(std::move(description));
  return commands;
}

Status Do(Engine& engine, const Principal& principal, const SourceInfo& source, const Json& change,
          WriteOptions options, Json& result) {
  ASSIGN_OR_RETURN(std::vector<Command> commands, CommandsFor(source, change));
  options.source = source.source;
  const std::string key = options.idempotency_key;
  std::size_t part = 0;
  for (Command& command : commands) {
    if (!key.empty()) options.idempotency_key = fmt::format("{}.{}", key, part++);
    ASSIGN_OR_RETURN(const WriteOutcome outcome,
                     engine.Write(principal, std::move(command), options));
    const MemoryOutcome& memory = outcome.memories.front();
    if (!outcome.dry_run || !memory.created) result["id"] = ToString(memory.id);
    result["version"] = memory.version;
    if (memory.candidate) result["candidate"] = true;
    PutOutcome(result, outcome, fmt::format("{} it", TextOf(change, "action")));
  }
  return {};
}

// Each change stands for itself: what a gate refuses is told, and the rest is done.
Result<Json> Sync(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  ASSIGN_OR_RETURN(const SourceInfo source, Find(view, arguments));
  const WriteOptions call = WriteOptionsOf("source_sync", arguments);
  Json results = Json::array();
  for (const Json& change : arguments["changes"]) {
    WriteOptions options = call;
    if (!call.idempotency_key.empty()) {
      options.idempotency_key += fmt::format("#{}", results.size());
    }
    Json result = {{"action", change["action"]}, {"path", change["path"]}};
    const Status done = Do(engine, principal, source, change, std::move(options), result);
    if (!done) result["error"] = ErrorObject(done.error());
    results.push_back(std::move(result));
  }
  return Json{{"results", std::move(results)}};
}

Json SourceArgument() { return s::Integer("Number of the source, as source_list tells it", 1); }

Json DefaultsSchema(Json schema) {
  return s::With(std::move(schema),
                 {{"patterns", s::Texts("Which files, beside those of well-known names; one with "
                                        "\"!\" takes files away")},
                  {"tags", s::Texts("Of each of its memories")},
                  {"class", s::OneOf(s::ClassNames(), "Default: document")},
                  {"authorship", s::OneOf(s::AuthorshipNames(), "Default: authored")},
                  {"scope", s::Scope()}});
}

}  // namespace

Operation SourceAdd(Engine& engine) {
  Operation operation;
  operation.name = "source_add";
  operation.title = "Mirror a folder";
  operation.description =
      "Has a store mirror a folder of memory files: from now on only the source changes the "
      "store's memories. Nothing is read yet; `perdure source scan` does that. Returns the source.";
  operation.input_schema = s::Write(DefaultsSchema(s::Object(
      {{"store", s::WithExample(s::Text("Which store; made where there is none"), "notes")},
       {"path", s::WithExample(s::Text("The folder, absolute"), "/srv/project")}},
      {"store", "path"})));
  operation.input_schema["properties"]["patterns"]["maxItems"] = 64;
  operation.output_schema = s::Written({{"source", s::Integer()}});
  operation.hints = kAdds;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/sources"}, engine, Add);
  return operation;
}

Operation SourceRemove(Engine& engine) {
  Operation operation;
  operation.name = "source_remove";
  operation.title = "Stop mirroring a folder";
  operation.description =
      "Ends a source. Its memories stay as they are, and can be changed like any other from now "
      "on; the files are not touched.";
  operation.input_schema = s::Write(s::Object({{"source", SourceArgument()}}, {"source"}));
  operation.output_schema = s::Written({{"source", s::Integer()}}, {"source"});
  operation.hints = kSettles;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"DELETE", "/api/v1/sources/{source}"}, engine, Remove);
  return operation;
}

Operation SourceList(Engine& engine) {
  Operation operation;
  operation.name = "source_list";
  operation.title = "List mirrored folders";
  operation.description =
      "Lists the folders that stores mirror: path, patterns, defaults, and how many memories are "
      "live and archived.";
  operation.input_schema = s::Object({{"as_of", s::AsOf()}});
  const Json source = s::Object({{"source", s::Integer()},
                                 {"store", s::Text()},
                                 {"path", s::Text()},
                                 {"patterns", s::Texts()},
                                 {"tags", s::Texts()},
                                 {"class", s::Text()},
                                 {"authorship", s::Text()},
                                 {"scope", s::Text()},
                                 {"added_time", s::Text()},
                                 {"memories", s::Integer()},
                                 {"archived", s::Integer("Whose file is gone")}},
                                {"source", "store", "path", "added_time", "memories", "archived"});
  operation.output_schema = s::Read({{"sources", s::ListOf(source)}}, {"sources"});
  operation.hints = kReads;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"GET", "/api/v1/sources"}, engine, List);
  return operation;
}

Operation SourceFiles(Engine& engine) {
  Operation operation;
  operation.name = "source_files";
  operation.title = "List the files of a source";
  operation.description =
      "Lists the memories of a source in every state, with path and SHA-256 of the text, for "
      "whoever compares them with the folder.";
  operation.input_schema =
      s::Object({{"source", SourceArgument()},
                 {"limit", s::WithDefault(s::Integer("", 1, limits::kListLimitMax), 500)},
                 {"cursor", s::Text("Of the page before")}},
                {"source"});
  const Json file = s::Object({{"id", s::Text()},
                               {"path", s::Text()},
                               {"state", s::Text()},
                               {"title", s::Text()},
                               {"digest", s::Text()}},
                              {"id", "path", "state", "title", "digest"});
  operation.output_schema =
      s::Read({{"files", s::ListOf(file)}, {"total", s::Integer()}, {"cursor", s::Text()}},
              {"files", "total"});
  operation.hints = kReads;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"GET", "/api/v1/sources/{source}/files"}, engine, Files);
  return operation;
}

Operation SourceSync(Engine& engine) {
  Operation operation;
  operation.name = "source_sync";
  operation.title = "Tell a source what changed";
  operation.description =
      "Does what the files of a source have come to, one change after another, each a write of "
      "its own through every gate: store (path, title, text), edit (id, and text, title or both), "
      "rename (id, path), archive and restore (id). Returns results in the order of changes; one "
      "with an error was not done.";
  Json change = s::Object({{"action", s::OneOf({"store", "edit", "rename", "archive", "restore"})},
                           {"path", s::Text("Of the file, from the folder")},
                           {"id", s::Text("Of the memory, whole")},
                           {"title", s::Text()},
                           {"text", s::Text()}},
                          {"action", "path"});
  Json changes = s::ListOf(std::move(change));
  changes["minItems"] = 1;
  changes["maxItems"] = limits::kStoreManyMax;
  operation.input_schema = s::Write(s::Object(
      {{"source", SourceArgument()}, {"changes", std::move(changes)}}, {"source", "changes"}));
  operation.input_schema["properties"]["idempotency_key"]["maxLength"] =
      limits::kIdempotencyKeyBytesMax - 8;
  Json result = s::Written({{"action", s::Text()},
                            {"path", s::Text()},
                            {"id", s::Text()},
                            {"version", s::Integer()},
                            {"candidate", s::Flag("A reviewer decides")},
                            {"error", s::Open()}},
                           {"action", "path"});
  operation.output_schema = s::Written({{"results", s::ListOf(std::move(result))}}, {"results"});
  operation.hints = kSettles;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/sources/{source}/sync"}, engine, Sync);
  return operation;
}

}  // namespace perdure::operations
