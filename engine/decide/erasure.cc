#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/apply/erase.h"
#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/derived.h"
#include "engine/decide/dispute.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"
#include "engine/decide/twins.h"
#include "engine/model/fact_keys.h"

namespace perdure {
namespace {

std::unexpected<Error> TooManyToErase(std::size_t count) {
  return Refuse(Rule::kTooMany,
                fmt::format("One call erases 1 to {} memories; this one names {}.",
                            limits::kRollbackMemoriesMax, count),
                "ids");
}

// What is to be erased, in order and each once, with the copies of it that stay.
struct Plan {
  std::vector<Uuid> ids;
  std::map<Uuid, std::vector<Uuid>> copies;

  bool Add(const Uuid& id) {
    const bool is_new = copies.try_emplace(id).second;
    if (is_new) ids.push_back(id);
    return is_new;
  }
};

Result<bool> IsErased(const Transaction& txn, const Uuid& id) {
  ASSIGN_OR_RETURN(const auto known, ReadMemory(txn.state(), txn.space(), id));
  return known && known->state == fb::MemoryState::erased;
}

// The memories named, and with `closure` what was made from them and is not erased already.
Result<Plan> Named(const Transaction& txn, const EraseMemories& command) {
  Plan plan;
  for (const Uuid& id : command.ids) {
    plan.Add(id);
    if (!command.closure) continue;
    ASSIGN_OR_RETURN(const std::vector<Uuid> derived, DerivedFrom(txn, id));
    for (const Uuid& one : derived) {
      ASSIGN_OR_RETURN(const bool gone, IsErased(txn, one));
      if (!gone) plan.Add(one);
    }
  }
  return plan;
}

// Facts with the same value that the caller may see, whatever words they are shown in.
Result<std::vector<Uuid>> SameFacts(const Transaction& txn, const fb::MemoryRecordT& record) {
  std::vector<Uuid> same;
  ASSIGN_OR_RETURN(const auto held, ReadPayload(txn.state(), txn.space(), record.text_seq));
  if (record.kind != fb::MemoryKind::fact || !held) return same;
  const auto keys_of = [&](const fb::Payload& words) {
    return RefusedFactKeys(txn.secret(), FactWords::Of(words), record.symmetric);
  };
  const std::vector<ValueKey> wanted = keys_of(**held);
  ASSIGN_OR_RETURN(const auto members, FactsOfSlot(txn, FactWords::Of(**held), record.symmetric));
  for (const Member& member : members) {
    ASSIGN_OR_RETURN(const PayloadRow words, RequirePayload(txn, member.record.text_seq));
    const bool says_so = std::ranges::find(wanted, keys_of(*words).front()) != wanted.end();
    if (says_so && FindMemory(txn, member.id)) same.push_back(member.id);
  }
  return same;
}

// Other memories that say what those of the plan say, wherever the caller may see them.
Status FindCopies(const Transaction& txn, Plan& plan) {
  std::map<std::string, std::vector<Uuid>> said;
  std::vector<std::string> texts;
  const auto add = [&](const Uuid& id, const Uuid& copy) {
    if (!plan.copies.contains(copy)) plan.copies[id].push_back(copy);
  };
  for (const Uuid& id : plan.ids) {
    ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, id));
    ASSIGN_OR_RETURN(std::string text, SaidBy(txn, record));
    texts.push_back(text);
    said[std::move(text)].push_back(id);
    ASSIGN_OR_RETURN(const std::vector<Uuid> facts, SameFacts(txn, record));
    for (const Uuid& fact : facts) add(id, fact);
  }
  const auto any = [](const fb::MemoryRecordT&) -> Result<bool> { return true; };
  ASSIGN_OR_RETURN(const Twins twins, TwinsOf(txn, texts, any));
  for (const auto& [text, twin] : twins) {
    if (!FindMemory(txn, twin.id)) continue;
    for (const Uuid& id : said[text]) add(id, twin.id);
  }
  return {};
}

// The copies are erased as well, instead of being named as what stays.
void TakeCopiesAlong(Plan& plan) {
  std::vector<Uuid> copies;
  for (auto& [id, of] : plan.copies) {
    copies.insert(copies.end(), of.begin(), of.end());
    of.clear();
  }
  for (const Uuid& copy : copies) plan.Add(copy);
}

Status EraseOne(Transaction& txn, const Uuid& id, std::vector<Uuid> copies) {
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, id));
  if (record.state == fb::MemoryState::pending) RETURN_IF_ERROR(SettleDispute(txn, id, record));
  fb::MemoryErasedT event;
  event.memory = ToId(id);
  event.version = record.version;
  ASSIGN_OR_RETURN(event.covered, PayloadsOf(txn.state(), txn.space(), id));
  std::set<Uuid> each(copies.begin(), copies.end());
  for (const Uuid& copy : each) event.copies.push_back(ToId(copy));
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return DisputeDerived(txn, id);
}

// The words of a suppression, and the reason that was given for it.
Status EraseWordsOf(Transaction& txn, Seq suppression) {
  ASSIGN_OR_RETURN([[maybe_unused]] const auto record, RequireSuppression(txn, suppression));
  ASSIGN_OR_RETURN(const auto held, ReadPayload(txn.state(), txn.space(), suppression));
  if (!held) {
    return Refuse(Rule::kErased,
                  fmt::format("The words of suppression {} are gone already.", suppression),
                  "suppressions");
  }
  fb::SuppressionErasedT event;
  event.suppression = suppression;
  event.covered = {suppression};
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace

Status DecideErase(Transaction& txn, const EraseMemories& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Erasing a memory"));
  if (command.ids.empty() && command.suppressions.empty()) return TooManyToErase(0);
  ASSIGN_OR_RETURN(Plan plan, Named(txn, command));
  if (plan.ids.size() > limits::kRollbackMemoriesMax) return TooManyToErase(plan.ids.size());
  RETURN_IF_ERROR(FindCopies(txn, plan));
  if (command.copies) TakeCopiesAlong(plan);
  const std::size_t count = plan.ids.size() + command.suppressions.size();
  if (count > limits::kRollbackMemoriesMax) return TooManyToErase(count);
  for (const Uuid& id : plan.ids) {
    RETURN_IF_ERROR(EraseOne(txn, id, std::move(plan.copies[id])));
  }
  for (const Seq suppression : command.suppressions) {
    RETURN_IF_ERROR(EraseWordsOf(txn, suppression));
  }
  return {};
}

}  // namespace perdure
