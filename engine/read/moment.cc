#include "engine/read/moment.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/labels.h"
#include "engine/model/tables.h"
#include "engine/read/snapshots.h"

namespace perdure {
namespace {

Result<Micros> TimeOfSnapshot(const StateReader& reader, const Principal& principal,
                              const Secret& secret, const std::string& name) {
  const ValueKey key = LabelKey(secret, "snapshot", name);
  ASSIGN_OR_RETURN(const auto row,
                   reader.Get(Family::kRows, tables::SnapshotName(principal.space, key)));
  const Seq seq = row ? ReadBigEndian(*row) : 0;
  bool is_known = false;
  if (row) {
    ASSIGN_OR_RETURN(is_known, KnowsSnapshot(reader, principal, seq));
  }
  if (!is_known) {
    return Fail(Code::kNotFound,
                fmt::format("There is no snapshot '{}', and it is no time either: write times like "
                            "2026-05-01T08:30:00Z.",
                            name),
                "as_of");
  }
  ASSIGN_OR_RETURN(const auto bytes,
                   reader.Get(Family::kState, tables::Snapshot(principal.space, seq)));
  if (!bytes) return Fail(Code::kCorrupt, "The record of a snapshot is missing.");
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::SnapshotRecordT>(*bytes));
  return record.at;
}

}  // namespace

Result<Micros> ResolveMoment(const StateReader& reader, const Principal& principal,
                             const Secret& secret, const LogHead& head, const ReadAt& at) {
  if (static_cast<int>(at.time.has_value()) + static_cast<int>(at.seq.has_value()) +
          static_cast<int>(!at.snapshot.empty()) >
      1) {
    return Fail(Code::kInvalidArgument,
                "as_of is one of a time, a seq and a snapshot's name, not several.", "as_of");
  }
  if (at.seq) {
    if (*at.seq >= head.seq) return head.time;
    if (*at.seq == 0) return Micros{0};
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, principal.space, *at.seq));
    return entry->record_time();
  }
  std::optional<Micros> time = at.time;
  if (!at.snapshot.empty()) {
    ASSIGN_OR_RETURN(time, TimeOfSnapshot(reader, principal, secret, at.snapshot));
  }
  // Nothing was recorded before 1970; RocksDB's timestamps are unsigned.
  return std::clamp<Micros>(time.value_or(head.time), 0, head.time);
}

}  // namespace perdure
