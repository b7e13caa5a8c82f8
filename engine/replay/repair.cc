#include "engine/replay/repair.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <system_error>

#include "engine/apply/apply.h"
#include "engine/base/files.h"
#include "engine/log/key_check.h"
#include "engine/log/origin.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"
#include "engine/replay/log_walk.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;

constexpr Seq kBatchEntries = 512;
constexpr Seq kEverything = std::numeric_limits<Seq>::max();

std::string StoreIn(const std::string& directory) { return directory + "/store"; }

Result<std::unique_ptr<Store>> OpenOld(const std::string& directory) {
  return Store::Open(StoreIn(directory), {.create_if_missing = false, .read_only = true});
}

// A store whose digests cannot be read says nothing against the keys.
Result<SpaceKeys> KeysIn(const std::string& directory, const Store& store, const SpaceInfo& space) {
  ASSIGN_OR_RETURN(SpaceKeys keys, LoadSpaceKeys(directory + "/keys", space.name));
  if (store.Get(Family::kMeta, tables::KeyDigests(space.id), kLatest)) {
    RETURN_IF_ERROR(CheckKeys(store, space.id, space.name, keys));
  }
  return keys;
}

// Fills the new store, a space at a time.
class Builder {
 public:
  Builder(Store& store, const std::function<void(Seq)>& progress)
      : store_(store), view_(store, kLatest), progress_(progress) {}

  Status Begin() {
    const Mutation format{Family::kMeta, tables::Format(), Key().U32(kStoreFormat).Take(), 0};
    return store_.Write({&format, 1}, false);
  }

  // `from` is the old store; an entry that is not good ends it with kCorrupt.
  Status AddSpace(const Store& from, const SpaceInfo& space, const SpaceKeys& keys, Seq until) {
    Overlay batch(view_);
    Mutation digests = KeyDigestsOf(space.id, keys);
    batch.Put(digests.family, std::move(digests.key), std::move(*digests.value), 0);
    ASSIGN_OR_RETURN(
        const LogHealth health,
        WalkLog(from, space, keys.signing, until, [&](const WalkedEntry& walked) -> Status {
          RETURN_IF_ERROR(Add(space, keys, walked, batch));
          ++entries_;
          if (walked.head.seq % kBatchEntries != 0) return {};
          return Flush(batch);
        }));
    CopySeals(from, space.id, std::min(until, health.last_good), batch);
    RETURN_IF_ERROR(Flush(batch));
    if (health.problem.empty()) return {};
    return Fail(Code::kCorrupt,
                fmt::format("The log of the space {} is not whole: {} Its last good entry is {}.",
                            space.name, health.problem, health.last_good));
  }

  Seq entries() const { return entries_; }

 private:
  static Status Add(const SpaceInfo& space, const SpaceKeys& keys, const WalkedEntry& walked,
                    Overlay& batch) {
    const Seq seq = walked.head.seq;
    batch.Put(Family::kLog, tables::LogEntry(space.id, seq), walked.entry.bytes(), 0);
    const fb::Payload* payload = nullptr;
    std::optional<PayloadRow> row;
    if (walked.payload_row) {
      batch.Put(Family::kPayload, tables::PayloadOf(space.id, seq), *walked.payload_row, 0);
      ASSIGN_OR_RETURN(row, PayloadRow::Parse(*walked.payload_row));
      payload = &**row;
    }
    for (const Tile& tile : walked.tiles) {
      batch.Put(Family::kTree,
                tables::TreeTile(space.id, static_cast<std::uint8_t>(tile.level), tile.index),
                tile.bytes, 0);
    }
    if (HasTreeHead(*walked.entry)) {
      const TreeHead head{walked.origin, seq, walked.tree.Root(), {}};
      batch.Put(Family::kMeta, tables::TreeHeadAt(space.id, seq), SignTreeHead(head, keys.signing),
                0);
    }
    batch.Put(Family::kMeta, tables::Head(space.id), walked.head.Encode(), 0);
    return Apply(*walked.entry, payload, keys.secret, batch);
  }

  // Those of an adopted export are in no log. One that cannot be read is no loss: the entries are
  // under heads of their own.
  static void CopySeals(const Store& from, SpaceId space, Seq until, Overlay& batch) {
    const std::string prefix = Key().U8(6).U32(space).Take();
    static_cast<void>(from.Scan(Family::kMeta, prefix, PrefixEnd(prefix), kLatest,
                                [&](std::string_view key, std::string_view seal) {
                                  if (ReadBigEndian(key.substr(prefix.size())) <= until) {
                                    batch.Put(Family::kMeta, std::string(key), std::string(seal),
                                              0);
                                  }
                                  return true;
                                }));
  }

  Status Flush(Overlay& batch) {
    RETURN_IF_ERROR(store_.Write(batch.mutations(), false));
    batch.Clear();
    if (progress_) progress_(entries_);
    return {};
  }

  Store& store_;
  StoreView view_;
  const std::function<void(Seq)>& progress_;
  Seq entries_ = 0;
};

std::unexpected<Error> IoError(std::string_view doing, const std::string& path) {
  return Fail(Code::kUnavailable, fmt::format("{} {} failed: {}.", doing, path,
                                              std::generic_category().message(errno)));
}

Status SyncPath(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("Opening", path);
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  if (!synced) return IoError("Syncing", path);
  return {};
}

// cut file := (space:u32be seq:u64be entry bytes:u32be payload bytes:u32be entry payload row)*
Status KeepCut(const Store& store, SpaceId space, Seq after, RepairReport& report) {
  std::ofstream file(report.cut_file, std::ios::binary | std::ios::trunc);
  ASSIGN_OR_RETURN(const Seq end, EndOfLog(store, space));
  report.lost_entries = end - after;
  for (Seq seq = after + 1; seq <= end; ++seq) {
    const auto bytes = store.Get(Family::kLog, tables::LogEntry(space, seq), kLatest);
    const auto row = store.Get(Family::kPayload, tables::PayloadOf(space, seq), kLatest);
    const std::string entry = bytes && *bytes ? **bytes : std::string();
    const std::string payload = row && *row ? **row : std::string();
    if (entry.empty() && payload.empty()) continue;
    file << Key()
                .U32(space)
                .U64(seq)
                .U32(static_cast<std::uint32_t>(entry.size()))
                .U32(static_cast<std::uint32_t>(payload.size()))
                .Take()
         << entry << payload;
    const auto parsed = Entry::Parse(entry);
    if (!parsed) continue;
    if (const auto* erased = (*parsed)->event_as_MemoryErased()) {
      report.lost_erasures.push_back(FromId(*erased->memory()));
    }
    if (report.lost_from == 0) report.lost_from = (*parsed)->record_time();
    report.lost_until = (*parsed)->record_time();
  }
  file.flush();
  if (!file) return IoError("Writing", report.cut_file);
  file.close();
  return SyncPath(report.cut_file);
}

Status CheckTruncation(const Store& store, const SpaceInfo& space, const SpaceKeys& keys,
                       const Truncation& truncation) {
  ASSIGN_OR_RETURN(const LogHealth health, WalkLog(store, space, keys.signing, kEverything, {}));
  if (health.problem.empty()) {
    return Fail(Code::kConflict,
                fmt::format("The log of the space {} is whole up to its end, entry {}; there is "
                            "nothing to cut.",
                            space.name, health.last),
                "to");
  }
  if (truncation.to != health.last_good) {
    return Fail(Code::kConflict,
                fmt::format("The last good entry of the space {} is {}: {} Cut there, neither "
                            "before nor after.",
                            space.name, health.last_good, health.problem),
                "to");
  }
  return {};
}

// The first name of `stem`.1, `stem`.2, ... that is free.
std::string FreeName(const std::string& stem) {
  for (int n = 1;; ++n) {
    std::string name = fmt::format("{}.{}", stem, n);
    if (!fs::exists(name)) return name;
  }
}

// In one step, so that a power cut leaves either store in place.
Status Swap(const std::string& directory, const std::string& fresh, RepairReport& report) {
  const std::string store = StoreIn(directory);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, store.c_str(), RENAME_EXCHANGE) != 0) {
    return IoError("Putting the new store in the place of", store);
  }
  report.old_store = FreeName(store + ".damaged");
  if (::rename(fresh.c_str(), report.old_store.c_str()) != 0) {
    return IoError("Renaming", fresh);
  }
  return SyncPath(directory);
}

}  // namespace

Result<std::vector<LogHealth>> ExamineLogs(const std::string& directory) {
  ASSIGN_OR_RETURN(const auto store, OpenOld(directory));
  ASSIGN_OR_RETURN(const auto spaces, SpacesOfLog(*store));
  std::vector<LogHealth> all;
  for (const SpaceInfo& space : spaces) {
    ASSIGN_OR_RETURN(const SpaceKeys keys, KeysIn(directory, *store, space));
    ASSIGN_OR_RETURN(LogHealth health, WalkLog(*store, space, keys.signing, kEverything, {}));
    all.push_back(std::move(health));
  }
  return all;
}

Result<RepairReport> RebuildStore(const std::string& directory,
                                  const std::optional<Truncation>& truncation,
                                  const std::function<void(Seq)>& progress) {
  const std::string fresh = StoreIn(directory) + ".rebuilt";
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  RepairReport report;
  {
    ASSIGN_OR_RETURN(const auto old, OpenOld(directory));
    ASSIGN_OR_RETURN(const auto store, Store::Open(fresh, {.write_ahead = false}));
    Builder builder(*store, progress);
    RETURN_IF_ERROR(builder.Begin());
    ASSIGN_OR_RETURN(const auto spaces, SpacesOfLog(*old));
    for (const SpaceInfo& space : spaces) {
      ASSIGN_OR_RETURN(const SpaceKeys keys, KeysIn(directory, *old, space));
      const bool is_cut = truncation && truncation->space == space.id;
      if (is_cut) {
        RETURN_IF_ERROR(CheckTruncation(*old, space, keys, *truncation));
        report.cut_file = FreeName(fmt::format("{}/cut.{}", directory, space.name));
        RETURN_IF_ERROR(KeepCut(*old, space.id, truncation->to, report));
      }
      RETURN_IF_ERROR(builder.AddSpace(*old, space, keys, is_cut ? truncation->to : kEverything));
    }
    RETURN_IF_ERROR(store->Flush());
    report.entries = builder.entries();
  }
  RETURN_IF_ERROR(Swap(directory, fresh, report));
  return report;
}

Status CutLogs(const std::string& directory, const std::map<SpaceId, Seq>& ends) {
  const std::string fresh = StoreIn(directory) + ".rebuilt";
  RETURN_IF_ERROR(RemoveTree(fresh));
  {
    ASSIGN_OR_RETURN(const auto old, OpenOld(directory));
    ASSIGN_OR_RETURN(const auto store, Store::Open(fresh, {.write_ahead = false}));
    const std::function<void(Seq)> silent;
    Builder builder(*store, silent);
    RETURN_IF_ERROR(builder.Begin());
    ASSIGN_OR_RETURN(const auto spaces, SpacesOfLog(*old));
    for (const SpaceInfo& space : spaces) {
      ASSIGN_OR_RETURN(const SpaceKeys keys, KeysIn(directory, *old, space));
      const auto end = ends.find(space.id);
      RETURN_IF_ERROR(
          builder.AddSpace(*old, space, keys, end == ends.end() ? kEverything : end->second));
    }
    RETURN_IF_ERROR(store->Flush());
  }
  RepairReport report;
  RETURN_IF_ERROR(Swap(directory, fresh, report));
  return RemoveTree(report.old_store);
}

}  // namespace perdure
