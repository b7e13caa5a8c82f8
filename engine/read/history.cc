#include "engine/apply/memory_fold.h"
#include "engine/read/log_line.h"
#include "engine/read/read_view.h"

namespace perdure {
namespace {

Result<VersionInfo> DescribeVersion(const StateReader& reader, SpaceId space,
                                    const fb::Entry& entry, const fb::MemoryRecordT& record) {
  VersionInfo info;
  info.version = record.version;
  info.seq = entry.seq();
  info.record_time = entry.record_time();
  info.event = entry.event_type();
  ASSIGN_OR_RETURN(const auto text, ReadPayload(reader, space, record.text_seq));
  ASSIGN_OR_RETURN(const auto label, ReadPayload(reader, space, record.label_seq));
  info.compacted = !text || !label;
  if (text && (*text)->text()) info.text_bytes = (*text)->text()->size();
  if (label && (*label)->title()) info.title = (*label)->title()->str();
  return info;
}

}  // namespace

Result<MemoryHistory> ReadView::History(const Uuid& id) const {
  const auto record_now = Visibly(id);
  // What happened to an erased memory may still be told; what it said may not.
  if (!record_now && record_now.error().code != Code::kErased) {
    return std::unexpected(record_now.error());
  }
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(then_, in_.space, id));
  MemoryHistory history;
  std::optional<fb::MemoryRecordT> record;
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(now_, in_.space, seq));
    if (TouchesRecord(*entry)) record = FoldRecord(*entry, std::move(record));
    if (VersionMadeBy(*entry) != 0) {
      ASSIGN_OR_RETURN(VersionInfo info, DescribeVersion(now_, in_.space, *entry, *record));
      history.versions.push_back(std::move(info));
    }
    ASSIGN_OR_RETURN(LogLine line, DescribeEntry(now_, *entry));
    history.entries.push_back(std::move(line));
  }
  if (record_now) return history;
  for (VersionInfo& version : history.versions) {
    version.erased = true;
    version.compacted = false;
  }
  return history;
}

}  // namespace perdure
