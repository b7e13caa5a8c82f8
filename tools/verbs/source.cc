// Folders of memory files that stores mirror.
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>

#include "engine/base/mutex.h"
#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/source/follow.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

Result<std::vector<FolderSource>> SourcesNamed(Session& session, const std::string& store) {
  ASSIGN_OR_RETURN(const Json answer, session.Call("source_list", Json::object()));
  std::vector<FolderSource> sources;
  for (const Json& listed : answer["sources"]) {
    if (store.empty() || listed["store"] == store) sources.push_back(FolderSourceOf(listed));
  }
  if (!sources.empty()) return sources;
  return Fail(Code::kNotFound,
              store.empty() ? "There is no source. `perdure source add STORE FOLDER` makes one."
                            : fmt::format("The store {} mirrors no folder. `perdure source list` "
                                          "shows those that do.",
                                          store),
              "store");
}

Json JsonOf(const FolderSource& source, const SyncReport& report) {
  Json json = {{"source", source.source}, {"store", source.store},    {"path", source.root},
               {"files", report.files},   {"changes", Json::array()}, {"problems", Json::array()}};
  for (const FileOutcome& outcome : report.outcomes) {
    Json& change =
        json["changes"].emplace_back(Json{{"action", outcome.action}, {"path", outcome.path}});
    if (!outcome.id.empty()) change["id"] = outcome.id;
    if (outcome.is_candidate) change["candidate"] = true;
    if (!outcome.problem.empty()) change["problem"] = outcome.problem;
  }
  for (const FileProblem& problem : report.problems) {
    json["problems"].push_back({{"path", problem.path}, {"why", problem.why}});
  }
  return json;
}

void PrintChanges(const SyncReport& report) {
  for (const FileOutcome& outcome : report.outcomes) {
    const std::string what = !outcome.problem.empty() ? "NOT DONE: " + outcome.problem
                             : outcome.is_candidate   ? "waits for a reviewer"
                                                      : outcome.id;
    Print(fmt::format("  {:8} {}  {}\n", outcome.action, outcome.path, what));
  }
}

void PrintProblems(const SyncReport& report) {
  for (const FileProblem& problem : report.problems) {
    Print(fmt::format("  problem  {} {}\n", problem.path, problem.why));
  }
}

// What stopped a file from being followed: a gate, or the file itself.
bool HasTrouble(const SyncReport& report) {
  return !report.problems.empty() ||
         std::ranges::any_of(report.outcomes,
                             [](const FileOutcome& outcome) { return !outcome.problem.empty(); });
}

Result<SyncReport> ScanOnce(const FolderSource& source, Session& session, bool dry_run) {
  ASSIGN_OR_RETURN(const PatternList patterns, PatternList::Of(source.patterns));
  ASSIGN_OR_RETURN(const FolderListing listing, ListFolder(source.root, patterns));
  return SyncSource(
      source, listing,
      [&](const std::string& name, const Json& call) { return session.Call(name, call); }, dry_run);
}

Result<int> Scan(const Program& program, Session& session, const std::vector<FolderSource>& sources,
                 bool dry_run) {
  Json answer = {{"sources", Json::array()}};
  if (dry_run) answer["dry_run"] = true;
  bool has_trouble = false;
  for (const FolderSource& source : sources) {
    ASSIGN_OR_RETURN(const SyncReport report, ScanOnce(source, session, dry_run));
    has_trouble = has_trouble || HasTrouble(report);
    answer["sources"].push_back(JsonOf(source, report));
    if (program.json) continue;
    Print(fmt::format("{}: {} files, {} changes{}, {} problems\n", source.store, report.files,
                      report.outcomes.size(), dry_run ? " (nothing is written)" : "",
                      report.problems.size()));
    PrintChanges(report);
    PrintProblems(report);
  }
  if (program.json) PrintJson(answer);
  return has_trouble ? kExitFailed : kExitOk;
}

// Follows all of them until the program is asked to end. Each call has a session of its own, so
// that a server may start, stop or be there all the time.
class Watch {
 public:
  explicit Watch(const Program& program) : program_(program) {}

  void Run(const std::vector<FolderSource>& sources, int stop_fd) {
    std::vector<std::jthread> followers;
    for (const FolderSource& source : sources) {
      followers.emplace_back([this, &source, stop_fd] { Follow(source, stop_fd); });
    }
  }

 private:
  void Follow(const FolderSource& source, int stop_fd) {
    std::string last;  // what was wrong in the pass before
    const Status followed = FollowSource(
        source, [this](const std::string& name, const Json& call) { return Call(name, call); },
        [&](const Result<SyncReport>& report) { Tell(source, report, last); }, stop_fd);
    if (!followed) Tell(source, std::unexpected(followed.error()), last);
  }

  Result<Json> Call(const std::string& name, const Json& call) {
    const MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(const auto session, Session::Open(program_, "source scan --watch"));
    return session->Call(name, call);
  }

  void Tell(const FolderSource& source, const Result<SyncReport>& report, std::string& last) {
    const MutexLock lock(mutex_);
    const std::string wrong =
        report ? JsonOf(source, *report)["problems"].dump() : report.error().message;
    const bool is_new = std::exchange(last, wrong) != wrong;
    if (!report) {
      if (is_new) PrintError(program_, report.error());
    } else if (program_.json) {
      if (is_new || !report->outcomes.empty()) Print(JsonOf(source, *report).dump() + "\n");
    } else {
      PrintChanges(*report);
      if (is_new) PrintProblems(*report);
    }
    std::fflush(stdout);
  }

  const Program& program_;
  Mutex mutex_;  // one call at a time, and whole lines
};

// A descriptor that is readable once the program is asked to end; the threads started from now on
// are not asked.
Result<int> StopDescriptor() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int fd = signalfd(-1, &signals, SFD_CLOEXEC);
  if (fd >= 0) return fd;
  return Fail(Code::kUnavailable, "Signals cannot be waited for.");
}

Result<int> ScanVerb(const Program& program, const std::string& store, bool dry_run, bool watch) {
  std::vector<FolderSource> sources;
  {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "source scan"));
    ASSIGN_OR_RETURN(sources, SourcesNamed(*session, store));
    if (!watch) return Scan(program, *session, sources, dry_run);
  }
  ASSIGN_OR_RETURN(const int stop_fd, StopDescriptor());
  Watch(program).Run(sources, stop_fd);
  close(stop_fd);
  return kExitOk;
}

void AddScan(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "scan",
                           "Read the folders and store, edit, rename, archive or restore what "
                           "changed; files that cannot be read are named, and exit with 1");
  const auto store = std::make_shared<std::string>();
  const auto dry_run = std::make_shared<bool>(false);
  const auto watch = std::make_shared<bool>(false);
  verb.add_option("store", *store, "Of this store alone");
  CLI::Option* dry = verb.add_flag("--dry-run", *dry_run, "Only say what would be done");
  verb.add_flag("--watch", *watch, "Go on until ended, whenever something in the folders changes")
      ->excludes(dry);
  OnRun(verb, program,
        [&program, store, dry_run, watch] { return ScanVerb(program, *store, *dry_run, *watch); });
}

Status CheckSource(Json& arguments) {
  std::error_code failed;
  const std::string path = arguments.value("path", "");
  const auto folder = std::filesystem::canonical(path, failed);
  if (failed || !std::filesystem::is_directory(folder, failed)) {
    return Fail(Code::kNotFound, fmt::format("{} is no folder.", path), "path");
  }
  arguments["path"] = folder.string();
  const auto patterns = arguments.value("patterns", std::vector<std::string>());
  RETURN_IF_ERROR(PatternList::Of(patterns));
  return {};
}

void AddAdd(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "add",
                           "Have a store mirror the memory files of a folder; `source scan` reads "
                           "them");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "store", "store", "Name of the store; made where there is none")
      ->required();
  TextOption(verb, arguments, "folder", "path", "The folder")->required();
  TextsOption(verb, arguments, "--pattern", "patterns",
              "Files beside those of well-known names, as in 'notes/' or '/docs/**/*.md'; with a ! "
              "those it means are none (repeat: the last that fits decides)");
  TextsOption(verb, arguments, "--tag", "tags", "Of each of its memories (repeat for more)");
  TextOption(verb, arguments, "--class", "class", "document (default) or communication");
  TextOption(verb, arguments, "--authorship", "authorship", "authored (default) or reference");
  TextOption(verb, arguments, "--scope", "scope", "Where its memories lie");
  WriteOptionsFor(verb, arguments);
  OnPreparedCall(verb, program, "source_add", arguments, CheckSource, [](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(
        fmt::format("source {} added; `perdure source scan` reads it\n", TextAt(answer, "source")));
  });
}

void AddList(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "list", "The folders that stores mirror");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "--as-of", "as_of", "As it was then");
  OnCall(verb, program, "source_list", arguments, [](const Json& answer) {
    Table table({"store", "source", "path", "memories", "archived", "patterns", "tags"});
    for (const Json& source : answer["sources"]) {
      table.Add({TextAt(source, "store"), TextAt(source, "source"), TextAt(source, "path"),
                 TextAt(source, "memories"), TextAt(source, "archived"), TextAt(source, "patterns"),
                 TextAt(source, "tags")});
    }
    table.Print();
  });
}

void AddRemove(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "remove",
                           "No longer mirror the folder: its memories stay, and can be edited");
  const Arguments arguments = NewArguments();
  const auto store = std::make_shared<std::string>();
  verb.add_option("store", *store, "Which store")->required();
  WriteOptionsFor(verb, arguments);
  OnRun(verb, program, [&program, arguments, store]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "source remove"));
    ASSIGN_OR_RETURN(const auto sources, SourcesNamed(*session, *store));
    Json call = *arguments;
    call["source"] = sources.front().source;
    ASSIGN_OR_RETURN(const Json answer, session->Call("source_remove", call));
    if (program.json) {
      PrintJson(answer);
    } else if (!PrintWould(answer)) {
      Print(fmt::format("the store {} mirrors no folder any more\n", *store));
    }
    return kExitOk;
  });
}

}  // namespace

void AddSourceVerbs(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "source", "Folders of memory files that stores mirror");
  AddAdd(group, program);
  AddScan(group, program);
  AddList(group, program);
  AddRemove(group, program);
}

}  // namespace perdure
