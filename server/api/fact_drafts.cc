#include "server/api/fact_drafts.h"

#include "server/api/json.h"
#include "server/api/requests.h"

namespace perdure {

using Json = nlohmann::json;

Json EvidenceSchema() {
  namespace s = schemas;
  Json evidence = s::Object(
      {{"quote", s::Text("The words that say so")},
       {"source", s::Text("Id of the memory that has them, or any name")},
       {"reference_time", s::Time("When the source said it; a memory brings its own time")}});
  evidence =
      s::Brief(std::move(evidence), "quote, source (a memory's id, or a name), reference_time");
  return s::WithExample(std::move(evidence),
                        {{"quote", "oat milk for me, please"}, {"source", "0190f3c2"}});
}

Json FactDraftSchema() {
  namespace s = schemas;
  return s::Object(
      {{"subject", s::WithExample(s::Text("Whom or what it is about"), "Alice")},
       {"predicate", s::WithExample(s::Text("Has one value, unless declared otherwise"), "drinks")},
       {"object", s::WithExample(s::Text("The value"), "oat milk")},
       {"evidence", EvidenceSchema()},
       {"text", s::Brief(s::Text("As it is shown and searched. Default: the three in words"))},
       {"tags", s::Texts()},
       {"theme", s::Text()},
       {"derived_from", s::Brief(s::Texts("Ids of memories that it was made from"))},
       {"metadata", s::Open()},
       {"trust", s::Brief(s::OneOf(s::TrustNames(), "verbatim: the quote must stand in its source"),
                          "verbatim: the quote must stand in its source")},
       {"scope", s::Scope()},
       {"importance", s::Brief(s::Share("Default: 0.5"))},
       {"confidence", s::Brief(s::Share("Of a new value. Default: by the policy"))},
       {"valid_from", s::Brief(s::Time("When it begins to hold"))},
       {"valid_until", s::Brief(s::Time("When it ceases to hold"))},
       {"expires_at", s::Brief(s::Time("When to leave default reads"))},
       {"authorship", s::Brief(s::OneOf(s::AuthorshipNames()))},
       {"store", s::Brief(s::Text())},
       {"class", s::Brief(s::OneOf(s::ClassNames()))},
       {"genre", s::Brief(s::OneOf(s::GenreNames()))}},
      {"subject", "predicate", "object"});
}

Result<std::optional<Evidence>> EvidenceOf(const Json& arguments) {
  const auto it = arguments.find("evidence");
  if (it == arguments.end()) return std::nullopt;
  Evidence evidence;
  evidence.quote = TextOf(*it, "quote");
  evidence.source = TextOf(*it, "source");
  evidence.memory = ParseUuid(evidence.source);
  ASSIGN_OR_RETURN(evidence.reference_time,
                   TimeOf(*it, "reference_time", "evidence.reference_time"));
  return evidence;
}

Result<FactDraft> FactDraftOf(const Engine& engine, const Principal& principal,
                              const Json& arguments) {
  FactDraft draft;
  draft.value = {TextOf(arguments, "subject"), TextOf(arguments, "predicate"),
                 TextOf(arguments, "object")};
  draft.text = TextOf(arguments, "text");
  draft.tags = arguments.value("tags", std::vector<std::string>());
  draft.theme = TextOf(arguments, "theme");
  if (arguments.contains("metadata")) draft.metadata = DumpJson(arguments["metadata"]);
  ASSIGN_OR_RETURN(draft.evidence, EvidenceOf(arguments));
  if (TextOf(arguments, "trust") == fb::EnumNameTrust(fb::Trust::verbatim)) {
    draft.claimed = fb::Trust::verbatim;
  }
  ASSIGN_OR_RETURN(draft.scope, ScopeOf(arguments));
  if (arguments.contains("importance")) draft.importance = arguments["importance"].get<float>();
  if (arguments.contains("confidence")) draft.confidence = arguments["confidence"].get<float>();
  draft.authorship = AuthorshipOf(arguments);
  draft.store = TextOf(arguments, "store");
  draft.memory_class = ClassOf(arguments);
  draft.genre = GenreOf(arguments);
  ASSIGN_OR_RETURN(draft.derived_from, IdsOf(engine, principal, arguments, "derived_from"));
  ASSIGN_OR_RETURN(draft.valid_from, TimeOf(arguments, "valid_from"));
  ASSIGN_OR_RETURN(draft.valid_until, TimeOf(arguments, "valid_until"));
  ASSIGN_OR_RETURN(draft.expires_at, TimeOf(arguments, "expires_at"));
  return draft;
}

Json NotAppliedOf(const Json& arguments) {
  const bool claims_too_much = TextOf(arguments, "trust") == fb::EnumNameTrust(fb::Trust::verified);
  return claims_too_much ? Json::array({"trust"}) : Json::array();
}

}  // namespace perdure
