#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

constexpr RoleMask kAllRoles = kAgent | kReviewer | kAuditor | kOperator;

Status CheckName(std::string_view name, std::string_view field) {
  if (name.empty()) return Refuse(Rule::kMalformed, "The name is empty.", std::string(field));
  return CheckText(name, limits::kLabelBytesMax, field);
}

}  // namespace

Status DecideSnapshot(Transaction& txn, const NameSnapshot& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Naming a snapshot"));
  RETURN_IF_ERROR(CheckName(command.name, "name"));
  const ValueKey key = LabelKey(txn.secret(), "snapshot", command.name);
  ASSIGN_OR_RETURN(const auto taken,
                   txn.state().Get(Family::kRows, tables::SnapshotName(txn.space(), key)));
  if (taken) {
    return Refuse(
        Rule::kNameTaken,
        fmt::format("There is a snapshot '{}' already. Choose another name.", command.name),
        "name");
  }
  fb::SnapshotNamedT event;
  event.at = command.at.value_or(txn.head().time);
  event.at_seq = command.at ? 0 : txn.head().seq;
  if (event.at > txn.NextTime()) {
    return Refuse(Rule::kInterval, "A snapshot names the present or the past, not the future.",
                  "at");
  }
  fb::PayloadT payload;
  payload.name = command.name;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideIssueToken(Transaction& txn, const IssueToken& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Issuing a token"));
  if (command.roles == 0 || (command.roles & ~kAllRoles) != 0) {
    return Refuse(Rule::kMalformed,
                  "A token needs one or more of the roles agent, reviewer, auditor, operator.",
                  "role");
  }
  ASSIGN_OR_RETURN(const ScopePath scope, ParseScope(command.scope, "scope"));
  if (command.space != txn.principal().space) {
    RETURN_IF_ERROR(RequireHouse(txn, "A token of another space"));
  } else if (!IsWithin(scope, txn.principal().scope)) {
    return Refuse(Rule::kScope, "The token's scope must lie inside the issuer's.", "scope");
  }
  RETURN_IF_ERROR(CheckText(command.label, limits::kLabelBytesMax, "label"));
  ASSIGN_OR_RETURN(const auto space, txn.state().Get(Family::kState, tables::Space(command.space)));
  if (!space) {
    return Refuse(Rule::kNothing, fmt::format("There is no space {}.", command.space), "space");
  }
  if (command.expires_at && *command.expires_at <= txn.NextTime()) {
    return Refuse(Rule::kInterval, "expires_at has passed already.", "expires_at");
  }
  fb::TokenIssuedT event;
  event.token = ToId(command.id);
  event.secret_digest = ToDigest(command.secret_digest);
  event.space = command.space;
  event.roles = command.roles;
  event.expires_at = ToFlat(command.expires_at);
  fb::PayloadT payload;
  payload.name = command.label;
  payload.scope = command.scope;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideRevokeToken(Transaction& txn, const RevokeToken& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Revoking a token"));
  ASSIGN_OR_RETURN(const auto bytes, txn.state().Get(Family::kState, tables::Token(command.id)));
  if (!bytes) {
    return Refuse(Rule::kNothing, fmt::format("There is no token {}.", ToString(command.id)), "id");
  }
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::TokenRecordT>(*bytes));
  if (record.space != txn.principal().space) {
    RETURN_IF_ERROR(RequireHouse(txn, "Revoking a token of another space"));
  }
  fb::TokenRevokedT event;
  event.token = ToId(command.id);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

Status DecideCreateSpace(Transaction& txn, const CreateSpace& command) {
  RETURN_IF_ERROR(RequireHouse(txn, "Creating a space"));
  RETURN_IF_ERROR(CheckName(command.name, "name"));
  ASSIGN_OR_RETURN(const auto taken, txn.state().Get(Family::kState, tables::Space(command.space)));
  if (taken) {
    return Refuse(Rule::kNameTaken, fmt::format("There is a space {} already.", command.space),
                  "name");
  }
  fb::SpaceCreatedT event;
  event.space = command.space;
  fb::PayloadT payload;
  payload.name = command.name;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideCompleteErasure(Transaction& txn, const CompleteErasure& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Completing an erasure"));
  ASSIGN_OR_RETURN(
      const auto bytes,
      txn.state().Get(Family::kState, tables::Erasure(txn.space(), command.erasure_seq)));
  if (!bytes) {
    return Refuse(Rule::kNothing, fmt::format("Entry {} erased nothing.", command.erasure_seq),
                  "erasure_seq");
  }
  fb::ErasureCompletedT event;
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::ErasureRecordT>(*bytes));
  event.memories = FromId(record.memory) == Uuid{} ? 0 : 1;  // none of a suppression
  event.payloads = command.payloads;
  event.index_generation = command.index_generation;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {},
                              {.cause = command.erasure_seq, .with_reason = false}));
  return {};
}

Status DecideMarkRestored(Transaction& txn, const MarkRestored& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Restoring a log"));
  RETURN_IF_ERROR(RequireWholeSpace(txn, "Restoring a log"));
  if (command.head_seq < txn.head().seq) {
    return Refuse(Rule::kMalformed,
                  fmt::format("A backup that ended at entry {} did not have entry {}.",
                              command.head_seq, txn.head().seq),
                  "head_seq");
  }
  fb::LogRestoredT event;
  event.head_seq = command.head_seq;
  event.head_hash = ToDigest(command.head_hash);
  event.branch = command.branch;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace perdure
