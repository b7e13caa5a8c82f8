// What arguments mean to the engine: who calls, when to read, where, and how to write.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "server/api/caller.h"

namespace perdure {

// The principal that `caller` was made from, and back. kForbidden for a caller without roles.
Result<Principal> PrincipalOf(const Engine& engine, const Caller& caller);
Caller CallerOf(const Engine& engine, const Principal& principal);

// The value of an enum that has this name, of all its `values`; nullopt for any other name.
template <typename Enum, std::size_t count>
std::optional<Enum> EnumOf(const nlohmann::json& name, const Enum (&values)[count],
                           const char* (*name_of)(Enum)) {
  for (const Enum value : values) {
    if (name == name_of(value)) return value;
  }
  return std::nullopt;
}

// The members are those of schemas.h, read by ReadArguments; absent ones are left at their default.
std::string TextOf(const nlohmann::json& arguments, const char* name);
std::uint32_t VersionOf(const nlohmann::json& arguments, const char* name);  // must be there
Result<std::optional<Micros>> TimeOf(const nlohmann::json& arguments, const char* name,
                                     std::string_view path = {});
Result<std::optional<ScopePath>> ScopeOf(const nlohmann::json& arguments);
std::optional<fb::Authorship> AuthorshipOf(const nlohmann::json& arguments);
std::optional<fb::Genre> GenreOf(const nlohmann::json& arguments);
std::optional<fb::MemoryClass> ClassOf(const nlohmann::json& arguments);
Result<Refusing> RefusingOf(const nlohmann::json& arguments);  // "wide" and "until"
Result<ListFilter> FilterOf(const nlohmann::json& arguments);  // "scope" and "filter"

// `name` ("as_of"): digits are a seq, what reads as a time is one, anything else names a snapshot.
// "valid_at": a time.
bool NamesSnapshot(std::string_view as_of);
Result<ReadAt> ReadAtOf(const nlohmann::json& arguments, const char* name = "as_of");

// The view that the arguments ask for.
Result<ReadView> ViewFor(const Engine& engine, const Principal& principal,
                         const nlohmann::json& arguments, const char* name = "as_of");

// A whole id as it is, so that decide judges it and leaves an entry when it refuses; a prefix as
// the memories stand now.
Result<Uuid> IdOf(const Engine& engine, const Principal& principal, const std::string& text,
                  std::string_view field);

// The same for the ids that `name` lists; none where it is absent.
Result<std::vector<Uuid>> IdsOf(const Engine& engine, const Principal& principal,
                                const nlohmann::json& arguments, const char* name);

// What every write may say. The digest covers the operation and its arguments as they were read,
// without the key: it is the same through every door.
WriteOptions WriteOptionsOf(std::string_view operation, const nlohmann::json& arguments);

}  // namespace perdure
