// The log as auditors ask it: queries, single entries, proofs.
#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "engine/proof/tree_head.h"
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

std::string Base64(const Hash& hash) { return Base64Encode(AsBytes(hash)); }

Json Base64List(const std::vector<Hash>& hashes) {
  Json list = Json::array();
  for (const Hash& hash : hashes) list.push_back(Base64(hash));
  return list;
}

std::optional<fb::Event> EventOf(const std::string& name) {
  for (const fb::Event event : fb::EnumValuesEvent()) {
    if (name == fb::EnumNameEvent(event)) return event;
  }
  return std::nullopt;
}

Result<LogQuery> QueryOf(const Engine& engine, const Principal& principal, const Json& arguments) {
  LogQuery query;
  if (arguments.contains("memory")) {
    ASSIGN_OR_RETURN(query.memory, IdOf(engine, principal, TextOf(arguments, "memory"), "memory"));
  }
  if (arguments.contains("actor")) {
    query.principal = ParseUuid(TextOf(arguments, "actor"));
    if (!query.principal) {
      return Fail(Code::kInvalidArgument,
                  "\"actor\" must be the whole id of a token, as in the entries' \"actor\". "
                  "Example: {\"actor\":\"0190f3c2-7d1e-7000-8000-000000000000\"}",
                  "actor");
    }
  }
  query.event = EventOf(TextOf(arguments, "event"));
  ASSIGN_OR_RETURN(query.from, TimeOf(arguments, "from"));
  ASSIGN_OR_RETURN(query.until, TimeOf(arguments, "until"));
  query.limit = arguments["limit"].get<std::size_t>();
  query.before = arguments.value("before", Seq{0});
  return query;
}

Result<Json> QueryLog(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const LogQuery query, QueryOf(engine, principal, arguments));
  ASSIGN_OR_RETURN(const LogPage page, view.QueryLog(query));
  Json answer = {{"entries", Json::array()}};
  for (const LogLine& line : page.entries) answer["entries"].push_back(AnswerOf(line));
  if (page.next_before != 0) answer["next_before"] = page.next_before;
  PutView(answer, view, arguments);
  return answer;
}

struct ReadLine {
  Entry entry;
  LogLine line;
};

// The entry and its readable form, if the caller's view shows it.
Result<ReadLine> LineOf(const Engine& engine, const Principal& principal, Seq seq) {
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  ASSIGN_OR_RETURN(const Seq last, view.AsOfSeq());
  const auto none = [&] {
    return Fail(
        Code::kNotFound,
        fmt::format("There is no entry {} that this token may see; the log ends at {}.", seq, last),
        "seq");
  };
  if (seq > last) return none();
  ASSIGN_OR_RETURN(Entry entry, ReadEntry(engine.Latest(), principal.space, seq));
  LogQuery query;
  query.from = entry->record_time();
  query.before = seq + 1;
  query.limit = 1;
  ASSIGN_OR_RETURN(LogPage page, view.QueryLog(query));
  if (page.entries.empty()) return none();
  return ReadLine{std::move(entry), std::move(page.entries.front())};
}

Result<Json> ReadOne(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadLine read, LineOf(engine, principal, arguments["seq"].get<Seq>()));
  const fb::Entry& entry = *read.entry;
  Json answer = {{"entry", AnswerOf(read.line)},
                 {"bytes", Base64Encode(read.entry.bytes())},
                 {"hash", HexEncode(AsBytes(Sha256(read.entry.bytes())))},
                 {"prev_hash", HexEncode(AsBytes(FromDigest(*entry.prev_hash())))}};
  if (entry.payload_digest() != nullptr) {
    answer["payload_digest"] = HexEncode(AsBytes(FromDigest(*entry.payload_digest())));
  }
  return answer;
}

// The sizes that the arguments ask for, none beyond the tree.
struct ProofSizes {
  std::uint64_t size = 0;
  std::uint64_t old_size = 0;  // 0: no consistency proof
};

Result<ProofSizes> SizesOf(const TreeState& tree, const Json& arguments) {
  ProofSizes sizes{arguments.value("size", tree.Size()), arguments.value("old_size", Seq{0})};
  const auto check = [&](const char* name, std::uint64_t value, std::uint64_t most) -> Status {
    if (value <= most) return {};
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" is {}, but the tree asked about has {} leaves. Example: "
                            "{{\"{}\":{}}}",
                            name, value, most, name, most),
                name);
  };
  RETURN_IF_ERROR(check("size", sizes.size, tree.Size()));
  RETURN_IF_ERROR(check("old_size", sizes.old_size, sizes.size));
  RETURN_IF_ERROR(check("seq", arguments.value("seq", Seq{0}), sizes.size));
  return sizes;
}

Result<Json> Prove(Engine& engine, const Principal& principal, const Json& arguments) {
  const TreeState state = engine.Tree(principal.space);
  const TreeView tree{state, engine.Tiles(principal.space)};
  ASSIGN_OR_RETURN(const ProofSizes sizes, SizesOf(state, arguments));
  const SigningKey& key = engine.KeysOf(principal.space).signing;
  TreeHead head;
  ASSIGN_OR_RETURN(head.origin,
                   engine.Origin({principal.space, CallerOf(engine, principal).space}));
  head.size = sizes.size;
  ASSIGN_OR_RETURN(head.root, RootAt(sizes.size, tree));
  Json answer = {{"tree_head", SignTreeHead(head, key)},
                 {"verifier_key", FormatVerifierKey(head.origin, key.public_key)},
                 {"size", sizes.size},
                 {"root", Base64(head.root)}};
  if (arguments.contains("seq")) {
    const Seq seq = arguments["seq"].get<Seq>();
    ASSIGN_OR_RETURN(const ReadLine read, LineOf(engine, principal, seq));
    ASSIGN_OR_RETURN(const auto path, InclusionProof(seq - 1, sizes.size, tree));
    answer["inclusion"] = {{"seq", seq},
                           {"leaf_index", seq - 1},
                           {"leaf_hash", Base64(LeafHash(read.entry.bytes()))},
                           {"entry", Base64Encode(read.entry.bytes())},
                           {"path", Base64List(path)}};
  }
  if (sizes.old_size != 0) {
    ASSIGN_OR_RETURN(const Hash old_root, RootAt(sizes.old_size, tree));
    ASSIGN_OR_RETURN(const auto path, ConsistencyProof(sizes.old_size, sizes.size, tree));
    answer["consistency"] = {
        {"old_size", sizes.old_size}, {"old_root", Base64(old_root)}, {"path", Base64List(path)}};
  }
  return answer;
}

Json ProofSchema() {
  Json inclusion = s::Object({{"seq", s::Integer()},
                              {"leaf_index", s::Integer()},
                              {"leaf_hash", s::Text()},
                              {"entry", s::Text("The entry's bytes")},
                              {"path", s::Texts()}},
                             {"seq", "leaf_index", "leaf_hash", "entry", "path"});
  Json consistency =
      s::Object({{"old_size", s::Integer()}, {"old_root", s::Text()}, {"path", s::Texts()}},
                {"old_size", "old_root", "path"});
  return s::Object({{"tree_head", s::Text("A signed note (C2SP tlog-checkpoint)")},
                    {"verifier_key", s::Text()},
                    {"size", s::Integer()},
                    {"root", s::Text()},
                    {"inclusion", std::move(inclusion)},
                    {"consistency", std::move(consistency)}},
                   {"tree_head", "verifier_key", "size", "root"});
}

}  // namespace

Operation LogQueryOperation(Engine& engine) {
  Operation operation;
  operation.name = "log_query";
  operation.title = "Query the log";
  operation.description =
      "Lists entries of the log, newest first, by memory, actor, event and record time: who did "
      "what, when and why, refused writes too. While there is next_before, call again with it as "
      "before.";
  operation.input_schema =
      s::Object({{"memory", s::Text("Id of a memory")},
                 {"actor", s::Text("Id of a token")},
                 {"event", s::OneOf(s::EventNames())},
                 {"from", s::Time("Record time, included")},
                 {"until", s::Time("Record time, not included")},
                 {"as_of", s::AsOf()},
                 {"limit", s::WithDefault(s::Integer("", 1, limits::kListLimitMax), 100)},
                 {"before", s::Integer("Only below this seq", 1)}});
  operation.output_schema =
      s::Read({{"entries", s::ListOf(s::LogLine())}, {"next_before", s::Integer()}}, {"entries"});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, kAuditors, {"GET", "/api/v1/log"}, engine, QueryLog);
  return operation;
}

Operation LogEntry(Engine& engine) {
  Operation operation;
  operation.name = "log_entry";
  operation.title = "Read an entry of the log";
  operation.description =
      "Shows one entry of the log: readable, as its bytes in base64, and with the SHA-256 of them "
      "that the next entry's prev_hash must equal. log_proof proves that it is in the log.";
  operation.input_schema = s::Object({{"seq", s::Integer("", 1)}}, {"seq"});
  operation.output_schema = s::Object({{"entry", s::LogLine()},
                                       {"bytes", s::Text()},
                                       {"hash", s::Text()},
                                       {"prev_hash", s::Text()},
                                       {"payload_digest", s::Text()}},
                                      {"entry", "bytes", "hash", "prev_hash"});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, kAuditors, {"GET", "/api/v1/log/{seq}"}, engine, ReadOne);
  return operation;
}

Operation LogProof(Engine& engine) {
  Operation operation;
  operation.name = "log_proof";
  operation.title = "Prove the log";
  operation.description =
      "Gives a tree head over the log, signed with the space's key, and on request a proof (RFC "
      "9162, hashes in base64) that an entry is under it (seq), or that it extends an older head "
      "(old_size). Keep heads elsewhere: nobody can then rewrite what they cover unnoticed.";
  operation.input_schema =
      s::Object({{"seq", s::Integer("Entry to prove", 1)},
                 {"size", s::Integer("Of the head. Default: the whole log", 1)},
                 {"old_size", s::Integer("Of an older head", 1)}});
  operation.output_schema = ProofSchema();
  operation.hints = kReads;
  Serve(operation, kAuditors, {"GET", "/api/v1/proof"}, engine, Prove);
  return operation;
}

}  // namespace perdure::operations
