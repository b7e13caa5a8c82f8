#include "engine/decide/rules.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/apply/memory_fold.h"
#include "engine/apply/place_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/refusal.h"

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

std::unexpected<Error> NoSuchMemory(const Uuid& id) {
  return Refuse(Rule::kNoMemory,
                fmt::format("There is no memory {} that this token may see. memory_list shows "
                            "those there are.",
                            ToString(id)),
                "id");
}

// Where the file lies that a memory mirrors: its folder and, in the metadata, its path from there.
std::string FileOf(const fb::Payload& label) {
  std::string file = label.source() ? label.source()->str() : std::string();
  if (!label.metadata()) return file;
  const auto metadata = nlohmann::json::parse(label.metadata()->string_view(), nullptr, false);
  if (!metadata.is_object() || !metadata.contains("file")) return file;
  return file + "/" + metadata["file"].get<std::string>();
}

// Whether the store takes this write: it mirrors no folder, or the folder asks.
Result<bool> MayFill(const Transaction& txn, Seq store) {
  if (store == 0) return true;
  ASSIGN_OR_RETURN(const auto node, ReadNode(txn.state(), txn.space(), store));
  if (!node || node->source == 0) return true;
  return txn.options().source == node->source && txn.principal().Has(kOperator);
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

Result<fb::MemoryRecordT> FindMemory(const Transaction& txn, const Uuid& id) {
  ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), id));
  if (!record) return NoSuchMemory(id);
  const Principal& principal = txn.principal();
  ASSIGN_OR_RETURN(const bool inside, MayReach(txn, record->scope));
  if (!inside) return NoSuchMemory(id);
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

Status RequireEditable(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const bool open, MayFill(txn, record.store));
  if (open) return {};
  ASSIGN_OR_RETURN(const PayloadRow label, RequirePayload(txn, record.label_seq));
  return Refuse(Rule::kMirror,
                fmt::format("This memory mirrors the file '{}'. Change the file; the memory "
                            "follows.",
                            FileOf(*label)),
                "id");
}

Status RequireMayFill(const Transaction& txn, Seq store) {
  ASSIGN_OR_RETURN(const bool open, MayFill(txn, store));
  if (open) return {};
  return Refuse(Rule::kMirror,
                "This store mirrors a folder. Add a file there, or use another store.", "store");
}

Status RequireMayRewrite(const Transaction& txn, const fb::MemoryRecordT& record) {
  if (record.is_record) {
    return Refuse(Rule::kRecord,
                  "This memory is a record, which nobody rewrites. Store the correction as a new "
                  "memory with supersedes.",
                  "id");
  }
  return RequireEditable(txn, record);
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
