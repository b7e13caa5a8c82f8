#include "engine/transfer/adopt.h"

#include <fmt/format.h>

#include <fstream>

#include "engine/model/tables.h"
#include "engine/proof/key_files.h"
#include "engine/transfer/log_taker.h"

namespace perdure {
namespace {

constexpr Seq kProgressEvery = 1'000;

Result<ExportReport> ReadFile(const std::string& path, const TakeEntry& take) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  return ReadExport(in, take);
}

Status CheckAdoptable(const ExportReport& file) {
  if (file.space == kSystemSpace) {
    return Fail(Code::kInvalidArgument, "The space 'system' is never adopted.", "file");
  }
  if (file.entries == 0) {
    return Fail(Code::kInvalidArgument, "The export has no entries: there is nothing to adopt.",
                "file");
  }
  return {};
}

Status EnsureSpace(Engine& engine, const ExportReport& file) {
  for (const SpaceInfo& info : engine.Spaces()) {
    if (info.id == file.space && info.name == file.name) return {};
    if (info.id != file.space && info.name != file.name) continue;
    return Fail(Code::kConflict,
                fmt::format("The export is of space {} '{}', but here {} is '{}'. Adopt it into "
                            "another data directory.",
                            file.space, file.name, info.id, info.name),
                "file");
  }
  ASSIGN_OR_RETURN([[maybe_unused]] const SpaceInfo made,
                   engine.AddSpace(BootstrapPrincipal(), file.name, {}, file.space));
  return {};
}

// Writes what is not there yet, after comparing what is.
Status WriteEntries(Engine& engine, const std::string& path, const ExportReport& file,
                    const std::function<void(Seq)>& progress) {
  ASSIGN_OR_RETURN(const auto taker,
                   LogTaker::Open(engine.store(), file.space, Engine::OriginOf(file.name),
                                  engine.KeysOf(file.space)));
  const Seq there = taker->head().seq;
  const auto conflict = [&] {
    return Fail(Code::kConflict,
                fmt::format("The space '{}' has entries of its own. An export is adopted into a "
                            "space without entries.",
                            file.name),
                "file");
  };
  if (there > file.entries) return conflict();
  Seq seq = 0;
  const auto take = [&](const std::string& entry,
                        std::optional<std::string_view> payload) -> Status {
    ++seq;
    if (progress && seq % kProgressEvery == 0) progress(seq);
    if (seq > there) return taker->Take(entry, payload);
    ASSIGN_OR_RETURN(const auto own,
                     engine.Latest().Get(Family::kLog, tables::LogEntry(file.space, seq)));
    if (own != entry) return conflict();
    return {};
  };
  ASSIGN_OR_RETURN(const ExportReport again, ReadFile(path, take));
  if (again.root != file.root) {
    return Fail(Code::kConflict, fmt::format("{} changed while it was read.", path), "file");
  }
  return taker->Flush();
}

Status WriteSeals(Store& store, const ExportReport& file) {
  std::vector<Mutation> seals;
  for (const Seal& seal : file.seals) {
    seals.push_back({Family::kMeta, tables::AdoptedSeal(file.space, seal.head.size),
                     seal.verifier_key + "\n" + seal.note, 0});
  }
  return store.Write(seals, true);
}

}  // namespace

Status PlaceSecret(const std::string& directory, const ExportReport& file, const Secret& secret,
                   Clock& clock, Random& random) {
  RETURN_IF_ERROR(CheckAdoptable(file));
  {
    ASSIGN_OR_RETURN(const auto engine, Engine::Open({.directory = directory}, clock, random));
    RETURN_IF_ERROR(EnsureSpace(*engine, file));
    if (engine->KeysOf(file.space).secret == secret) return {};
    if (engine->Visible(file.space).seq > 0) {
      return Fail(Code::kConflict,
                  fmt::format("The space '{}' has entries under a secret of its own.", file.name),
                  "passphrase");
    }
    // While the store knows no keys of the space, either are right: a crash between the two
    // leaves it whole.
    const Mutation unknown{Family::kMeta, tables::KeyDigests(file.space), std::nullopt, 0};
    RETURN_IF_ERROR(engine->store().Write({&unknown, 1}, true));
  }
  RETURN_IF_ERROR(ReplaceSecret(directory + "/keys", file.name, secret));
  ASSIGN_OR_RETURN([[maybe_unused]] const auto engine,
                   Engine::Open({.directory = directory}, clock, random));
  return {};
}

Result<AdoptReport> AdoptExport(const std::string& directory, const std::string& file, Clock& clock,
                                Random& random, const std::function<void(Seq)>& progress) {
  AdoptReport report;
  ASSIGN_OR_RETURN(report.file, ReadFile(file, {}));
  RETURN_IF_ERROR(CheckAdoptable(report.file));
  {
    ASSIGN_OR_RETURN(const auto engine, Engine::Open({.directory = directory}, clock, random));
    RETURN_IF_ERROR(EnsureSpace(*engine, report.file));
    report.written = report.file.entries - engine->Visible(report.file.space).seq;
    RETURN_IF_ERROR(WriteEntries(*engine, file, report.file, progress));
    RETURN_IF_ERROR(WriteSeals(engine->store(), report.file));
  }
  // The engine above does not know what was written beside it; a new one checks the end of it.
  ASSIGN_OR_RETURN([[maybe_unused]] const auto engine,
                   Engine::Open({.directory = directory}, clock, random));
  return report;
}

}  // namespace perdure
