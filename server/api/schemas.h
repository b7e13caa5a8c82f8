// The words in which operations describe their arguments and answers: small JSON Schemas. Tools are
// read by models, so what a model can do without stands in keywords of our own, which MCP leaves
// out and the OpenAPI description spells out:
//
//   "x-example"     what error messages quote
//   "x-properties"  more properties of an answer
//   "x-brief"       what models read instead of the description, bounds, choices and members
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace perdure::schemas {

using Json = nlohmann::json;
using Properties = std::initializer_list<std::pair<const char*, Json>>;

// Arguments and members of answers; a description may be empty.
Json Text(std::string_view description = {});
Json Integer(std::string_view description = {});
Json Integer(std::string_view description, std::int64_t minimum);
Json Integer(std::string_view description, std::int64_t minimum, std::int64_t maximum);
Json Number(std::string_view description = {});
Json Share(std::string_view description);  // a number from 0 to 1
Json Flag(std::string_view description = {});
Json Texts(std::string_view description = {});
Json OneOf(Json names, std::string_view description = {});
Json Open(std::string_view description = {});  // an object of any members
Json ListOf(Json items, std::string_view description = {});
Json Object(Properties properties, std::initializer_list<const char*> required = {});

Json WithDefault(Json schema, Json value);
Json WithExample(Json schema, Json value);

// `schema` with more properties, shown to models or not.
Json With(Json schema, Properties properties);
Json WithQuiet(Json schema, Properties properties);

// `schema` as models read it: its type, and `words` unless they are empty.
Json Brief(Json schema, std::string_view words = {});

// The schema in the standard's keywords alone; and the short form of it that models read.
Json SpeltOut(const Json& schema);
Json InBrief(const Json& schema);

// Arguments that mean the same in every operation.
Json Id();
Json Scope();
Json ScopeExact();
Json AsOf();
Json ValidAt();
Json Time(std::string_view description);
Json Filter();
Json Refusing();  // how far a rejection reaches: the members of an object, to be added to

// The arguments of every write, and of every change of a memory, which leaves their description to
// the other writes.
Json Write(Json schema);
Json Change(Json schema);

// What every write answers, beside its own members; and a change of one memory.
Json Written(Properties properties, std::initializer_list<const char*> required = {});
Json Changed();

// "as_of" and "as_of_seq".
Json Read(Properties properties, std::initializer_list<const char*> required);

// A memory in an answer; everything that it may hold, or only what a list shows.
enum class Detail { kListed, kWhole };
Json Memory(Detail detail);
Json LogLine();

// The names of enums, in the order of their numbers.
Json KindNames();
Json StateNames();
Json AuthorshipNames();
Json GenreNames();
Json ShapeNames();
Json ClassNames();
Json ContainerKindNames();
Json ProjectStatusNames();
Json RepetitionNames();
Json AdmissionNames();
Json TrustNames();
Json EventNames();

}  // namespace perdure::schemas
