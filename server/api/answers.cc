#include "server/api/answers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engine/base/check.h"

namespace perdure {

using Json = nlohmann::json;

double Decimal(float value) {
  const std::string text = fmt::format("{}", value);
  double decimal = 0;
  std::from_chars(text.data(), text.data() + text.size(), decimal);
  return decimal;
}

double Rounded(float value) { return std::round(static_cast<double>(value) * 1e4) / 1e4; }

Json RoleNames(RoleMask roles) {
  Json names = Json::array();
  if ((roles & kAgent) != 0) names.push_back("agent");
  if ((roles & kReviewer) != 0) names.push_back("reviewer");
  if ((roles & kAuditor) != 0) names.push_back("auditor");
  if ((roles & kOperator) != 0) names.push_back("operator");
  return names;
}

void PutText(Json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

void PutTime(Json& object, const char* name, const std::optional<Micros>& time) {
  if (time) object[name] = FormatTime(*time);
}

namespace {

// Who reads a doubted memory is to see that in its state.
bool IsDisputed(const fb::MemoryRecordT& record) {
  return record.state == fb::MemoryState::live && record.dispute != fb::Dispute::none;
}

void PutFact(Json& answer, const Memory& memory) {
  const fb::MemoryRecordT& record = memory.record;
  answer["subject"] = memory.subject;
  answer["predicate"] = memory.predicate;
  answer["object"] = memory.object;
  answer["standing"] = record.state == fb::MemoryState::live && !record.shadowed;
  answer["frequency"] = record.frequency;
}

}  // namespace

const char* StateName(const fb::MemoryRecordT& record) {
  return fb::EnumNameMemoryState(IsDisputed(record) ? fb::MemoryState::disputed : record.state);
}

Json AnswerOf(const Memory& memory, schemas::Detail detail) {
  const fb::MemoryRecordT& record = memory.record;
  Json answer = {{"id", ToString(memory.id)},
                 {"version", record.version},
                 {"title", memory.title},
                 {"tags", memory.tags},
                 {"kind", fb::EnumNameMemoryKind(record.kind)},
                 {"state", StateName(record)},
                 {"trust", fb::EnumNameTrust(record.trust)},
                 {"authorship", fb::EnumNameAuthorship(record.authorship)},
                 {"scope", FormatScope(memory.scope)},
                 {"pinned", record.pinned},
                 {"importance", Decimal(record.importance)},
                 {"confidence", Rounded(record.confidence)},
                 {"created_time", FormatTime(record.created_time)},
                 {"updated_time", FormatTime(record.version_time)},
                 {"record_time", FormatTime(record.record_time)},
                 {"valid", memory.valid}};
  PutText(answer, "type", memory.type);
  PutText(answer, "theme", memory.theme);
  PutTime(answer, "reference_time", ToStd(record.reference_time));
  if (memory.expired) answer["expired"] = true;
  if (record.store != 0) answer["store"] = memory.store;
  if (!memory.editable) answer["editable"] = false;
  if (record.is_record) answer["record"] = true;
  if (record.memory_class != fb::MemoryClass::document) {
    answer["class"] = fb::EnumNameMemoryClass(record.memory_class);
  }
  if (record.genre != fb::Genre::factual) answer["genre"] = fb::EnumNameGenre(record.genre);
  if (IsDisputed(record)) answer["dispute"] = fb::EnumNameDispute(record.dispute);
  if (record.predecessor) answer["predecessor"] = ToString(FromId(*record.predecessor));
  if (record.successor) answer["successor"] = ToString(FromId(*record.successor));
  if (record.kind == fb::MemoryKind::fact) PutFact(answer, memory);
  if (detail == schemas::Detail::kListed) return answer;
  answer["text"] = memory.text;
  PutTime(answer, "evidence_time", ToStd(record.evidence_time));
  // Written by this program from an object, so only a bug makes it anything else.
  if (!memory.metadata.empty()) answer["metadata"] = Json::parse(memory.metadata);
  PutText(answer, "source", memory.source);
  PutText(answer, "origin", memory.origin);
  PutText(answer, "conversation", memory.conversation);
  if (record.position) answer["position"] = *record.position;
  PutText(answer, "speaker", memory.speaker);
  PutText(answer, "session", memory.session);
  for (const fb::Id& source : record.derived_from) {
    answer["derived_from"].push_back(ToString(FromId(source)));
  }
  PutTime(answer, "valid_from", ToStd(record.valid_from));
  PutTime(answer, "valid_until", ToStd(record.valid_until));
  PutTime(answer, "expires_at", ToStd(record.expires_at));
  return answer;
}

Status PutEvidence(Json& answer, const ReadView& view, const Memory& memory) {
  if (memory.record.kind != fb::MemoryKind::fact) return {};
  ASSIGN_OR_RETURN(const auto first,
                   ReadPayload(view.now(), view.space(), memory.record.created_seq));
  if (!first) return {};  // compacted
  Json evidence = Json::object();
  if (const auto* quote = (*first)->quote()) PutText(evidence, "quote", quote->str());
  if (const auto* source = (*first)->evidence_source()) PutText(evidence, "source", source->str());
  if (!evidence.empty()) answer["evidence"] = std::move(evidence);
  return {};
}

Json AnswerOf(const LogLine& line) {
  Json answer = {{"seq", line.seq},
                 {"record_time", FormatTime(line.record_time)},
                 {"event", fb::EnumNameEvent(line.event)},
                 {"actor", ToString(line.principal)},
                 {"roles", RoleNames(line.roles)}};
  if (line.cause != 0) answer["cause"] = line.cause;
  if (line.pass != 0) answer["pass"] = line.pass;
  if (line.memory) answer["memory"] = ToString(*line.memory);
  if (line.version != 0) answer["version"] = line.version;
  PutText(answer, "client", line.client);
  PutText(answer, "reason", line.reason);
  PutText(answer, "gate", line.gate);
  PutText(answer, "rule", line.rule);
  PutText(answer, "message", line.message);
  if (line.count != 1) answer["count"] = line.count;
  if (line.has_payload) answer["payload"] = "kept";
  if (line.payload_gone) answer["payload"] = "gone";
  return answer;
}

Json AnswerOf(const VersionInfo& version) {
  Json answer = {{"version", version.version},
                 {"seq", version.seq},
                 {"record_time", FormatTime(version.record_time)},
                 {"event", fb::EnumNameEvent(version.event)},
                 {"title", version.title},
                 {"text_bytes", version.text_bytes}};
  if (version.erased) answer["erased"] = true;
  if (version.compacted) answer["compacted"] = true;
  return answer;
}

void PutView(Json& answer, const ReadView& view, const Json& arguments) {
  answer["as_of"] = FormatTime(view.as_of());
  if (arguments.contains("as_of") || arguments.contains("cursor")) return;
  if (const auto seq = view.AsOfSeq()) answer["as_of_seq"] = *seq;
}

void PutOutcome(Json& answer, const WriteOutcome& outcome, const std::string& would) {
  if (outcome.dry_run) {
    answer["dry_run"] = true;
    answer["would"] = would;
    if (outcome.kept_seq != 0) answer["kept_seq"] = outcome.kept_seq;
    return;
  }
  answer["seq"] = outcome.seq;
  answer["record_time"] = FormatTime(outcome.record_time);
}

Json ChangeAnswer(const WriteOutcome& outcome, const std::string& verb) {
  PERDURE_CHECK(!outcome.memories.empty());
  const MemoryOutcome& memory = outcome.memories.front();
  Json answer = {
      {"id", ToString(memory.id)}, {"version", memory.version}, {"changed", memory.changed}};
  PutOutcome(answer, outcome,
             memory.changed
                 ? fmt::format("{} the memory; it would be at version {}", verb, memory.version)
                 : std::string("change nothing: it is so already"));
  return answer;
}

}  // namespace perdure
