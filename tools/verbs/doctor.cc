#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/replay/repair.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/read_only.h"
#include "tools/session.h"
#include "tools/verbs/verbs.h"
#include "tools/versions.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kFreeBytesWanted = 1ULL << 30;

// Looks only; never deletes or repairs.
struct Finding {
  std::string check;
  std::string text;
  std::string remedy;  // empty: all is well
};
using Findings = std::vector<Finding>;

bool IsOpenToOthers(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && (info.st_mode & 077) != 0;
}

void CheckDirectory(const std::string& data_dir, Findings& findings) {
  if (IsOpenToOthers(data_dir)) {
    findings.push_back(
        {"directory", data_dir + " is open to other users", fmt::format("chmod 700 {}", data_dir)});
  } else {
    findings.push_back({"directory", data_dir, ""});
  }
  for (const std::string& path : {AgentTokenFile(data_dir), OperatorTokenFile(data_dir)}) {
    const auto token = ReadTokenFile(path);
    findings.push_back({"token", token ? path : token.error().message,
                        token ? "" : "see there; `perdure init` makes missing tokens"});
  }
  for (const auto& entry : fs::directory_iterator(data_dir)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("store.damaged.")) {
      findings.push_back({"kept", name + " is what a repair replaced", ""});
    }
    if (!name.starts_with("replay.") && name != "store.rebuilt") continue;
    findings.push_back({"leftover", fmt::format("{} was left by a replay that was killed", name),
                        fmt::format("when no replay runs: rm -r {}", entry.path().string())});
  }
}

void CheckDisk(const std::string& data_dir, Findings& findings) {
  struct statvfs info{};
  if (statvfs(data_dir.c_str(), &info) != 0) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  findings.push_back({"disk", fmt::format("{} MiB are free", bytes >> 20),
                      bytes < kFreeBytesWanted ? "make room: under 1 GiB is free, and a full disk "
                                                 "stops the writer"
                                               : ""});
}

// Who has the directory open, if anybody.
void CheckLock(const std::string& data_dir, Findings& findings) {
  auto attempt = DirectoryLock::Acquire(data_dir, "doctor", std::chrono::milliseconds(500));
  if (!attempt) {
    findings.push_back({"lock", attempt.error().message, "make the directory writable for you"});
    return;
  }
  findings.push_back({"lock",
                      attempt->lock ? "nobody has the directory open"
                                    : attempt->holder.Name() + " has the directory open",
                      ""});
}

// What is wrong with a store that does not pass the check at open, and what helps.
void Diagnose(const std::string& data_dir, const std::string& problem, Findings& findings) {
  const auto logs = ExamineLogs(data_dir);
  if (!logs) {
    findings.push_back(
        {"log", logs.error().message, "keep a copy of the directory, then see there"});
    return;
  }
  bool is_whole = true;
  for (const LogHealth& log : *logs) {
    if (log.problem.empty()) continue;
    is_whole = false;
    findings.push_back(
        {"log", fmt::format("{}: {}", log.name, log.problem),
         fmt::format("restore a backup that reaches beyond entry {0}; without one: perdure log "
                     "truncate --space {1} --to {0} --yes, which loses the {2} entries behind it",
                     log.last_good, log.name, log.last - log.last_good)});
  }
  if (!is_whole) return;
  findings.push_back({"log", "every entry and payload is good, but: " + problem,
                      "stop the server, then: perdure replay --in-place --yes"});
}

// Opening checks format, keys, the chain and the cursor since the last checkpoint.
bool CheckTail(const Program& program, const std::string& data_dir, Findings& findings) {
  const auto opened = ReadOnlyStore::Open(program, true);
  if (!opened) {
    const Error& error = opened.error();
    if (error.code == Code::kCorrupt) {
      Diagnose(data_dir, error.message, findings);
    } else {
      findings.push_back({"log", error.message, "see there"});
    }
    return false;
  }
  Seq entries = 0;
  const Engine& engine = (*opened)->engine();
  for (const SpaceInfo& space : engine.Spaces()) entries += engine.Visible(space.id).seq;
  findings.push_back(
      {"log", fmt::format("{} entries; keys, format and tail are in order", entries), ""});
  return true;
}

void CheckIndex(const Json& index, Findings& findings) {
  for (const Json& space : index["spaces"]) {
    const auto number = [&](const char* name) { return space.value(name, std::uint64_t{0}); };
    findings.push_back(
        {"index",
         fmt::format("{}: lexical at {} of {}, semantic at {}, {} embeddings pending",
                     space.value("space", ""), number("lexical_seq"), number("log_seq"),
                     number("semantic_seq"), number("pending_embeddings")),
         ""});
    for (const Json& repair : space.value("repairs", Json::array())) {
      findings.push_back({"index", "was repaired: " + repair.get<std::string>(), ""});
    }
    if (space.contains("failure")) {
      findings.push_back({"index", space["failure"].get<std::string>(), "perdure index rebuild"});
    }
  }
  if (index.value("stand_in", false)) {
    findings.push_back({"model",
                        "semantic search is a stand-in: " + index.value("stand_in_reason", ""),
                        "sh tools/fetch_model.sh build/model, or say where the model is with "
                        "--model; then restart"});
  } else {
    findings.push_back({"model", index.value("model", ""), ""});
  }
}

void CheckScrub(const Json& status, Findings& findings) {
  if (!status.contains("scrub")) return;
  const Json& scrub = status["scrub"];
  for (const Json& found : scrub["problems"]) {
    findings.push_back({"scrub",
                        fmt::format("{}: {}", found["space"].get<std::string>(),
                                    found["problem"].get<std::string>()),
                        "stop the server, keep a copy of the directory, and `perdure log verify`: "
                        "it names the remedy"});
  }
  findings.push_back(
      {"scrub",
       fmt::format("{} entries checked, last pass {}", scrub["entries"].get<std::uint64_t>(),
                   scrub.value("last_pass", "not done yet")),
       ""});
}

void CheckService(const Program& program, bool confirm_clock, Findings& findings) {
  auto session = Session::Open(program, "doctor");
  const auto status =
      session ? (*session)->Call("status", Json::object()) : std::unexpected(session.error());
  if (!status) {
    findings.push_back({"service", status.error().message, "see there"});
    return;
  }
  if (confirm_clock) {
    const auto confirmed = (*session)->Call("clock_confirm", Json::object());
    findings.push_back(
        {"clock",
         confirmed ? "confirmed: it is " + confirmed->value("now", "") : confirmed.error().message,
         confirmed ? "" : "see there"});
  }
  const bool takes_writes = status->value("takes_writes", false);
  findings.push_back({"writer",
                      takes_writes ? "takes writes" : status->value("writer_problem", "stopped"),
                      takes_writes ? "" : "free the disk or repair it, then restart"});
  if (status->contains("clock_warning")) {
    findings.push_back({"clock", status->value("clock_warning", ""), "check the machine's clock"});
  }
  CheckScrub(*status, findings);
  CheckIndex((*status)["index"], findings);
}

Result<int> Doctor(const Program& program, bool confirm_clock) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  Findings findings;
  findings.push_back({"version",
                      fmt::format("perdure {}, RocksDB {}, ICU {}", kProgramVersion,
                                  RocksDbVersion(), IcuVersion()),
                      ""});
  if (!HasStore(data_dir)) {
    findings.push_back({"directory", fmt::format("there is no store in {}", data_dir),
                        fmt::format("perdure init --data {}", data_dir)});
  } else {
    CheckDirectory(data_dir, findings);
    CheckDisk(data_dir, findings);
    CheckLock(data_dir, findings);
    if (CheckTail(program, data_dir, findings)) CheckService(program, confirm_clock, findings);
  }
  bool is_well = true;
  Json answer = {{"findings", Json::array()}};
  for (const Finding& finding : findings) {
    const bool is_fine = finding.remedy.empty();
    is_well = is_well && is_fine;
    answer["findings"].push_back(
        {{"check", finding.check}, {"ok", is_fine}, {"text", finding.text}});
    if (!is_fine) answer["findings"].back()["remedy"] = finding.remedy;
    if (program.json) continue;
    Print(fmt::format("{}  {:10} {}\n", is_fine ? "ok " : "BAD", finding.check, finding.text));
    if (!is_fine) Print(fmt::format("                remedy: {}\n", finding.remedy));
  }
  answer["ok"] = is_well;
  if (program.json) PrintJson(answer);
  return is_well ? kExitOk : kExitFailed;
}

}  // namespace

void AddDoctor(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "doctor",
                           "Look for what is wrong, and say what helps; changes nothing");
  const auto confirm_clock = std::make_shared<bool>(false);
  verb.add_flag("--confirm-clock", *confirm_clock,
                "Say that the wall clock is right, after it ran ahead and stopped the writer");
  OnRun(verb, program, [&program, confirm_clock] { return Doctor(program, *confirm_clock); });
}

}  // namespace perdure
