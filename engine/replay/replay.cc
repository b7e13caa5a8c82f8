#include "engine/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/apply/apply.h"
#include "engine/base/hash.h"
#include "engine/log/chain.h"
#include "engine/model/tables.h"
#include "engine/replay/projections.h"

namespace perdure {
namespace {

constexpr Seq kBatchEntries = 512;
constexpr Seq kProgressEvery = 10'000;

// The log and payloads of the live store, the projections of the scratch one.
class ReplayBase final : public StateReader {
 public:
  ReplayBase(const StateReader& live, const Store& scratch)
      : live_(live), scratch_(scratch, kLatest) {}
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return Of(family).Get(family, key);
  }
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override {
    return Of(family).Scan(family, from, to, visit);
  }

 private:
  const StateReader& Of(Family family) const {
    return family == Family::kLog || family == Family::kPayload
               ? live_
               : static_cast<const StateReader&>(scratch_);
  }
  const StateReader& live_;
  StoreView scratch_;
};

Status ApplyOne(const std::string& bytes, const StateReader& live, const Secret& secret,
                Overlay& overlay) {
  ASSIGN_OR_RETURN(const Entry entry, Entry::Parse(bytes));
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(live, *entry));
  return Apply(*entry, payload ? &**payload : nullptr, secret, overlay);
}

Status WriteBatch(Store& scratch, const Overlay& overlay) {
  std::vector<Mutation> projections;
  std::ranges::copy_if(overlay.mutations(), std::back_inserter(projections), [](const Mutation& m) {
    return m.family == Family::kState || m.family == Family::kRows;
  });
  return scratch.Write(projections, false);
}

// Applies the log of one space in batches.
Result<Seq> ReplaySpace(const Engine& engine, SpaceId space, Store& scratch, Seq done_before,
                        const std::function<void(Seq)>& progress) {
  const Seq last = engine.Visible(space).seq;
  const Secret& secret = engine.KeysOf(space).secret;
  const ReplayBase base(engine.Latest(), scratch);
  Chain chain(space);
  for (Seq from = 1; from <= last; from += kBatchEntries) {
    const Seq until = std::min(last + 1, from + kBatchEntries);
    Overlay overlay(base);
    Status applied;
    RETURN_IF_ERROR(engine.Latest().Scan(
        Family::kLog, tables::LogEntry(space, from), tables::LogEntry(space, until),
        [&](std::string_view, std::string_view bytes) {
          applied = chain.Next(std::string(bytes));
          if (applied) applied = ApplyOne(std::string(bytes), engine.Latest(), secret, overlay);
          return applied.has_value();
        }));
    RETURN_IF_ERROR(applied);
    RETURN_IF_ERROR(WriteBatch(scratch, overlay));
    const Seq done = done_before + until - 1;
    if (progress && done % kProgressEvery < kBatchEntries) progress(done);
  }
  if (chain.head().seq == last && chain.head().hash == engine.Visible(space).hash) return last;
  return Fail(Code::kCorrupt,
              fmt::format("The log of space {} does not end with the entry {} that the projections "
                          "were folded up to. Run `perdure log verify`.",
                          space, last));
}

// Only walked when the digests differ, so it may take memory.
Result<std::string> FirstDifference(const Store& live, const Store& scratch, Micros horizon) {
  std::map<std::string, std::string> wanted;
  const auto collect = [&wanted](std::string_view label, std::string_view value) {
    wanted.emplace(label, value);
  };
  RETURN_IF_ERROR(WalkProjections(scratch, horizon, collect));
  std::string difference;
  RETURN_IF_ERROR(
      WalkProjections(live, horizon, [&](std::string_view label, std::string_view value) {
        const auto found = wanted.find(std::string(label));
        const bool same = found != wanted.end() && found->second == value;
        if (!same && difference.empty()) {
          difference = fmt::format("live has {} which the replay {}", HexEncode(label),
                                   found == wanted.end() ? "does not have" : "has otherwise");
        }
        if (found != wanted.end()) wanted.erase(found);
      }));
  if (difference.empty() && !wanted.empty()) {
    difference =
        fmt::format("the replay has {} which live does not have", HexEncode(wanted.begin()->first));
  }
  return difference;
}

}  // namespace

Result<ReplayReport> Replay(const Engine& engine, const std::string& scratch_dir,
                            const std::function<void(Seq)>& progress) {
  std::error_code ignored;
  std::filesystem::remove_all(scratch_dir, ignored);
  ReplayReport report;
  {
    ASSIGN_OR_RETURN(const auto scratch, Store::Open(scratch_dir, {.write_ahead = false}));
    for (const SpaceInfo& space : engine.Spaces()) {
      ASSIGN_OR_RETURN(const Seq entries,
                       ReplaySpace(engine, space.id, *scratch, report.entries, progress));
      report.entries += entries;
    }
    const Micros horizon = engine.Horizon();
    ASSIGN_OR_RETURN(const ProjectionDigest live, DigestOfProjections(engine.store(), horizon));
    ASSIGN_OR_RETURN(const ProjectionDigest replayed, DigestOfProjections(*scratch, horizon));
    report.records = live.records;
    report.rows = live.rows;
    report.live = live.hash;
    report.replayed = replayed.hash;
    if (report.live != report.replayed) {
      ASSIGN_OR_RETURN(report.difference, FirstDifference(engine.store(), *scratch, horizon));
    }
  }
  std::filesystem::remove_all(scratch_dir, ignored);
  return report;
}

}  // namespace perdure
