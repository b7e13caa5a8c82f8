#include "engine/decide/twins.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/base/bytes.h"
#include "engine/base/canonical.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// Every memory of the space that is not erased and that `wanted` takes.
Result<std::vector<Member>> Wanted(
    const Transaction& txn, const std::function<Result<bool>(const fb::MemoryRecordT&)>& wanted) {
  std::vector<Member> members;
  const std::string prefix = tables::MemoryPrefix(txn.space());
  Status failed;
  const auto take = [&](std::string_view key, std::string_view value) -> Status {
    ASSIGN_OR_RETURN(auto record, Unpack<fb::MemoryRecordT>(value));
    if (record.state == fb::MemoryState::erased) return {};
    ASSIGN_OR_RETURN(const bool is_wanted, wanted(record));
    if (is_wanted)
      members.push_back({*UuidFromBytes(key.substr(prefix.size())), std::move(record)});
    return {};
  };
  RETURN_IF_ERROR(txn.state().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                   [&](std::string_view key, std::string_view value) {
                                     failed = take(key, value);
                                     return failed.has_value();
                                   }));
  RETURN_IF_ERROR(failed);
  return members;
}

// False when the text cannot be any of `said` in canonical form, by its beginning: the canonical
// form of a long text outside ASCII costs milliseconds. What stands near the cut may come out
// otherwise than in the whole.
Result<bool> MayBe(const std::set<std::string>& said, std::string_view text) {
  constexpr std::size_t kBeginningBytes = 96;
  constexpr std::size_t kNearTheCutBytes = 32;
  if (text.size() <= 2 * kBeginningBytes) return true;
  ASSIGN_OR_RETURN(std::string beginning, Canonical(CutAtGrapheme(text, kBeginningBytes)));
  beginning.resize(beginning.size() - std::min(beginning.size(), kNearTheCutBytes));
  return std::ranges::any_of(said,
                             [&](const std::string& one) { return one.starts_with(beginning); });
}

// What a memory says, as it was written; empty when it is compacted.
Result<std::string> TextOf(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(txn.state(), txn.space(), record.text_seq));
  if (!payload || !(*payload)->text()) return std::string();
  return (*payload)->text()->str();
}

}  // namespace

Result<std::string> SaidBy(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(txn, record));
  return Canonical(text);
}

Result<Twins> TwinsOf(const Transaction& txn, const std::vector<std::string>& texts,
                      const std::function<Result<bool>(const fb::MemoryRecordT&)>& wanted) {
  const std::set<std::string> said(texts.begin(), texts.end());
  ASSIGN_OR_RETURN(std::vector<Member> members, Wanted(txn, wanted));
  Twins twins;
  for (Member& member : members) {
    ASSIGN_OR_RETURN(const std::string written, TextOf(txn, member.record));
    ASSIGN_OR_RETURN(const bool may_be, MayBe(said, written));
    if (!may_be) continue;
    ASSIGN_OR_RETURN(std::string text, Canonical(written));
    if (!text.empty() && said.contains(text)) twins.emplace(std::move(text), std::move(member));
  }
  return twins;
}

}  // namespace perdure
