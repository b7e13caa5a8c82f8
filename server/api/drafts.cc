#include "server/api/drafts.h"

#include <fmt/format.h>

#include "engine/decide/refusal.h"
#include "server/api/json.h"
#include "server/api/requests.h"

namespace perdure {

using Json = nlohmann::json;

Json DraftSchema() {
  namespace s = schemas;
  return s::Object(
      {{"text", s::WithExample(s::Text("Markdown"), "We deploy on Fridays.")},
       {"title", s::WithExample(s::Text("Its subject, in a line"), "Deployment day")},
       {"tags", s::WithExample(s::Texts(), Json::array({"decision"}))},
       {"kind", s::OneOf({"note", "episode", "procedure", "observation"}, "Default: note")},
       {"type", s::Text("E.g. decision, preference")},
       {"theme", s::Text("Heading in the contents")},
       {"scope", s::Scope()},
       {"source", s::Text("File, URL or person")},
       {"store", s::Brief(s::Text("Named place for it. Default: default"))},
       {"class", s::Brief(s::OneOf(s::ClassNames()), "communication: stays on this machine")},
       {"record", s::Brief(s::Flag("Nobody may rewrite it"), "Not to be rewritten")},
       {"supersedes", s::Brief(s::Text("Id of the memory that this one corrects"))},
       {"conversation", s::Brief(s::Text("Episodes: which one"),
                                 "Episodes; with position (number of the turn), speaker, session")},
       {"position", s::Brief(s::Integer("Episodes: number of the turn"))},
       {"speaker", s::Brief(s::Text("Episodes: who said it"))},
       {"session", s::Brief(s::Text("Episodes: part of the conversation"))},
       {"derived_from", s::Brief(s::Texts("Ids of memories that it was made from"))},
       {"metadata", s::Open()},
       {"authorship", s::OneOf(s::AuthorshipNames(), "Own words, or kept for reference")},
       {"importance", s::Brief(s::Share("Default: 0.5"), "0 to 1. Default: 0.5")},
       {"genre", s::Brief(s::OneOf(s::GenreNames()))},
       {"reference_time", s::Time("When the source said it")},
       {"valid_from", s::Brief(s::Time("When it begins to hold"))},
       {"valid_until", s::Brief(s::Time("When it ceases to hold"))},
       {"expires_at", s::Time("When to leave default reads")}},
      {"text"});
}

Result<NoteDraft> DraftOf(const Engine& engine, const Principal& principal, const Json& arguments) {
  NoteDraft draft;
  draft.text = TextOf(arguments, "text");
  draft.title = TextOf(arguments, "title");
  draft.tags = arguments.value("tags", std::vector<std::string>());
  const std::string kind = TextOf(arguments, "kind");
  for (const fb::MemoryKind known : fb::EnumValuesMemoryKind()) {
    if (kind == fb::EnumNameMemoryKind(known)) draft.kind = known;
  }
  draft.type = TextOf(arguments, "type");
  draft.theme = TextOf(arguments, "theme");
  if (arguments.contains("metadata")) draft.metadata = DumpJson(arguments["metadata"]);
  draft.source = TextOf(arguments, "source");
  ASSIGN_OR_RETURN(draft.scope, ScopeOf(arguments));
  draft.conversation = TextOf(arguments, "conversation");
  draft.speaker = TextOf(arguments, "speaker");
  draft.session = TextOf(arguments, "session");
  if (arguments.contains("position")) draft.position = arguments["position"];
  draft.authorship = AuthorshipOf(arguments);
  draft.genre = GenreOf(arguments);
  draft.store = TextOf(arguments, "store");
  draft.memory_class = ClassOf(arguments);
  draft.is_record = arguments.value("record", false);
  if (arguments.contains("supersedes")) {
    ASSIGN_OR_RETURN(draft.supersedes,
                     IdOf(engine, principal, TextOf(arguments, "supersedes"), "supersedes"));
  }
  if (arguments.contains("importance")) draft.importance = arguments["importance"].get<float>();
  ASSIGN_OR_RETURN(draft.derived_from, IdsOf(engine, principal, arguments, "derived_from"));
  ASSIGN_OR_RETURN(draft.reference_time, TimeOf(arguments, "reference_time"));
  ASSIGN_OR_RETURN(draft.valid_from, TimeOf(arguments, "valid_from"));
  ASSIGN_OR_RETURN(draft.valid_until, TimeOf(arguments, "valid_until"));
  ASSIGN_OR_RETURN(draft.expires_at, TimeOf(arguments, "expires_at"));
  return draft;
}

Json StoredSchema(std::initializer_list<const char*> required) {
  namespace s = schemas;
  return s::WithQuiet(
      s::Written({{"id", s::Text()},
                  {"version", s::Integer()},
                  {"created", s::Flag()},
                  {"not_applied", s::Texts()}},
                 required),
      {{"candidate", s::Flag("A reviewer decides, by this rule")}, {"rule", s::Text()}});
}

Json StoredAnswer(const MemoryOutcome& memory, bool dry_run) {
  Json answer = {{"version", memory.version},
                 {"created", memory.created},
                 {"not_applied", memory.not_applied}};
  if (!dry_run || !memory.created) answer["id"] = ToString(memory.id);
  if (!memory.candidate) return answer;
  answer["candidate"] = true;
  answer["rule"] = FactsOf(static_cast<Rule>(memory.rule)).name;
  return answer;
}

std::string WouldStore(const MemoryOutcome& memory) {
  if (memory.candidate) return "park it for a reviewer";
  if (memory.created) return "store a new memory";
  if (!memory.changed) return "change nothing: this very memory is stored already";
  return fmt::format("describe the memory that is stored already; it would be at version {}",
                     memory.version);
}

}  // namespace perdure
