// What operators do to a store: erase, compact, create spaces; and what anyone may count.
#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/model/tables.h"
#include "server/api/answers.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Result<EraseMemories> ErasureOf(const Engine& engine, const Principal& principal,
                                const Json& arguments) {
  std::vector<std::string> ids = arguments.value("ids", std::vector<std::string>());
  if (arguments.contains("id")) ids.insert(ids.begin(), TextOf(arguments, "id"));
  if (ids.empty()) {
    return Fail(Code::kInvalidArgument, "\"id\" is required. Example: {\"id\":\"0190f3c2\"}", "id");
  }
  EraseMemories command;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const Uuid uuid, IdOf(engine, principal, id, "id"));
    command.ids.push_back(uuid);
  }
  command.closure = arguments.value("closure", false);
  command.copies = arguments.value("copies", false);
  return command;
}

// What a person is asked before something is lost for good, where the client can ask one.
Json ErasureForm(std::size_t memories) {
  return {{"method", "elicitation/create"},
          {"params",
           {{"message", fmt::format("Erase {} for good, with all versions? Nobody can bring the "
                                    "text back.",
                                    memories == 1 ? "this memory"
                                                  : fmt::format("these {} memories", memories))},
            {"requestedSchema",
             {{"type", "object"},
              {"properties", {{"erase", {{"type", "boolean"}, {"title", "Erase for good"}}}}},
              {"required", {"erase"}}}}}}};
}

// Whether to go on; nullopt while the person has not answered. A client without a person, or of the
// legacy era, is not asked: the call itself is the word of an operator.
Result<std::optional<bool>> IsErasureConfirmed(const EraseMemories& command, const Json& arguments,
                                               Dialogue& talk) {
  const Json form = ErasureForm(command.ids.size());
  if (arguments.value("dry_run", false) || !talk.CanAsk("elicitation/create")) return true;
  ASSIGN_OR_RETURN(const auto answer, talk.Ask("erase", form));
  if (!answer) return std::nullopt;
  return (*answer)["action"] == "accept" && (*answer)["content"]["erase"] == true;
}

Result<Json> Erase(Engine& engine, const Principal& principal, const Json& arguments,
                   Dialogue& talk) {
  ASSIGN_OR_RETURN(EraseMemories command, ErasureOf(engine, principal, arguments));
  ASSIGN_OR_RETURN(const auto is_confirmed, IsErasureConfirmed(command, arguments, talk));
  if (!is_confirmed) return Json();
  if (!*is_confirmed) {
    return Fail(Code::kForbidden, "The person who was asked did not want it: nothing is erased.");
  }
  ASSIGN_OR_RETURN(
      const Engine::Erasure erasure,
      engine.Erase(principal, std::move(command), WriteOptionsOf("memory_erase", arguments)));
  Json answer = {{"erased", Json::array()}};
  for (const MemoryOutcome& memory : erasure.outcome.memories) {
    answer["erased"].push_back(ToString(memory.id));
  }
  for (const Uuid& copy : erasure.outcome.copies) answer["copies"].push_back(ToString(copy));
  PutOutcome(answer, erasure.outcome,
             fmt::format("erase {} memories for good, with all their versions",
                         erasure.outcome.memories.size()));
  if (erasure.outcome.dry_run) return answer;
  answer["receipts"] = erasure.receipts;
  answer["payloads"] = erasure.payloads;
  return answer;
}

// How many versions of memories were superseded by then, `time` itself included: what as_of cannot
// ask for any more once history before it is compacted. Reads the whole history of the space.
Result<std::uint64_t> VersionsSupersededBefore(const StateReader& reader, SpaceId space,
                                               Micros time) {
  const std::string prefix = Key().U8(2).U32(space).Take();  // HistoryRecord of tables.h
  std::uint64_t count = 0;
  std::string memory;
  bool has_version = false;
  Status malformed;
  RETURN_IF_ERROR(reader.Scan(Family::kState, prefix, PrefixEnd(prefix),
                              [&](std::string_view key, std::string_view value) {
                                const auto record = Unpack<fb::HistoryRecordT>(value);
                                if (!record) malformed = std::unexpected(record.error());
                                const std::string_view id = key.substr(prefix.size(), 16);
                                if (id != memory) {
                                  memory = id;
                                  has_version = false;
                                }
                                if (!record || record->version == 0 || record->record_time > time) {
                                  return malformed.has_value();
                                }
                                if (has_version) ++count;
                                has_version = true;
                                return true;
                              }));
  RETURN_IF_ERROR(malformed);
  return count;
}

Result<Json> RunCompact(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments, "before"));
  const Micros before = view.as_of();
  ASSIGN_OR_RETURN(const std::uint64_t superseded,
                   VersionsSupersededBefore(engine.Latest(), principal.space, before));
  const bool payloads = arguments.value("payloads", false);
  Engine::Droppable droppable;
  if (payloads) {
    ASSIGN_OR_RETURN(droppable, engine.PayloadsBefore(before));
  }
  const std::uint64_t bytes_before = engine.store().BytesOnDisk();
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Compact(principal, {before, payloads}, WriteOptionsOf("compact", arguments)));
  const std::string time = FormatTime(before);
  Json answer = {
      {"horizon", time},
      {"versions_superseded", superseded},
      {"lost", {fmt::format("Reads, lists, searches and rollbacks as of times before {}.", time)}},
      {"kept",
       {"The whole log, its chain and its proofs.",
        fmt::format("Everything as of {} and later.", time)}}};
  if (payloads) {
    answer["payloads_dropped"] = droppable.payloads;
    answer["payload_bytes_dropped"] = droppable.bytes;
    answer["lost"].push_back(
        fmt::format("{} texts and descriptions of versions superseded before then: those versions "
                    "can be read, compared and reverted to no more.",
                    droppable.payloads));
  } else {
    answer["kept"].push_back("The texts of all versions, by their numbers.");
  }
  PutOutcome(answer, outcome, fmt::format("compact the history of records before {}", time));
  if (!outcome.dry_run) {
    answer["bytes_before"] = bytes_before;
    answer["bytes_after"] = engine.store().BytesOnDisk();
  }
  return answer;
}

Json Counts(const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  Json list = Json::array();
  for (const auto& [name, count] : counts) list.push_back({{"name", name}, {"memories", count}});
  return list;
}

Result<Json> Contents(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const ReadView::Contents contents, view.TableOfContents());
  Json answer = {{"memories", contents.memories},
                 {"containers", Counts(contents.containers)},
                 {"themes", Counts(contents.themes)},
                 {"types", Counts(contents.types)}};
  PutView(answer, view, arguments);
  return answer;
}

}  // namespace

Operation MemoryErase(Engine& engine) {
  Operation operation;
  operation.name = "memory_erase";
  operation.title = "Erase memories for good";
  operation.description =
      "Destroys the texts of memories, all versions, in the store and in every index. Nobody can "
      "bring them back. The log keeps that it happened and still verifies. To hide a memory and be "
      "able to undo it, use memory_forget. Returns the seqs of the receipts.";
  operation.input_schema =
      s::Change(s::Object({{"id", s::Id()},
                           {"ids", s::Texts("More of them")},
                           {"closure", s::Flag("What was made from them, too")},
                           {"copies", s::Flag("And what says the same, in any scope")}}));
  operation.output_schema =
      s::WithQuiet(s::Written({{"erased", s::Texts()},
                               {"receipts", s::ListOf(s::Integer())},
                               {"payloads", s::Integer("Texts and descriptions gone")}},
                              {"erased"}),
                   {{"copies", s::Texts("Memories that say the same and stay")}});
  operation.hints = kDestroys;
  operation.erases = true;
  ServeTalking(operation, Caller::kOperator, {"POST", "/api/v1/memories/{id}/erase"}, engine,
               Erase);
  return operation;
}

Operation Compact(Engine& engine) {
  Operation operation;
  operation.name = "compact";
  operation.title = "Compact history";
  operation.description =
      "Trims the history of records before a time, which can then no longer be asked for with "
      "as_of; with payloads, the texts of versions superseded before it go too, in every space. "
      "Says what is lost and what is kept; try it with dry_run first. Holds for the whole store, "
      "and the time never goes back.";
  operation.input_schema = s::Write(
      s::Object({{"before", s::Time("A time, a log seq or a snapshot name")},
                 {"payloads", s::Flag("Drop the texts of versions superseded before then, too")}},
                {"before"}));
  operation.output_schema = s::Written({{"horizon", s::Text()},
                                        {"versions_superseded", s::Integer()},
                                        {"lost", s::Texts()},
                                        {"kept", s::Texts()},
                                        {"payloads_dropped", s::Integer()},
                                        {"payload_bytes_dropped", s::Integer()},
                                        {"bytes_before", s::Integer()},
                                        {"bytes_after", s::Integer()}},
                                       {"horizon", "versions_superseded", "lost", "kept"});
  operation.hints = kDestroys;
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/compact"}, engine, RunCompact);
  return operation;
}

Operation MemoryContents(Engine& engine) {
  Operation operation;
  operation.name = "memory_contents";
  operation.title = "Table of contents";
  operation.description =
      "Counts the memories that default reads show, by container, theme and type: where to look "
      "and what to filter by.";
  operation.input_schema = s::Object({{"as_of", s::AsOf()}, {"valid_at", s::ValidAt()}});
  const Json counts =
      s::ListOf(s::Object({{"name", s::Text()}, {"memories", s::Integer()}}, {"name", "memories"}));
  operation.output_schema = s::Read(
      {{"memories", s::Integer()}, {"containers", counts}, {"themes", counts}, {"types", counts}},
      {"memories", "containers", "themes", "types"});
  operation.hints = kReads;
  operation.mcp_tool = false;
  Serve(operation, Caller::kAnyone, {"GET", "/api/v1/contents"}, engine, Contents);
  return operation;
}

}  // namespace perdure::operations
