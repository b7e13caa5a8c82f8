#include "server/api/schemas.h"

#include "schema/entry_generated.h"

namespace perdure::schemas {
namespace {

Json Typed(const char* type, std::string_view description) {
  Json schema = {{"type", type}};
  if (!description.empty()) schema["description"] = description;
  return schema;
}

template <typename Values, typename NameOf>
Json Names(const Values& values, NameOf name_of) {
  Json names = Json::array();
  for (const auto value : values) names.push_back(name_of(value));
  return names;
}

}  // namespace

Json Text(std::string_view description) { return Typed("string", description); }
Json Integer(std::string_view description) { return Typed("integer", description); }
Json Number(std::string_view description) { return Typed("number", description); }
Json Flag(std::string_view description) { return Typed("boolean", description); }
Json Open(std::string_view description) { return Typed("object", description); }
Json Texts(std::string_view description) { return ListOf(Text(), description); }

Json Integer(std::string_view description, std::int64_t minimum) {
  Json schema = Integer(description);
  schema["minimum"] = minimum;
  return schema;
}

Json Integer(std::string_view description, std::int64_t minimum, std::int64_t maximum) {
  Json schema = Integer(description, minimum);
  schema["maximum"] = maximum;
  return schema;
}

Json Share(std::string_view description) {
  Json schema = Number(description);
  schema["minimum"] = 0;
  schema["maximum"] = 1;
  return schema;
}

Json OneOf(Json names, std::string_view description) {
  Json schema = Text(description);
  schema["enum"] = std::move(names);
  return schema;
}

Json ListOf(Json items, std::string_view description) {
  Json schema = Typed("array", description);
  schema["items"] = std::move(items);
  return schema;
}

Json Object(Properties properties, std::initializer_list<const char*> required) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  for (const char* name : required) schema["required"].push_back(name);
  return With(std::move(schema), properties);
}

Json With(Json schema, Properties properties) {
  for (const auto& [name, property] : properties) schema["properties"][name] = property;
  return schema;
}

Json WithDefault(Json schema, Json value) {
  schema["default"] = std::move(value);
  return schema;
}

Json WithExample(Json schema, Json value) {
  schema["x-example"] = std::move(value);
  return schema;
}

Json WithQuiet(Json schema, Properties properties) {
  for (const auto& [name, property] : properties) schema["x-properties"][name] = property;
  return schema;
}

Json Brief(Json schema, std::string_view words) {
  schema["x-brief"] = words;
  return schema;
}

Json InBrief(const Json& schema) {
  if (schema.is_array()) {
    Json brief = Json::array();
    for (const Json& element : schema) brief.push_back(InBrief(element));
    return brief;
  }
  if (!schema.is_object()) return schema;
  Json brief = Json::object();
  const auto words = schema.find("x-brief");
  for (const auto& [keyword, value] : schema.items()) {
    const bool is_kept = words == schema.end() || keyword == "type" || keyword == "items";
    if (is_kept && !keyword.starts_with("x-")) brief[keyword] = InBrief(value);
  }
  if (words != schema.end() && *words != "") brief["description"] = *words;
  if (brief.contains("required") && brief["required"].is_array()) {
    auto& required = brief["required"].get_ref<Json::array_t&>();
    std::erase_if(required, [&](const Json& name) {
      return !schema["properties"].contains(name.get_ref<const std::string&>());
    });
  }
  return brief;
}

Json SpeltOut(const Json& schema) {
  if (schema.is_array()) {
    Json spelt = Json::array();
    for (const Json& element : schema) spelt.push_back(SpeltOut(element));
    return spelt;
  }
  if (!schema.is_object()) return schema;
  Json spelt = Json::object();
  for (const auto& [keyword, value] : schema.items()) {
    if (!keyword.starts_with("x-")) spelt[keyword] = SpeltOut(value);
  }
  const Json quiet = schema.value("x-properties", Json::object());
  for (const auto& [name, property] : quiet.items()) spelt["properties"][name] = SpeltOut(property);
  if (const auto it = schema.find("x-example"); it != schema.end()) {
    spelt["examples"] = Json::array({*it});
  }
  return spelt;
}

Json Id() {
  return WithExample(Brief(Text("Id, or 8 or more characters of its beginning")), "0190f3c2");
}

Json Scope() {
  return Brief(WithExample(Text("Like acme/website;user=ann. Default: the token's"),
                           "acme/website;user=alice"),
               "Like acme/website;user=ann");
}

Json ScopeExact() { return Brief(Flag("The scope alone, not what lies below it")); }

Json Time(std::string_view description) {
  return WithExample(Text(description), "2024-05-01T08:30:00Z");
}

Json AsOf() {
  return Brief(Time("Read the past: a time, a log seq or a snapshot name"),
               "A time, log seq or snapshot");
}
Json ValidAt() { return Brief(Time("When it holds in the world. Default: now")); }

Json Filter() {
  Json filter = Object({{"tag", Text()},
                        {"tags", Texts("All of them")},
                        {"type", Text()},
                        {"theme", Text()},
                        {"state", ListOf(OneOf(StateNames()), "Default: live")},
                        {"kind", OneOf(KindNames())},
                        {"pinned", Flag()},
                        {"authorship", OneOf(AuthorshipNames())},
                        {"class", OneOf(ClassNames())},
                        {"store", Text()},
                        {"genre", ListOf(OneOf(GenreNames()), "Default: factual")},
                        {"created_from", Text()},
                        {"created_until", Text()},
                        {"updated_from", Text()},
                        {"updated_until", Text()},
                        {"happened_from", Text("By reference_time, else by created_time")},
                        {"happened_until", Text()},
                        {"source", Text()},
                        {"metadata", Open("An expression: {\"and\": [..]}, {\"or\": [..]}, "
                                          "{\"not\": {..}}, {\"a.b\": value} or {\"a.b\": "
                                          "{operator: value}} with eq, ne, gt, gte, lt, lte, in, "
                                          "nin, contains, icontains, exists")}});
  filter =
      Brief(std::move(filter),
            "tag, tags (all), type, theme, state (list: live, archived, ...; default "
            "live), kind, genre (list; default factual), authorship, class, store, pinned, source, "
            "created_from, "
            "created_until, updated_from, updated_until, happened_from, happened_until, "
            "metadata (like {\"prio\":{\"gte\":2}}; and, or, not)");
  return WithExample(std::move(filter), {{"tag", "decision"}});
}

Json Refusing() {
  return Object({{"wide", Flag("A rejection holds in the whole space, not in the memory's scope")},
                 {"until", Time("When a rejection ends. Default: never")}});
}

Json Write(Json schema) {
  return With(std::move(schema), {{"idempotency_key", Text("Makes a retry safe")},
                                  {"dry_run", Brief(Flag("Only say what would happen"))},
                                  {"keep", Brief(Flag("Log the dry run"), "Log a dry run")},
                                  {"reason", Text("For the log")}});
}

Json Change(Json schema) {
  schema =
      With(Write(std::move(schema)), {{"expected_version", Integer("Conflict unless current", 1)}});
  for (const char* name : {"idempotency_key", "dry_run", "keep", "reason", "expected_version"}) {
    schema["properties"][name] = Brief(std::move(schema["properties"][name]));
  }
  return schema;
}

Json Written(Properties properties, std::initializer_list<const char*> required) {
  return WithQuiet(Object(properties, required), {{"seq", Integer()},
                                                  {"record_time", Text()},
                                                  {"dry_run", Flag()},
                                                  {"would", Text()},
                                                  {"kept_seq", Integer()}});
}

Json Changed() {
  return WithQuiet(Written({{"id", Text()}, {"version", Integer()}}, {"id", "version", "changed"}),
                   {{"changed", Flag()}});
}

Json Read(Properties properties, std::initializer_list<const char*> required) {
  return WithQuiet(Object(properties, required), {{"as_of", Text()}, {"as_of_seq", Integer()}});
}

Json Memory(Detail detail) {
  Json memory = Object({{"id", Text()}, {"version", Integer()}, {"title", Text()}},
                       {"id", "version", "title", "tags", "state", "trust"});
  memory = WithQuiet(std::move(memory), {{"tags", Texts()},
                                         {"state", Text()},
                                         {"trust", Text()},
                                         {"kind", Text()},
                                         {"authorship", Text()},
                                         {"type", Text()},
                                         {"theme", Text()},
                                         {"scope", Text()},
                                         {"pinned", Flag()},
                                         {"importance", Number()},
                                         {"confidence", Number()},
                                         {"genre", Text("When it is not factual")},
                                         {"dispute", Text("Why it is disputed")},
                                         {"subject", Text("Of a fact, like the next four")},
                                         {"predicate", Text()},
                                         {"object", Text()},
                                         {"standing", Flag("Live, and no later value stands")},
                                         {"frequency", Integer("Times it was asserted anew")},
                                         {"predecessor", Text("What stood before it")},
                                         {"successor", Text("What took its place")},
                                         {"created_time", Text()},
                                         {"updated_time", Text()},
                                         {"record_time", Text()},
                                         {"reference_time", Text()},
                                         {"valid", Flag()},
                                         {"expired", Flag()},
                                         {"store", Text("When it is not default")},
                                         {"class", Text("When it is not document")},
                                         {"record", Flag("Nobody may rewrite it")},
                                         {"editable", Flag("False: change the file instead")}});
  if (detail == Detail::kListed) return memory;
  memory["required"].push_back("text");
  memory = With(std::move(memory), {{"text", Text()}, {"next_offset", Integer()}});
  return WithQuiet(std::move(memory), {{"text_bytes", Integer()},
                                       {"offset", Integer()},
                                       {"metadata", Open()},
                                       {"source", Text()},
                                       {"origin", Text()},
                                       {"conversation", Text()},
                                       {"position", Integer()},
                                       {"speaker", Text()},
                                       {"session", Text()},
                                       {"derived_from", Texts("What it was made from")},
                                       {"evidence", Open("That a fact came with: quote, source")},
                                       {"evidence_time", Text("Of the latest that counted")},
                                       {"valid_from", Text()},
                                       {"valid_until", Text()},
                                       {"expires_at", Text()}});
}

Json LogLine() {
  const Json line = Object({{"seq", Integer()}, {"record_time", Text()}, {"event", Text()}},
                           {"seq", "record_time", "event"});
  return WithQuiet(line, {{"actor", Text()},
                          {"roles", Texts()},
                          {"cause", Integer()},
                          {"pass", Integer()},
                          {"memory", Text()},
                          {"version", Integer()},
                          {"client", Text()},
                          {"reason", Text()},
                          {"gate", Text()},
                          {"rule", Text()},
                          {"message", Text()},
                          {"count", Integer()},
                          {"payload", Text("kept or gone")}});
}

Json KindNames() { return Names(fb::EnumValuesMemoryKind(), fb::EnumNameMemoryKind); }
Json StateNames() { return Names(fb::EnumValuesMemoryState(), fb::EnumNameMemoryState); }
Json AuthorshipNames() { return Names(fb::EnumValuesAuthorship(), fb::EnumNameAuthorship); }
Json GenreNames() { return Names(fb::EnumValuesGenre(), fb::EnumNameGenre); }
Json ClassNames() { return Names(fb::EnumValuesMemoryClass(), fb::EnumNameMemoryClass); }
Json ContainerKindNames() {
  return Names(fb::EnumValuesContainerKind(), fb::EnumNameContainerKind);
}
Json ProjectStatusNames() {
  return Names(fb::EnumValuesProjectStatus(), fb::EnumNameProjectStatus);
}
Json ShapeNames() { return Names(fb::EnumValuesValueShape(), fb::EnumNameValueShape); }
Json RepetitionNames() { return Names(fb::EnumValuesRepetition(), fb::EnumNameRepetition); }
Json AdmissionNames() { return Names(fb::EnumValuesAdmission(), fb::EnumNameAdmission); }
Json TrustNames() { return Names(fb::EnumValuesTrust(), fb::EnumNameTrust); }

Json EventNames() {
  Json names = Names(fb::EnumValuesEvent(), fb::EnumNameEvent);
  names.erase(0);  // NONE
  return names;
}

}  // namespace perdure::schemas
