#include "engine/read/facts.h"

#include <algorithm>
#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/rules.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

constexpr std::size_t kScopeBytes = 32;

// Whether one of the scopes in which a fact said its words, as their row lists them, is inside.
Result<bool> EverInside(const ReadView& view, const fb::ScopeRef& scope, std::string_view scopes) {
  for (; scopes.size() >= kScopeBytes; scopes.remove_prefix(kScopeBytes)) {
    const auto part = [&](std::size_t at) { return ReadBigEndian(scopes.substr(8 * at, 8)); };
    const fb::ScopeRef one(part(0), part(1), part(2), part(3));
    ASSIGN_OR_RETURN(const bool inside, ScopeContains(view.now(), view.space(), scope, one));
    if (inside) return true;
  }
  return false;
}

// The facts found by the query's words that are in `scope`, or were.
Result<std::set<Uuid>> FoundIn(const ReadView& view, const FactQuery& query,
                               const fb::ScopeRef& scope) {
  const FactWords words = FactWords::Of(query.subject, query.predicate, {});
  const ValueKey key = query.predicate.empty()
                           ? SubjectKey(view.secret(), words.subject)
                           : SlotKey(view.secret(), words.subject, words.predicate);
  const std::string prefix = tables::ValuePrefix(view.space(), key);
  std::set<Uuid> found;
  Status failed;
  RETURN_IF_ERROR(view.now().Scan(Family::kRows, prefix, PrefixEnd(prefix),
                                  [&](std::string_view row, std::string_view value) {
                                    const auto inside = EverInside(view, scope, value);
                                    if (!inside) {
                                      failed = std::unexpected(inside.error());
                                    } else if (*inside) {
                                      found.insert(*UuidFromBytes(row.substr(prefix.size(), 16)));
                                    }
                                    return failed.has_value();
                                  }));
  RETURN_IF_ERROR(failed);
  return found;
}

// Whether the fact was about the subject then: its other end is found by rows of any time.
bool IsAbout(const Memory& fact, std::string_view subject) {
  if (fact.record.symmetric) return true;
  return FactWords::Of(fact.subject, {}, {}).subject == FactWords::Of(subject, {}, {}).subject;
}

bool Stood(fb::MemoryState state) {
  return state == fb::MemoryState::live || state == fb::MemoryState::superseded ||
         state == fb::MemoryState::archived || state == fb::MemoryState::disputed;
}

}  // namespace

Result<FactAnswer> FactsAbout(const ReadView& view, const FactQuery& query) {
  FactAnswer answer;
  ASSIGN_OR_RETURN(const auto scope, view.ResolveScope(query.scope));
  if (!scope) return answer;
  ASSIGN_OR_RETURN(const std::set<Uuid> found, FoundIn(view, query, *scope));
  for (const Uuid& id : found) {
    auto memory = view.Get(id);
    if (!memory) {
      const Code code = memory.error().code;
      if (code == Code::kNotFound || code == Code::kErased || code == Code::kCompacted) continue;
      return std::unexpected(memory.error());
    }
    const fb::MemoryRecordT& record = memory->record;
    if (record.genre != fb::Genre::factual || !IsAbout(*memory, query.subject)) continue;
    ASSIGN_OR_RETURN(const bool inside,
                     ScopeContains(view.now(), view.space(), *scope, record.scope));
    if (!inside) continue;
    if (query.history && Stood(record.state)) answer.chain.push_back(*memory);
    if (memory->valid && IsShownByDefault(record, view.valid_at())) {
      answer.facts.push_back(*std::move(memory));
    }
  }
  std::ranges::reverse(answer.facts);
  return answer;
}

}  // namespace perdure
