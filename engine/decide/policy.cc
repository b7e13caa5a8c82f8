#include "engine/decide/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/canonical.h"
#include "engine/base/limits.h"
#include "engine/base/time.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"
#include "schema/records_generated.h"

namespace perdure {
namespace {

bool IsNumber(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && std::isfinite(value);
}

bool IsDate(std::string_view text) { return ParseTime(text, "object").has_value(); }

bool IsBoolean(std::string_view text) {
  return text == "true" || text == "false" || text == "yes" || text == "no";
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return c == ' '; });
}

bool Has(fb::ValueShape shape, std::string_view canonical) {
  switch (shape) {
    case fb::ValueShape::any:
      return true;
    case fb::ValueShape::number:
      return IsNumber(canonical);
    case fb::ValueShape::date:
      return IsDate(canonical);
    case fb::ValueShape::boolean:
      return IsBoolean(canonical);
    case fb::ValueShape::identifier:
      return IsIdentifier(canonical);
  }
  return false;
}

Status CheckShare(float value, std::string_view field) {
  if (value >= 0 && value <= 1) return {};
  return Refuse(Rule::kMalformed,
                fmt::format("{} is {}; it must lie in 0..1, e.g. 0.6.", field, value),
                std::string(field));
}

}  // namespace

Result<Policy> ReadPolicy(const StateReader& reader, SpaceId space) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Policy(space)));
  Policy policy;
  if (!bytes) return policy;
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::PolicyRecordT>(*bytes));
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, record.seq));
  const auto* set = entry->event_as_PolicySet();
  if (!set) return Fail(Code::kCorrupt, "The settings of the space are not where they should be.");
  policy.repetition = set->repetition();
  policy.reinforce = set->reinforce();
  policy.fade = set->fade();
  policy.critical = set->critical();
  policy.critical_fade = set->critical_fade();
  policy.archive_below = set->archive_below();
  policy.injection = set->injection();
  policy.note_injection = set->note_injection();
  policy.agents = set->agents();
  policy.novelty = set->novelty();
  policy.text_bytes_max = set->text_bytes_max();
  policy.writes_per_minute = set->writes_per_minute();
  return policy;
}

Result<Predicate> ReadPredicate(const StateReader& reader, SpaceId space, const Secret& secret,
                                std::string_view name) {
  const std::string key = tables::Predicate(space, PredicateKey(secret, name));
  ASSIGN_OR_RETURN(const auto row, reader.Get(Family::kRows, key));
  if (!row) return Predicate{};
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, ReadBigEndian(*row)));
  const auto* declared = entry->event_as_PredicateDeclared();
  if (!declared) return Fail(Code::kCorrupt, "A predicate is not declared where it should be.");
  return Predicate{declared->multi_valued(), declared->symmetric(), declared->shape()};
}

Status CheckShape(fb::ValueShape shape, std::string_view object) {
  if (shape == fb::ValueShape::any) return {};
  ASSIGN_OR_RETURN(const std::string canonical, Canonical(object));
  if (Has(shape, canonical)) return {};
  return Refuse(Rule::kShape,
                fmt::format("This predicate takes objects of the shape {}; this one is none.",
                            fb::EnumNameValueShape(shape)),
                "object");
}

Status DecideSetPolicy(Transaction& txn, const SetPolicy& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Setting a policy"));
  RETURN_IF_ERROR(RequireWholeSpace(txn, "Setting a policy"));
  ASSIGN_OR_RETURN(const Policy now, ReadPolicy(txn.state(), txn.space()));
  fb::PolicySetT event;
  event.repetition = command.repetition.value_or(now.repetition);
  event.reinforce = command.reinforce.value_or(now.reinforce);
  event.fade = command.fade.value_or(now.fade);
  event.critical = command.critical.value_or(now.critical);
  event.critical_fade = command.critical_fade.value_or(now.critical_fade);
  event.archive_below = command.archive_below.value_or(now.archive_below);
  event.injection = command.injection.value_or(now.injection);
  event.note_injection = command.note_injection.value_or(now.note_injection);
  event.agents = command.agents.value_or(now.agents);
  event.novelty = command.novelty.value_or(now.novelty);
  event.text_bytes_max = command.text_bytes_max.value_or(now.text_bytes_max);
  event.writes_per_minute = command.writes_per_minute.value_or(now.writes_per_minute);
  RETURN_IF_ERROR(CheckShare(event.reinforce, "reinforce"));
  RETURN_IF_ERROR(CheckShare(event.fade, "fade"));
  RETURN_IF_ERROR(CheckShare(event.critical, "critical"));
  RETURN_IF_ERROR(CheckShare(event.critical_fade, "critical_fade"));
  RETURN_IF_ERROR(CheckShare(event.archive_below, "archive_below"));
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace perdure
