#include "engine/decide/rules.h"

#include <fmt/format.h>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/refusal.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

std::string RoleNames(RoleMask mask) {
  std::string names;
  const auto add = [&](RoleMask role, std::string_view name) {
    if ((mask & role) == 0) return;
    if (!names.empty()) names += " or ";
    names += name;
  };
  add(kAgent, "agent");
  add(kReviewer, "reviewer");
  add(kAuditor, "auditor");
  add(kOperator, "operator");
  return names;
}

Result<std::optional<Seq>> FindNode(const StateReader& reader, SpaceId space, const Secret& secret,
                                    fb::NodeClass node_class, Seq parent, std::string_view name) {
  const ValueKey key = ScopeNameKey(secret, node_class, parent, name);
  ASSIGN_OR_RETURN(const auto row, reader.Get(Family::kRows, tables::ScopeName(space, key)));
  if (!row) return std::nullopt;
  return ReadBigEndian(*row);
}

struct Part {
  fb::NodeClass node_class;
  const std::string& name;
};

std::vector<Part> LabelParts(const ScopePath& path) {
  std::vector<Part> parts;
  if (!path.user.empty()) parts.push_back({fb::NodeClass::user, path.user});
  if (!path.agent.empty()) parts.push_back({fb::NodeClass::agent, path.agent});
  if (!path.run.empty()) parts.push_back({fb::NodeClass::run, path.run});
  return parts;
}

void SetPart(fb::ScopeRef& ref, fb::NodeClass node_class, Seq node) {
  switch (node_class) {
    case fb::NodeClass::container:
      ref.mutate_container(node);
      break;
    case fb::NodeClass::user:
      ref.mutate_user(node);
      break;
    case fb::NodeClass::agent:
      ref.mutate_agent(node);
      break;
    case fb::NodeClass::run:
      ref.mutate_run(node);
      break;
  }
}

Result<Seq> EnsureNode(Transaction& txn, fb::NodeClass node_class, Seq parent,
                       const std::string& name) {
  ASSIGN_OR_RETURN(const auto known,
                   FindNode(txn.state(), txn.space(), txn.secret(), node_class, parent, name));
  if (known) return *known;
  fb::ScopeNodeCreatedT event;
  event.node_class = node_class;
  event.parent = parent;
  fb::PayloadT payload;
  payload.name = name;
  return txn.Append(MakeEvent(std::move(event)), std::move(payload),
                    {.cause = 0, .with_reason = false});
}

std::unexpected<Error> NoSuchMemory(const Uuid& id) {
  return Refuse(Rule::kNoMemory,
                fmt::format("There is no memory {} that this token may see. memory_list shows "
                            "those there are.",
                            ToString(id)),
                "id");
}

}  // namespace

Status RequireRole(const Transaction& txn, RoleMask any_of, std::string_view command) {
  if (txn.principal().Has(any_of)) return {};
  return Refuse(Rule::kRole,
                fmt::format("{} needs a token with the role {}.", command, RoleNames(any_of)));
}

Status RequireHouse(const Transaction& txn, std::string_view what) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, what));
  const Principal& principal = txn.principal();
  if (principal.space == kMainSpace && principal.scope.empty()) return {};
  return Refuse(
      Rule::kScope,
      fmt::format("{} needs an operator of the space main whose token has no scope.", what));
}

Status RequireWholeSpace(const Transaction& txn, std::string_view what) {
  if (txn.principal().scope.empty()) return {};
  return Refuse(Rule::kScope,
                fmt::format("{} holds for the whole space: use a token without a scope.", what));
}

Status CheckText(std::string_view text, std::size_t bytes_max, std::string_view field) {
  if (text.size() > bytes_max) {
    return Refuse(Rule::kLimit,
                  fmt::format("{} has {} bytes; at most {} are allowed. Split it.", field,
                              text.size(), bytes_max),
                  std::string(field));
  }
  if (const auto offset = FirstInvalidUtf8(text)) {
    return Refuse(Rule::kMalformed,
                  fmt::format("{} is not UTF-8: the byte at offset {} does not belong there. Send "
                              "it re-encoded.",
                              field, *offset),
                  std::string(field));
  }
  return {};
}

Result<std::optional<fb::ScopeRef>> FindScope(const StateReader& reader, SpaceId space,
                                              const Secret& secret, const ScopePath& path) {
  fb::ScopeRef ref;
  for (const std::string& name : path.containers) {
    ASSIGN_OR_RETURN(const auto node, FindNode(reader, space, secret, fb::NodeClass::container,
                                               ref.container(), name));
    if (!node) return std::nullopt;
    ref.mutate_container(*node);
  }
  for (const Part& part : LabelParts(path)) {
    ASSIGN_OR_RETURN(const auto node,
                     FindNode(reader, space, secret, part.node_class, 0, part.name));
    if (!node) return std::nullopt;
    SetPart(ref, part.node_class, *node);
  }
  return ref;
}

Result<fb::ScopeRef> EnsureScope(Transaction& txn, const ScopePath& path) {
  if (!IsWithin(path, txn.principal().scope)) {
    return Refuse(Rule::kScope,
                  fmt::format("The scope '{}' lies outside this token's scope '{}'.",
                              FormatScope(path), FormatScope(txn.principal().scope)),
                  "scope");
  }
  fb::ScopeRef ref;
  for (const std::string& name : path.containers) {
    ASSIGN_OR_RETURN(const Seq node,
                     EnsureNode(txn, fb::NodeClass::container, ref.container(), name));
    ref.mutate_container(node);
  }
  for (const Part& part : LabelParts(path)) {
    ASSIGN_OR_RETURN(const Seq node, EnsureNode(txn, part.node_class, 0, part.name));
    SetPart(ref, part.node_class, node);
  }
  return ref;
}

Result<bool> ScopeContains(const StateReader& reader, SpaceId space, const fb::ScopeRef& outer,
                           const fb::ScopeRef& inner) {
  const auto agrees = [](Seq out, Seq in) { return out == 0 || out == in; };
  if (!agrees(outer.user(), inner.user()) || !agrees(outer.agent(), inner.agent()) ||
      !agrees(outer.run(), inner.run())) {
    return false;
  }
  if (outer.container() == 0) return true;
  for (Seq node = inner.container(); node != 0;) {
    if (node == outer.container()) return true;
    if (node < outer.container()) return false;  // a parent is older than its children
    ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::ScopeNode(space, node)));
    if (!bytes) return false;
    ASSIGN_OR_RETURN(const auto record, Unpack<fb::ScopeNodeRecordT>(*bytes));
    node = record.parent;
  }
  return false;
}

Result<fb::MemoryRecordT> FindMemory(const Transaction& txn, const Uuid& id) {
  ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), id));
  if (!record) return NoSuchMemory(id);
  const Principal& principal = txn.principal();
  if (!principal.scope.empty()) {
    ASSIGN_OR_RETURN(const auto scope,
                     FindScope(txn.state(), txn.space(), txn.secret(), principal.scope));
    if (!scope) return NoSuchMemory(id);
    ASSIGN_OR_RETURN(const bool inside,
                     ScopeContains(txn.state(), txn.space(), *scope, record->scope));
    if (!inside) return NoSuchMemory(id);
  }
  if (record->state == fb::MemoryState::erased) {
    return Refuse(Rule::kErased,
                  fmt::format("Memory {} was erased by entry {}; its text is gone for good.",
                              ToString(id), record->erased_seq),
                  "id");
  }
  const bool hidden = record->state == fb::MemoryState::forgotten ||
                      record->state == fb::MemoryState::rejected ||
                      record->state == fb::MemoryState::pending;
  if (hidden && !principal.Has(kReviewer | kOperator)) {
    return NoSuchMemory(id);
  }
  return std::move(*record);
}

Result<fb::MemoryRecordT> RequireMemory(const Transaction& txn, const Uuid& id) {
  ASSIGN_OR_RETURN(auto record, FindMemory(txn, id));
  const auto& expected = txn.options().expected_version;
  if (expected && *expected != record.version) {
    auto refusal = Refuse(Rule::kVersion,
                          fmt::format("Memory {} is at version {}, not {}. Read it again and "
                                      "repeat the change on what it says now.",
                                      ToString(id), record.version, *expected),
                          "expected_version");
    refusal.error().details.emplace_back("current_version", std::to_string(record.version));
    return refusal;
  }
  return record;
}

bool HasExpired(const fb::MemoryRecordT& record, Micros now) {
  return record.expires_at && *record.expires_at <= now;
}

bool IsProtected(const fb::MemoryRecordT& record) {
  return record.pinned || record.trust == fb::Trust::verified;
}

Status RequireMayPutAway(const Transaction& txn, const fb::MemoryRecordT& record,
                         std::string_view command) {
  const bool stands = record.state == fb::MemoryState::live && IsProtected(record);
  if (!stands || txn.principal().Has(kReviewer | kOperator)) return {};
  return Refuse(Rule::kProtected,
                fmt::format("{} is for a reviewer here: this memory is pinned or verified. Propose "
                            "what should stand instead.",
                            command),
                "id");
}

Status RequireLive(const fb::MemoryRecordT& record, std::string_view command) {
  if (record.state == fb::MemoryState::live) return {};
  return Refuse(Rule::kState,
                fmt::format("{} needs a live memory; this one is {}. Use memory_restore first.",
                            command, fb::EnumNameMemoryState(record.state)),
                "id");
}

Status RequireStanding(const fb::MemoryRecordT& record, std::string_view command) {
  RETURN_IF_ERROR(RequireLive(record, command));
  if (!record.shadowed) return {};
  return Refuse(Rule::kRival,
                fmt::format("{} needs the value that stands; another one has taken the place of "
                            "this one.",
                            command),
                "id");
}

Result<PayloadRow> RequirePayload(const Transaction& txn, Seq seq) {
  ASSIGN_OR_RETURN(auto payload, ReadPayload(txn.state(), txn.space(), seq));
  if (!payload) {
    return Refuse(Rule::kCompacted,
                  fmt::format("The text that entry {} brought is no longer kept.", seq));
  }
  return std::move(*payload);
}

}  // namespace perdure
