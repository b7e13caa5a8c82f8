// What became of a claim, as fact_assert, candidate_propose and review_decide answer it: the gates
// of facts turn claims down with an answer, not with an error.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/engine.h"
#include "server/api/schemas.h"

namespace perdure {

// "outcome" first, and what AnswerOfClaim and RefusalAnswer put beside it.
nlohmann::json VerdictSchema();

// "outcome", "id" and "version" of the memory, "gate", "rule" and "reason" of a candidate or of a
// refused member, "confidence", "faded" and "superseded" rivals. The id of a memory that a dry run
// would make is left out.
Result<nlohmann::json> AnswerOfClaim(const Engine& engine, const Principal& principal,
                                     const MemoryOutcome& claim, bool dry_run);

// What a dry run of it says.
std::string WouldClaim(const MemoryOutcome& claim);

// "suppression": the entry of the outcome's that keeps a value out from now on, when there is one.
Status PutSuppression(nlohmann::json& answer, const Engine& engine, const Principal& principal,
                      const WriteOutcome& outcome);

// The answer "refused" of the engine's error where it is a verdict; else the error.
Result<nlohmann::json> RefusalAnswer(const Engine& engine, const Principal& principal, Error error,
                                     const nlohmann::json& arguments);

}  // namespace perdure
