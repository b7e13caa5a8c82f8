// How the indexes and the whole house stand.
#include <fmt/format.h>

#include "server/api/answers.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Json SpaceAnswer(const SpaceIndexStatus& space) {
  Json answer = {{"space", space.name},
                 {"log_seq", space.log_seq},
                 {"lexical_seq", space.lexical_seq},
                 {"semantic_seq", space.semantic_seq},
                 {"memories", space.memories},
                 {"chunks", space.chunks},
                 {"vectors", space.vectors},
                 {"pending_embeddings", space.pending_embeddings},
                 {"generation", space.generation},
                 {"vectors_loaded", space.vectors_loaded},
                 {"bytes_on_disk", space.bytes_on_disk},
                 {"bytes_in_memory", space.bytes_in_memory},
                 {"repairs", space.repairs}};
  PutText(answer, "failure", space.failure);
  return answer;
}

// The caller's own space only: others are other tenants.
Json IndexAnswer(const SearchService& search, const Principal& principal) {
  const IndexStatus status = search.Status();
  Json answer = {{"model", status.model},
                 {"dimensions", status.dimensions},
                 {"stand_in", !status.stand_in_reason.empty()},
                 {"spaces", Json::array()}};
  PutText(answer, "stand_in_reason", status.stand_in_reason);
  for (const SpaceIndexStatus& space : status.spaces) {
    if (space.space == principal.space) answer["spaces"].push_back(SpaceAnswer(space));
  }
  return answer;
}

Json IndexSchema() {
  Json space = s::Object({{"space", s::Text()},
                          {"log_seq", s::Integer()},
                          {"lexical_seq", s::Integer()},
                          {"semantic_seq", s::Integer()},
                          {"memories", s::Integer()},
                          {"chunks", s::Integer()},
                          {"vectors", s::Integer()},
                          {"pending_embeddings", s::Integer()},
                          {"generation", s::Integer()},
                          {"vectors_loaded", s::Flag()},
                          {"bytes_on_disk", s::Integer()},
                          {"bytes_in_memory", s::Integer()},
                          {"repairs", s::Texts()},
                          {"failure", s::Text()}},
                         {"space", "log_seq", "lexical_seq", "semantic_seq"});
  return s::Object({{"model", s::Text()},
                    {"dimensions", s::Integer()},
                    {"stand_in", s::Flag("No model: the semantic arm knows letters only")},
                    {"stand_in_reason", s::Text()},
                    {"spaces", s::ListOf(std::move(space))}},
                   {"model", "dimensions", "stand_in", "spaces"});
}

Result<Json> Rebuild(SearchService& search, Engine& engine, const Principal& principal,
                     Dialogue& talk) {
  const auto report = [&](Seq indexed, Seq end) {
    talk.Progress(static_cast<double>(indexed), static_cast<double>(end), "Entries of the log");
  };
  report(0, engine.Visible(principal.space).seq);
  RETURN_IF_ERROR(search.Rebuild(principal.space, report));
  talk.Log(LogLevel::kInfo, "Words can be searched again; vectors follow in the background.");
  return IndexAnswer(search, principal);
}

// The caller's own space only, unless it runs the house.
Json ScrubAnswer(const ScrubStatus& scrub, const std::string& own, const Principal& principal) {
  Json answer = {{"entries", scrub.entries},
                 {"findings", scrub.findings},
                 {"passes", scrub.passes},
                 {"problems", Json::array()}};
  if (scrub.last_pass != 0) answer["last_pass"] = FormatTime(scrub.last_pass);
  const bool runs_house =
      principal.Has(kOperator) && principal.scope.empty() && principal.space == kMainSpace;
  for (const auto& [space, problem] : scrub.problems) {
    if (!runs_house && space != own) continue;
    answer["problems"].push_back({{"space", space}, {"problem", problem}});
  }
  return answer;
}

Json ScrubSchema() {
  const Json problem =
      s::Object({{"space", s::Text()}, {"problem", s::Text()}}, {"space", "problem"});
  return s::Object({{"entries", s::Integer("Checked since the start")},
                    {"findings", s::Integer()},
                    {"passes", s::Integer()},
                    {"last_pass", s::Text()},
                    {"problems", s::ListOf(problem)}},
                   {"entries", "findings", "passes", "problems"});
}

Result<Json> HouseStatus(Engine& engine, SearchService& search, const ScrubReader& scrubbed,
                         const Principal& principal) {
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  ASSIGN_OR_RETURN(const Seq seq, view.AsOfSeq());
  ASSIGN_OR_RETURN(const ReadView::Contents contents, view.TableOfContents());
  const perdure::Status writer = engine.WriterState();
  Json answer = {{"space", CallerOf(engine, principal).space},
                 {"seq", seq},
                 {"record_time", FormatTime(view.as_of())},
                 {"tree_size", engine.Tree(principal.space).Size()},
                 {"memories", contents.memories},
                 {"takes_writes", writer.has_value()},
                 {"bytes_on_disk", engine.store().BytesOnDisk()},
                 {"index", IndexAnswer(search, principal)}};
  if (const auto scrub = scrubbed()) {
    answer["scrub"] = ScrubAnswer(*scrub, answer["space"].get<std::string>(), principal);
  }
  if (!writer) answer["writer_problem"] = writer.error().message;
  if (!engine.clock_warning().empty()) answer["clock_warning"] = engine.clock_warning();
  if (engine.Horizon() != kTimeMin) answer["horizon"] = FormatTime(engine.Horizon());
  return answer;
}

}  // namespace

Operation IndexStatusOperation(Engine& engine, SearchService& search) {
  Operation operation;
  operation.name = "index_status";
  operation.title = "State of the indexes";
  operation.description =
      "Tells how far the indexes have followed the log, how many embeddings are pending, which "
      "model runs, and what was repaired.";
  operation.output_schema = IndexSchema();
  operation.hints = kReads;
  Serve(operation, kAuditors, {"GET", "/api/v1/index"}, engine,
        [&search](Engine&, const Principal& principal, const Json&) {
          return IndexAnswer(search, principal);
        });
  return operation;
}

Operation IndexRebuild(Engine& engine, SearchService& search) {
  Operation operation;
  operation.name = "index_rebuild";
  operation.title = "Rebuild the indexes";
  operation.description =
      "Builds the indexes of the space anew from the log, and returns when words can be searched "
      "again; vectors follow in the background. Changes no memory.";
  operation.output_schema = IndexSchema();
  operation.hints = kSettles;
  ServeTalking(operation, Caller::kOperator, {"POST", "/api/v1/index/rebuild"}, engine,
               [&search](Engine& house, const Principal& principal, const Json&, Dialogue& talk) {
                 return Rebuild(search, house, principal, talk);
               });
  return operation;
}

Operation StatusOperation(Engine& engine, SearchService& search, ScrubReader scrubbed) {
  Operation operation;
  operation.name = "status";
  operation.title = "State of the store";
  operation.description =
      "Tells how the store stands: the end of the log, the number of memories, whether writes are "
      "taken, the horizon of history, bytes on disk, what the background scrub found, and the "
      "indexes.";
  operation.output_schema = s::Object({{"space", s::Text()},
                                       {"seq", s::Integer()},
                                       {"record_time", s::Text()},
                                       {"tree_size", s::Integer()},
                                       {"memories", s::Integer()},
                                       {"takes_writes", s::Flag()},
                                       {"writer_problem", s::Text()},
                                       {"clock_warning", s::Text()},
                                       {"horizon", s::Text()},
                                       {"bytes_on_disk", s::Integer()},
                                       {"scrub", ScrubSchema()},
                                       {"index", IndexSchema()}},
                                      {"space", "seq", "memories", "takes_writes", "index"});
  operation.hints = kReads;
  Serve(operation, kAuditors, {"GET", "/api/v1/status"}, engine,
        [&search, scrubbed = std::move(scrubbed)](Engine& house, const Principal& principal,
                                                  const Json&) {
          return HouseStatus(house, search, scrubbed, principal);
        });
  return operation;
}

}  // namespace perdure::operations
