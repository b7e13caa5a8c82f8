#include "server/api/verdicts.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/decide/refusal.h"
#include "server/api/answers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

const char* NameOf(FactOutcome outcome) {
  switch (outcome) {
    case FactOutcome::kStored:
      return "stored";
    case FactOutcome::kReinforced:
      return "reinforced";
    case FactOutcome::kChanged:
      return "changed";
    case FactOutcome::kCandidate:
      return "candidate";
    case FactOutcome::kRefused:
      return "refused";
  }
  return "";
}

// A note is proposed; whatever else is claimed is a fact.
FactOutcome OutcomeOf(const MemoryOutcome& claim) {
  return claim.fact.value_or(claim.candidate ? FactOutcome::kCandidate : FactOutcome::kStored);
}

// Why something waits for a reviewer; empty when it was proposed.
std::string_view WhyItWaits(Rule rule) {
  if (rule == Rule::kChallenge) {
    return "The value that stands is pinned or verified: a reviewer decides between the two.";
  }
  if (rule == Rule::kAgentFact) return "The policy has a reviewer look at what agents assert.";
  if (rule == Rule::kNovelty) return "Nearly the same stands already: a reviewer decides.";
  if (rule == Rule::kInjection) {
    return "It reads as orders to whoever reads it: a reviewer decides.";
  }
  return "";
}

void PutRule(Json& answer, Rule rule) {
  const RuleFacts facts = FactsOf(rule);
  answer["gate"] = fb::EnumNameGate(facts.gate);
  answer["rule"] = facts.name;
}

std::string DetailOf(const Error& error, std::string_view name) {
  for (const auto& [key, value] : error.details) {
    if (key == name) return value;
  }
  return {};
}

Seq SeqOf(const std::string& text) {
  Seq seq = 0;
  std::from_chars(text.data(), text.data() + text.size(), seq);
  return seq;
}

// What the entry says of a fact's confidence.
Result<std::optional<float>> ConfidenceBy(const Engine& engine, SpaceId space, Seq seq) {
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(engine.Latest(), space, seq));
  if (const auto* gained = entry->event_as_FactReinforced()) return gained->confidence();
  const auto* stored = entry->event_as_MemoryStored();
  if (!stored || stored->kind() != fb::MemoryKind::fact) return std::nullopt;
  return stored->confidence();
}

// "seq" and "record_time" of the entry that keeps the refusal; past a rate there is none.
Status PutEntry(Json& answer, const Engine& engine, SpaceId space, Seq seq) {
  if (seq == 0) return {};
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(engine.Latest(), space, seq));
  answer["seq"] = seq;
  answer["record_time"] = FormatTime(entry->record_time());
  return {};
}

}  // namespace

Json VerdictSchema() {
  namespace s = schemas;
  Json outcome =
      s::OneOf({"stored", "reinforced", "changed", "candidate", "refused", "approved", "rejected"});
  Json schema = s::Written({{"outcome", s::Brief(std::move(outcome))},
                            {"id", s::Text()},
                            {"gate", s::Text()},
                            {"rule", s::Text()},
                            {"reason", s::Text()}},
                           {"outcome"});
  return s::WithQuiet(std::move(schema), {{"version", s::Integer()},
                                          {"confidence", s::Number()},
                                          {"faded", s::Texts("Rivals that lost confidence")},
                                          {"superseded", s::Texts("Rivals that it replaced")},
                                          {"suppression", s::Integer("That turned it down")},
                                          {"not_applied", s::Texts("Arguments left alone")}});
}

Result<Json> AnswerOfClaim(const Engine& engine, const Principal& principal,
                           const MemoryOutcome& claim, bool dry_run) {
  const FactOutcome outcome = OutcomeOf(claim);
  Json answer = {{"outcome", NameOf(outcome)}};
  const bool is_there = outcome == FactOutcome::kReinforced || outcome == FactOutcome::kRefused;
  if (claim.id != Uuid{} && (is_there || !dry_run)) answer["id"] = ToString(claim.id);
  if (claim.rule != 0) {
    const auto rule = static_cast<Rule>(claim.rule);
    PutRule(answer, rule);
    answer["reason"] = claim.message.empty() ? WhyItWaits(rule) : claim.message;
  }
  if (outcome == FactOutcome::kRefused) return answer;
  answer["version"] = claim.version;
  if (!claim.not_applied.empty()) answer["not_applied"] = claim.not_applied;
  if (!dry_run) {
    ASSIGN_OR_RETURN(const auto confidence, ConfidenceBy(engine, principal.space, claim.seq));
    if (confidence) answer["confidence"] = Rounded(*confidence);
  }
  for (const Uuid& id : claim.faded) answer["faded"].push_back(ToString(id));
  for (const Uuid& id : claim.superseded) answer["superseded"].push_back(ToString(id));
  return answer;
}

std::string WouldClaim(const MemoryOutcome& claim) {
  switch (OutcomeOf(claim)) {
    case FactOutcome::kStored:
      return "store a new memory";
    case FactOutcome::kReinforced:
      return "make the value that stands surer";
    case FactOutcome::kChanged:
      return fmt::format("store a new value; {} rivals would fade and {} be superseded",
                         claim.faded.size(), claim.superseded.size());
    case FactOutcome::kCandidate:
      return "park it for a reviewer";
    case FactOutcome::kRefused:
      return "refuse it";
  }
  return "";
}

Status PutSuppression(Json& answer, const Engine& engine, const Principal& principal,
                      const WriteOutcome& outcome) {
  if (outcome.dry_run) return {};
  for (Seq seq = outcome.first_seq; seq <= outcome.seq; ++seq) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(engine.Latest(), principal.space, seq));
    if (!entry->event_as_ValueSuppressed()) continue;
    answer["suppression"] = seq;
    break;
  }
  return {};
}

Result<Json> RefusalAnswer(const Engine& engine, const Principal& principal, Error error,
                           const Json& arguments) {
  const std::optional<Rule> rule = RuleOf(error);
  if (!rule || !IsVerdict(*rule)) return std::unexpected(std::move(error));
  Json answer = {{"outcome", NameOf(FactOutcome::kRefused)}, {"reason", error.message}};
  PutRule(answer, *rule);
  PutText(answer, "id", DetailOf(error, "memory"));
  if (const Seq seq = SeqOf(DetailOf(error, "suppression"))) answer["suppression"] = seq;
  if (arguments.value("dry_run", false)) {
    answer["dry_run"] = true;
    answer["would"] = "refuse it";
    if (const Seq seq = SeqOf(DetailOf(error, "kept_seq"))) answer["kept_seq"] = seq;
    return answer;
  }
  RETURN_IF_ERROR(PutEntry(answer, engine, principal.space, SeqOf(DetailOf(error, "refused_seq"))));
  return answer;
}

}  // namespace perdure
