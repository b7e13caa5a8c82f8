// What memory_store and memory_store_many are given: one memory to be.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/engine.h"
#include "server/api/schemas.h"

namespace perdure {

nlohmann::json DraftSchema();  // without the arguments of every write
Result<NoteDraft> DraftOf(const Engine& engine, const Principal& principal,
                          const nlohmann::json& arguments);

// {"id", "version", "created", "not_applied"}, and "candidate" with its "rule" where an admission
// rule has a reviewer decide. The id of a memory that a dry run would make is left out: the next
// one would have another.
nlohmann::json StoredSchema(std::initializer_list<const char*> required);
nlohmann::json StoredAnswer(const MemoryOutcome& memory, bool dry_run);

// What a dry run of storing it says.
std::string WouldStore(const MemoryOutcome& memory);

}  // namespace perdure
