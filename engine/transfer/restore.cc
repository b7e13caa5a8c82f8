#include "engine/transfer/restore.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "engine/base/files.h"
#include "engine/log/verify.h"
#include "engine/replay/repair.h"
#include "engine/storage/backup.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;

Status CheckTarget(const std::string& directory) {
  std::error_code ignored;
  if (!fs::exists(directory, ignored) || fs::is_empty(directory, ignored)) return {};
  return Fail(
      Code::kConflict,
      fmt::format("{} is not empty. A backup is restored into a directory of its own.", directory),
      "to");
}

Status CopyKeys(const std::string& from, const std::string& to) {
  std::error_code error;
  RETURN_IF_ERROR(MakeDirectory(to));
  fs::permissions(to, fs::perms::owner_all, error);
  std::size_t copied = 0;
  for (const auto& file : fs::directory_iterator(from, error)) {
    const std::string extension = file.path().extension().string();
    if (extension != ".secret" && extension != ".ed25519") continue;
    const fs::path copy = fs::path(to) / file.path().filename();
    if (!fs::copy_file(file.path(), copy, error)) break;
    fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, error);
    RETURN_IF_ERROR(SyncFile(copy.string()));
    ++copied;
  }
  if (!error && copied > 0) return SyncDirectory(to);
  return Fail(Code::kNotFound,
              fmt::format("There are no key files to be had in {}. They are kept apart from the "
                          "data; without them no value of the store can be found again.",
                          from),
              "keys");
}

Result<std::uint32_t> PutFiles(const RestoreOptions& options, const std::string& draft) {
  ASSIGN_OR_RETURN(const auto backups, BackupsIn(options.backups));
  const std::uint32_t number = options.number.value_or(backups.back().number);
  RETURN_IF_ERROR(CopyKeys(options.keys, draft + "/keys"));
  RETURN_IF_ERROR(RestoreBackup(options.backups, number, draft + "/store"));
  ASSIGN_OR_RETURN(const auto logs, ExamineLogs(draft));
  for (const LogHealth& log : logs) {
    if (log.problem.empty()) continue;
    return Fail(Code::kCorrupt, fmt::format("The log of the space {} in backup {} is damaged: {}",
                                            log.name, number, log.problem));
  }
  return number;
}

// The last entry of the space at the time that was asked for.
Result<Seq> EndOf(const Engine& engine, SpaceId space, const RestoreOptions& options) {
  const LogHead head = engine.Visible(space);
  if (options.as_of_seq) {
    if (space != kMainSpace) return head.seq;
    if (*options.as_of_seq <= head.seq) return *options.as_of_seq;
    return Fail(Code::kInvalidArgument, fmt::format("The backup ends at entry {}.", head.seq),
                "as_of");
  }
  Seq low = 0;  // entries up to here are not later
  for (Seq high = head.seq; low < high;) {
    const Seq middle = high - (high - low) / 2;
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(engine.Latest(), space, middle));
    if (entry->record_time() <= *options.as_of) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Status CheckNothingDropped(const Engine& engine, const SpaceInfo& space, Seq end) {
  for (Seq seq = end + 1; seq <= engine.Visible(space.id).seq; ++seq) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(engine.Latest(), space.id, seq));
    if (entry->event_type() != fb::Event::PayloadsCompacted) continue;
    return Fail(Code::kCompacted,
                fmt::format("Entry {} of the space {} dropped texts that its log before needs. "
                            "Restore a backup from before, or this one whole.",
                            seq, space.name),
                "as_of");
  }
  return {};
}

class Restoration {
 public:
  Restoration(const RestoreOptions& options, std::string draft, Clock& clock, Random& random)
      : options_(options), draft_(std::move(draft)), clock_(clock), random_(random) {}

  Result<RestoreReport> Run() {
    ASSIGN_OR_RETURN(report_.number, PutFiles(options_, draft_));
    RETURN_IF_ERROR(Look());
    if (!ends_.empty()) RETURN_IF_ERROR(CutLogs(draft_, ends_));
    ASSIGN_OR_RETURN(const auto engine, Engine::Open({.directory = draft_}, clock_, random_));
    for (const SpaceInfo& space : engine->Spaces()) RETURN_IF_ERROR(Mark(*engine, space));
    for (const Tombstones& cut : cut_out_) RETURN_IF_ERROR(Carry(*engine, cut));
    for (const Tombstones& bundle : options_.tombstones) RETURN_IF_ERROR(Carry(*engine, bundle));
    for (const SpaceInfo& space : engine->Spaces()) RETURN_IF_ERROR(Verify(*engine, space));
    return std::move(report_);
  }

 private:
  // Where the logs end, and what a cut would leave out of that which stays for good.
  Status Look() {
    ASSIGN_OR_RETURN(const auto engine,
                     Engine::Open({.directory = draft_, .read_only = true}, clock_, random_));
    for (const SpaceInfo& space : engine->Spaces()) {
      heads_[space.id] = engine->Visible(space.id);
      if (space.id == kSystemSpace || (!options_.as_of && !options_.as_of_seq)) continue;
      ASSIGN_OR_RETURN(const Seq end, EndOf(*engine, space.id, options_));
      if (end == heads_[space.id].seq) continue;
      RETURN_IF_ERROR(CheckNothingDropped(*engine, space, end));
      ends_[space.id] = end;
      std::ostringstream nowhere;
      ASSIGN_OR_RETURN(cut_out_.emplace_back(), WriteTombstones(*engine, space.id, end, nowhere));
    }
    return {};
  }

  Status Mark(Engine& engine, const SpaceInfo& space) {
    Principal principal = BootstrapPrincipal();
    principal.space = space.id;
    const LogHead& head = heads_[space.id];
    MarkRestored command{.head_seq = head.seq, .head_hash = head.hash};
    Hash chance;
    random_.Fill(chance);
    command.branch = ReadBigEndian(AsBytes(chance).substr(0, 8));
    ASSIGN_OR_RETURN(const auto done, engine.Write(principal, command, {}));
    ASSIGN_OR_RETURN(std::string origin, engine.Origin(space));
    report_.logs.push_back({space.name, head.seq, done.seq, std::move(origin)});
    return {};
  }

  Status Carry(Engine& engine, const Tombstones& bundle) {
    ASSIGN_OR_RETURN(report_.carried.emplace_back(), CarryTombstones(engine, bundle));
    return {};
  }

  static Status Verify(const Engine& engine, const SpaceInfo& space) {
    ASSIGN_OR_RETURN(const auto report,
                     VerifyLog(engine.store(), space.id, Engine::OriginOf(space.name),
                               engine.KeysOf(space.id).signing.public_key));
    if (report.first_bad == 0) return {};
    return Fail(Code::kCorrupt, fmt::format("The restored log of the space {} does not verify: {}",
                                            space.name, report.problem));
  }

  const RestoreOptions& options_;
  const std::string draft_;
  Clock& clock_;
  Random& random_;
  std::map<SpaceId, LogHead> heads_;
  std::map<SpaceId, Seq> ends_;
  std::vector<Tombstones> cut_out_;
  RestoreReport report_;
};

}  // namespace

Result<RestoreReport> RestoreStore(const RestoreOptions& options, Clock& clock, Random& random) {
  RETURN_IF_ERROR(CheckTarget(options.directory));
  const std::string draft = options.directory + ".restoring";
  RETURN_IF_ERROR(RemoveTree(draft));
  RETURN_IF_ERROR(MakeDirectory(draft));
  std::error_code ignored;
  fs::permissions(draft, fs::perms::owner_all, ignored);
  auto report = Restoration(options, draft, clock, random).Run();
  if (!report) {
    static_cast<void>(RemoveTree(draft));
    return report;
  }
  fs::remove(options.directory, ignored);  // an empty one
  RETURN_IF_ERROR(RenameFile(draft, options.directory));
  const std::string parent = fs::absolute(options.directory).parent_path().string();
  RETURN_IF_ERROR(SyncDirectory(parent));
  return report;
}

}  // namespace perdure
