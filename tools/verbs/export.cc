#include "engine/transfer/export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tools/progress.h"
#include "tools/read_only.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

std::unexpected<Error> CannotWrite(const std::string& path) {
  return Fail(Code::kUnavailable,
              fmt::format("{} cannot be written: {}.", path, std::strerror(errno)), "file");
}

// A file that only its owner reads, and that is at its place whole or not at all.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}
  ~NewFile() {
    if (!is_placed_) unlink(part_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status Open() {
    if (std::filesystem::exists(path_)) {
      is_placed_ = true;  // nothing to clean up
      return Fail(Code::kConflict, fmt::format("{} is there already.", path_), "file");
    }
    unlink(part_.c_str());  // left by a crash
    const int fd = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return CannotWrite(part_);
    close(fd);
    out_.open(part_, std::ios::binary);
    return out_ ? Status() : CannotWrite(part_);
  }
  Status Place() {
    out_.close();
    const int fd = open(part_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_synced = out_ && fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    if (!is_synced || rename(part_.c_str(), path_.c_str()) != 0) return CannotWrite(path_);
    is_placed_ = true;
    return {};
  }
  std::ostream& out() { return out_; }

 private:
  std::string path_;
  std::string part_;
  std::ofstream out_;
  bool is_placed_ = false;
};

Result<int> Export(const Program& program, const std::string& path, const std::string& name) {
  ASSIGN_OR_RETURN(const auto opened, ReadOnlyStore::Open(program, true));
  const Engine& engine = opened->engine();
  ASSIGN_OR_RETURN(const SpaceId space, engine.SpaceByName(name));
  if (space == kSystemSpace) {
    return Fail(Code::kForbidden,
                "The space 'system' (tokens, spaces, settings) is never exported.", "space");
  }
  NewFile file(path);
  RETURN_IF_ERROR(file.Open());
  ExportReport report;
  {
    ProgressBar bar(fmt::format("export {}", name), engine.Visible(space).seq);
    ASSIGN_OR_RETURN(
        report, WriteExport(engine, space, file.out(), [&bar](Seq done) { bar.Update(done); }));
  }
  RETURN_IF_ERROR(file.Place());
  if (program.json) {
    PrintJson({{"file", path},
               {"space", report.name},
               {"entries", report.entries},
               {"payloads", report.payloads},
               {"payloads_gone", report.payloads_gone},
               {"root", HexEncode(AsBytes(report.root))},
               {"tree_head", report.seals.back().note},
               {"verifier_key", report.seals.back().verifier_key}});
    return kExitOk;
  }
  Print(
      fmt::format("{}: {} entries, {} payloads ({} erased) in {}\n  root {}\n  verifier key {}\n"
                  "  the space's secret is not in it: keyed hashes are made anew where it is "
                  "adopted; suppressions could not travel (there are none yet)\n",
                  report.name, report.entries, report.payloads, report.payloads_gone, path,
                  HexEncode(AsBytes(report.root)), report.seals.back().verifier_key));
  return kExitOk;
}

}  // namespace

void AddExport(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "export",
                           "Write a whole space to a file that tools/audit/verify.py checks; "
                           "beside a running server too");
  const auto file = std::make_shared<std::string>();
  const auto space = std::make_shared<std::string>("main");
  verb.add_option("file", *file, "Where to; must not be there yet")->required();
  verb.add_option("--space", *space, "Which space (default: main)");
  OnRun(verb, program, [&program, file, space] { return Export(program, *file, *space); });
}

}  // namespace perdure
