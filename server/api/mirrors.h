// What models that read only text are shown of answers with stored text in them. Ids, versions and
// trust are the server's own words; titles, tags and texts stand in envelopes.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace perdure {

// One memory of memory_get's answer, its text cut to `bytes_max`.
std::string MirrorOfMemory(const nlohmann::json& memory, std::size_t bytes_max);

std::string MirrorOfMemories(const nlohmann::json& answer);  // memory_get
std::string MirrorOfList(const nlohmann::json& answer);      // memory_list
std::string MirrorOfSearch(const nlohmann::json& answer);    // memory_search
std::string MirrorOfFacts(const nlohmann::json& answer);     // fact_about
// Of a claim or a candidate: as it is, unless a reason stands in it, which may quote a memory.
std::string MirrorOfVerdict(const nlohmann::json& answer);

// All of it as JSON in one envelope.
std::string MirrorAsData(const nlohmann::json& answer);

}  // namespace perdure
