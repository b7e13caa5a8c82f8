// The folds of one memory's record and of the rows that find it by content and label.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/log/entry.h"
#include "engine/model/labels.h"
#include "engine/storage/state.h"
#include "schema/records_generated.h"

namespace perdure {

// The record of a memory, or nullopt.
Result<std::optional<fb::MemoryRecordT>> ReadMemory(const StateReader& reader, SpaceId space,
                                                    const Uuid& id);

// The seqs of every entry about the memory, refused writes included, ascending.
Result<std::vector<Seq>> HistorySeqs(const StateReader& reader, SpaceId space, const Uuid& id);

// Whether the event changes the record of its memory.
bool TouchesRecord(const fb::Entry& entry);

// The record as it was at record time `to`, folded from the log; nullopt before the memory was
// stored. Cost: the memory's entries.
Result<std::optional<fb::MemoryRecordT>> RecordAt(const StateReader& reader, SpaceId space,
                                                  const Uuid& id, Micros to);
// The record as it was when version `version` was made; nullopt without such a version.
Result<std::optional<fb::MemoryRecordT>> RecordOfVersion(const StateReader& reader, SpaceId space,
                                                         const Uuid& id, std::uint32_t version);

// The record after `entry`, given the one before it (nullopt before the first). Pure.
fb::MemoryRecordT FoldRecord(const fb::Entry& entry, std::optional<fb::MemoryRecordT> before);

// Writes the record after `entry` and, when it makes a version, the rows that find it.
Status FoldMemory(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                  Overlay& state);

// The content key of the version that `record` describes; nullopt when its payloads are gone.
Result<std::optional<ValueKey>> ContentKeyOf(const StateReader& reader, SpaceId space,
                                             const fb::MemoryRecordT& record, const Secret& secret);

ValueKey IdempotencyKey(const Secret& secret, std::string_view key);
ValueKey RequestKey(const Secret& secret, const fb::Payload& payload);

}  // namespace perdure
