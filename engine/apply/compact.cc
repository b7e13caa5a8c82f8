#include "engine/apply/compact.h"

#include <map>
#include <set>

#include "engine/apply/erase.h"
#include "engine/apply/fact_fold.h"
#include "engine/apply/memory_fold.h"
#include "engine/log/entry.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// Deletes the rows and payloads of one memory that `gone` covers. A version is found by its content
// only while all its payloads are there.
Status DropRowsOf(SpaceId space, const Uuid& id, const std::set<Seq>& gone, const Secret& secret,
                  Overlay& state) {
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(state, space, id));
  std::optional<fb::MemoryRecordT> record;
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry past, ReadEntry(state, space, seq));
    if (TouchesRecord(*past)) record = FoldRecord(*past, std::move(record));
    const bool made_version = VersionMadeBy(*past) != 0;
    if (made_version && gone.contains(record->text_seq)) {
      RETURN_IF_ERROR(DeleteFactRows(space, id, *record, secret, state));
    }
    if (made_version && (gone.contains(record->text_seq) || gone.contains(record->label_seq))) {
      ASSIGN_OR_RETURN(const auto content, ContentKeyOf(state, space, *record, secret));
      if (content) {
        state.Delete(Family::kRows, tables::Value(space, *content, id, record->version), 0);
      }
    }
    if (!gone.contains(seq)) continue;
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(state, space, seq));
    if (payload) RETURN_IF_ERROR(DeleteRowsOf(*past, **payload, id, secret, state));
  }
  for (Seq seq : gone) state.Delete(Family::kPayload, tables::PayloadOf(space, seq), 0);
  return {};
}

}  // namespace

Result<std::vector<Seq>> SupersededPayloads(const StateReader& reader, SpaceId space,
                                            const Uuid& id, Micros before) {
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(reader, space, id));
  std::optional<fb::MemoryRecordT> record;
  std::vector<Seq> made;       // versions, at `before` or earlier
  std::set<Seq> needed;        // by versions made later
  std::set<Seq> needed_there;  // by the one that held at `before`
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, seq));
    if (!TouchesRecord(*entry)) continue;
    record = FoldRecord(*entry, std::move(record));
    if (VersionMadeBy(*entry) == 0) continue;
    std::set<Seq> needs = {seq, record->text_seq, record->label_seq};
    // The first payload of a fact has the evidence that carried it.
    if (record->kind == fb::MemoryKind::fact) needs.insert(record->created_seq);
    if (entry->record_time() > before) {
      needed.merge(needs);
    } else {
      made.push_back(seq);
      needed_there = std::move(needs);
    }
  }
  std::vector<Seq> superseded;
  for (Seq seq : made) {
    if (needed.contains(seq) || needed_there.contains(seq)) continue;
    ASSIGN_OR_RETURN(const auto row, reader.Get(Family::kPayload, tables::PayloadOf(space, seq)));
    if (row) superseded.push_back(seq);
  }
  return superseded;
}

Status DropRows(const fb::Entry& entry, const Secret& secret, Overlay& state) {
  const fb::PayloadsCompacted& event = *entry.event_as_PayloadsCompacted();
  const SpaceId space = entry.space();
  std::map<Uuid, std::set<Seq>> by_memory;
  if (event.covered()) {
    for (const Seq seq : *event.covered()) {
      ASSIGN_OR_RETURN(const Entry past, ReadEntry(state, space, seq));
      const fb::Id* memory = MemoryOf(*past);
      if (!memory) return Fail(Code::kCorrupt, "The log compacts a payload of no memory.");
      by_memory[FromId(*memory)].insert(seq);
    }
  }
  for (const auto& [id, gone] : by_memory) {
    RETURN_IF_ERROR(DropRowsOf(space, id, gone, secret, state));
  }
  if (!event.complete()) return {};
  fb::CompactionRecordT record;
  record.record_time = entry.record_time();
  record.before = event.before();
  state.Put(Family::kState, tables::Compaction(space), Pack(record), entry.record_time());
  return {};
}

}  // namespace perdure
