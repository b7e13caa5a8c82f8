// How records look in answers. Times are RFC 3339; members that are empty or at their default are
// left out unless schemas.h requires them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/decide/command.h"
#include "engine/read/read_view.h"
#include "server/api/schemas.h"

namespace perdure {

// The decimal that a float was written as: 0.8, not 0.800000011920929.
double Decimal(float value);

// Four decimals: more of a computed number would be noise.
double Rounded(float value);

nlohmann::json RoleNames(RoleMask roles);

// Puts `value` unless it is empty.
void PutText(nlohmann::json& object, const char* name, const std::string& value);
void PutTime(nlohmann::json& object, const char* name, const std::optional<Micros>& time);

// A memory's state, where a live one that is doubted counts as disputed.
const char* StateName(const fb::MemoryRecordT& record);

nlohmann::json AnswerOf(const Memory& memory, schemas::Detail detail);
// "evidence" that a fact came with: "quote" and "source". One read of the log's payloads.
Status PutEvidence(nlohmann::json& answer, const ReadView& view, const Memory& memory);
nlohmann::json AnswerOf(const LogLine& line);
nlohmann::json AnswerOf(const VersionInfo& version);

// "as_of": when the answer was true; "as_of_seq" too where `arguments` ask for the present, since
// for the past it would cost more than most answers.
void PutView(nlohmann::json& answer, const ReadView& view, const nlohmann::json& arguments);

// "seq" and "record_time", or for a dry run "dry_run" and "would": what would have happened.
void PutOutcome(nlohmann::json& answer, const WriteOutcome& outcome, const std::string& would);

// A change of one memory, the first that the outcome names: "id", "version", "changed" and the
// above. `verb` says what is done, as in "revise" or "archive".
nlohmann::json ChangeAnswer(const WriteOutcome& outcome, const std::string& verb);

}  // namespace perdure
