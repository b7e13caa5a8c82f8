#include "tools/import/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <utility>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "server/api/answers.h"
#include "server/api/json.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

// A member as text; empty when it is none.
std::string TextIn(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}
  void Add(const Json& json) {
    const std::string line = DumpJson(json) + "\n";
    hash_.Update(line);
    out_ << line;
  }
  void End(std::uint64_t rows) {
    Add({{"end", rows}, {"sha256", HexEncode(AsBytes(hash_.Finish()))}});
  }

 private:
  std::ostream& out_;
  Sha256Stream hash_;
};

Result<std::vector<Uuid>> IdsIn(const ReadView& view, const ScopePath& scope, StateReport& report) {
  ListFilter all;
  all.scope = scope;
  for (const fb::MemoryState state : fb::EnumValuesMemoryState()) {
    if (state != fb::MemoryState::erased) all.states.push_back(state);
  }
  for (const fb::Genre genre : fb::EnumValuesGenre()) all.genres.push_back(genre);
  std::vector<Uuid> ids;
  std::string cursor;
  do {
    ASSIGN_OR_RETURN(const MemoryPage page, view.List(all, limits::kListLimitMax, cursor));
    for (const Memory& memory : page.memories) {
      ids.push_back(memory.id);
      ++report.counts[fb::EnumNameMemoryKind(memory.record.kind)];
    }
    cursor = page.cursor;
  } while (!cursor.empty());
  std::ranges::sort(ids);
  return ids;
}

// Reads line after line and compares the end.
class Lines {
 public:
  explicit Lines(std::istream& in) : in_(in) {}

  std::unexpected<Error> Bad(std::string_view what) const {
    return Fail(Code::kCorrupt, fmt::format("Line {} of the state file {}", line_, what));
  }
  Result<Json> Next() {
    ++line_;
    if (!std::getline(in_, text_) || in_.eof()) {
      return Bad("is not whole: the file is cut off.");
    }
    auto json = ParseJson(text_);
    if (!json || !json->is_object()) return Bad("is no JSON object.");
    if (json->contains("end")) {
      before_ = HexEncode(AsBytes(hash_.Finish()));
    } else {
      hash_.Update(text_ + "\n");
    }
    return *std::move(json);
  }
  Status CheckEnd(const Json& end, std::uint64_t rows) const {
    if (end["end"] != rows || TextIn(end, "sha256") != before_) {
      return Bad("does not fit what is before it.");
    }
    if (in_.peek() != std::istream::traits_type::eof()) return Bad("is not the last one.");
    return {};
  }
  std::uint64_t line() const { return line_; }

 private:
  std::istream& in_;
  std::string text_;
  std::string before_;
  Sha256Stream hash_;
  std::uint64_t line_ = 0;
};

void Copy(const Json& from, Json& to, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (from.contains(name)) to[name] = from[name];
  }
}

ImportRow RowOf(const Json& memory, std::uint64_t line) {
  ImportRow row{.line = line, .arguments = Json::object()};
  if (TextIn(memory, "state") != "live" || memory.value("standing", Json(true)) == false) {
    row.skipped =
        TextIn(memory, "state") == "live" ? "another value stands" : TextIn(memory, "state");
    return row;
  }
  Copy(memory, row.arguments,
       {"text", "tags", "theme", "metadata", "importance", "authorship", "store", "class", "genre",
        "valid_from", "valid_until", "expires_at"});
  if (!TextIn(memory, "scope").empty()) row.arguments["scope"] = memory["scope"];
  row.is_fact = TextIn(memory, "kind") == "fact";
  const Json time = memory.contains("reference_time")  ? memory["reference_time"]
                    : memory.contains("evidence_time") ? memory["evidence_time"]
                                                       : memory.value("created_time", Json());
  if (!row.is_fact) {
    Copy(memory, row.arguments,
         {"title", "kind", "type", "source", "conversation", "position", "speaker", "session"});
    if (TextIn(memory, "title").empty()) row.arguments.erase("title");
    row.arguments["reference_time"] = time;
    return row;
  }
  Copy(memory, row.arguments, {"subject", "predicate", "object"});
  Json evidence = memory.value("evidence", Json());
  if (!evidence.is_object()) evidence = Json::object();
  if (!evidence.contains("source")) evidence["source"] = "import of " + TextIn(memory, "id");
  evidence["reference_time"] = time;
  row.arguments["evidence"] = std::move(evidence);
  return row;
}

Result<StateReport> ReadManifest(Lines& lines) {
  ASSIGN_OR_RETURN(const Json manifest, lines.Next());
  if (!manifest.contains("perdure_state")) return lines.Bad("does not begin a state file.");
  if (manifest["perdure_state"] != kFormat) return lines.Bad("names a format of a newer program.");
  StateReport report;
  report.space = TextIn(manifest, "space");
  report.scope = TextIn(manifest, "scope");
  const auto seq = manifest.find("seq");
  if (seq == manifest.end() || !seq->is_number_unsigned()) return lines.Bad("has no \"seq\".");
  report.seq = seq->get<Seq>();
  return report;
}

Result<StateReport> Read(const std::string& path, const TakeRow& take) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  Lines lines(in);
  ASSIGN_OR_RETURN(StateReport report, ReadManifest(lines));
  while (true) {
    ASSIGN_OR_RETURN(const Json line, lines.Next());
    if (line.contains("end")) {
      RETURN_IF_ERROR(lines.CheckEnd(line, report.rows));
      return report;
    }
    ++report.rows;
    ++report.counts[TextIn(line, "kind")];
    if (take) RETURN_IF_ERROR(take(RowOf(line, lines.line())));
  }
}

}  // namespace

Result<StateReport> WriteState(const Engine& engine, SpaceId space, const ScopePath& scope,
                               std::ostream& out) {
  Principal principal = BootstrapPrincipal();
  principal.space = space;
  StateReport report{.scope = FormatScope(scope), .seq = engine.Visible(space).seq};
  for (const SpaceInfo& info : engine.Spaces()) {
    if (info.id == space) report.space = info.name;
  }
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  ASSIGN_OR_RETURN(const std::vector<Uuid> ids, IdsIn(view, scope, report));
  Writer writer(out);
  writer.Add({{"perdure_state", kFormat},
              {"space", report.space},
              {"scope", report.scope},
              {"seq", report.seq},
              {"counts", report.counts}});
  for (const Uuid& id : ids) {
    ASSIGN_OR_RETURN(const Memory memory, view.Get(id));
    Json row = AnswerOf(memory, schemas::Detail::kWhole);
    RETURN_IF_ERROR(PutEvidence(row, view, memory));
    row.erase("valid");
    row.erase("expired");
    writer.Add(row);
  }
  report.rows = ids.size();
  writer.End(report.rows);
  if (!out.flush()) return Fail(Code::kUnavailable, "The state cannot be written.");
  return report;
}

Result<StateReport> ReadState(const std::string& path, const TakeRow& take) {
  RETURN_IF_ERROR(Read(path, {}));
  return Read(path, take);
}

}  // namespace perdure
