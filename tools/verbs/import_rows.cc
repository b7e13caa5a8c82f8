#include "tools/verbs/import_rows.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/transfer/adopt.h"
#include "tools/import/foreign.h"
#include "tools/import/importer.h"
#include "tools/import/state_file.h"
#include "tools/new_file.h"
#include "tools/progress.h"
#include "tools/session.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kLeftShown = 20;

volatile std::sig_atomic_t was_interrupted = 0;
void OnInterrupt(int /*signal*/) { was_interrupted = 1; }

// What tells one import from another: the bytes of its file, and how they are read.
Result<std::string> NameOf(const RowsChoice& choice) {
  const std::string& path = choice.file;
  Sha256Stream hash;
  for (const std::string& part : {choice.format, choice.fields, choice.scope}) {
    hash.Update(part + "\n");
  }
  if (fs::is_directory(path)) {
    RETURN_IF_ERROR(ReadForeign(choice.format, path, choice.fields, [&](const ImportRow& row) {
      hash.Update(row.arguments.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
      return Status();
    }));
    return HexEncode(AsBytes(hash.Finish())).substr(0, 32);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  for (std::string block(1 << 16, '\0'); in;) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.Update(std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  return HexEncode(AsBytes(hash.Finish())).substr(0, 32);
}

// The export of a log is folded in a place of its own; what it comes to is imported.
class Scratch {
 public:
  Scratch() : path_((fs::temp_directory_path() / "perdure-import-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    if (!path_.empty()) static_cast<void>(RemoveTree(path_));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // The state file of the space that the export holds.
  Result<std::string> StateOf(const std::string& file) const {
    if (path_.empty()) return Fail(Code::kUnavailable, "No directory can be made for the import.");
    SystemClock clock;
    SystemRandom random;
    RETURN_IF_ERROR(Engine::Create(path_ + "/data", clock, random));
    ASSIGN_OR_RETURN(const AdoptReport adopted, AdoptExport(path_ + "/data", file, clock, random));
    ASSIGN_OR_RETURN(
        const auto engine,
        Engine::Open({.directory = path_ + "/data", .read_only = true}, clock, random));
    NewFile state(path_ + "/state");
    RETURN_IF_ERROR(state.Open());
    RETURN_IF_ERROR(WriteState(*engine, adopted.file.space, {}, state.out()));
    RETURN_IF_ERROR(state.Place());
    return path_ + "/state";
  }

 private:
  std::string path_;
};

bool BeginsWith(const std::string& path, std::string_view text) {
  std::ifstream in(path, std::ios::binary);
  std::string begin(text.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in && begin == text;
}

// Through all rows of the file, whatever its form.
Status ReadAll(const RowsChoice& choice, const Scratch& scratch, const TakeRow& take) {
  if (!choice.format.empty()) return ReadForeign(choice.format, choice.file, choice.fields, take);
  std::string state = choice.file;
  if (BeginsWith(choice.file, "PDEXPRT1")) {
    ASSIGN_OR_RETURN(state, scratch.StateOf(choice.file));
  }
  RETURN_IF_ERROR(ReadState(state, take));
  return {};
}

Json AnswerOf(const ImportReport& report, bool dry_run) {
  Json answer = {{"rows", report.rows},       {"stored", report.stored},
                 {"known", report.known},     {"candidates", report.candidates},
                 {"refused", report.refused}, {"failed", report.failed},
                 {"skipped", report.skipped}, {"left", Json::array()}};
  if (dry_run) answer["dry_run"] = true;
  if (report.stopped) answer["stopped"] = true;
  for (const ImportReport::Left& left : report.left) {
    answer["left"].push_back({{"line", left.line}, {"what", left.what}, {"why", left.why}});
  }
  return answer;
}

void PrintReport(const ImportReport& report, bool dry_run) {
  if (dry_run) Print("dry run: nothing is written\n");
  Print(
      fmt::format("{} rows: {} stored, {} known before, {} wait for review, {} refused, {} "
                  "failed, {} skipped\n",
                  report.rows, report.stored, report.known, report.candidates, report.refused,
                  report.failed, report.skipped));
  for (std::size_t i = 0; i < std::min(kLeftShown, report.left.size()); ++i) {
    const ImportReport::Left& left = report.left[i];
    Print(fmt::format("  row {} {}: {}\n", left.line, left.what, left.why));
  }
  if (report.left.size() > kLeftShown) {
    Print(fmt::format("  and {} more: --json has them all\n", report.left.size() - kLeftShown));
  }
  if (report.stopped) Print("stopped; the same call goes on and stores nothing twice\n");
}

}  // namespace

Result<int> ImportRows(const Program& program, const RowsChoice& choice) {
  ASSIGN_OR_RETURN(const std::string name, NameOf(choice));
  ASSIGN_OR_RETURN(const auto session, Session::Open(program, "import"));
  const Scratch scratch;
  was_interrupted = 0;
  const auto before = std::signal(SIGINT, OnInterrupt);
  ImportReport report;
  {
    const Stopwatch stopwatch("import");
    Importer importer(*session, {.name = name,
                                 .scope = choice.scope,
                                 .dry_run = choice.dry_run,
                                 .stop = [] { return was_interrupted != 0; },
                                 .progress = {}});
    const Status read =
        ReadAll(choice, scratch, [&](ImportRow row) { return importer.Take(std::move(row)); });
    if (!read && !importer.WasStopped()) return std::unexpected(read.error());
    auto finished = importer.Finish();
    if (!finished && !importer.WasStopped()) return std::unexpected(finished.error());
    ASSIGN_OR_RETURN(report, finished ? std::move(finished) : importer.Finish());
  }
  std::signal(SIGINT, before);
  program.json ? PrintJson(AnswerOf(report, choice.dry_run)) : PrintReport(report, choice.dry_run);
  return report.stopped || report.failed > 0 ? kExitFailed : kExitOk;
}

}  // namespace perdure
