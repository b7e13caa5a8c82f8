// What fact_assert and its kin are given: a claim and what it rests on.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "engine/engine.h"
#include "server/api/schemas.h"

namespace perdure {

nlohmann::json FactDraftSchema();  // without the arguments of every write
Result<FactDraft> FactDraftOf(const Engine& engine, const Principal& principal,
                              const nlohmann::json& arguments);

nlohmann::json EvidenceSchema();
// The member "evidence". A source that is a whole id names a memory.
Result<std::optional<Evidence>> EvidenceOf(const nlohmann::json& arguments);

// Arguments that were left alone: nobody's claim alone makes a fact verified.
nlohmann::json NotAppliedOf(const nlohmann::json& arguments);

}  // namespace perdure
