#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/decide/rules.h"
#include "engine/model/tables.h"
#include "engine/read/read_view.h"

namespace perdure {
namespace {

Result<std::string> NameOfNode(const StateReader& reader, SpaceId space, Seq node) {
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, space, node));
  if (!payload || !(*payload)->name()) return std::string("(erased)");
  return (*payload)->name()->str();
}

}  // namespace

ReadView::ReadView(Source source)
    : in_(std::move(source)), then_(*in_.store, in_.as_of), now_(*in_.store, in_.watermark) {}

Result<std::optional<fb::ScopeRef>> ReadView::ResolveScope(
    const std::optional<ScopePath>& scope) const {
  const ScopePath& path = scope ? *scope : in_.principal.scope;
  if (!IsWithin(path, in_.principal.scope)) {
    return Fail(Code::kForbidden,
                fmt::format("The scope '{}' lies outside this token's scope '{}'. Leave scope out "
                            "to read all that the token may see.",
                            FormatScope(path), FormatScope(in_.principal.scope)),
                "scope");
  }
  return FindScope(now_, in_.space, *in_.secret, path);
}

Result<ScopePath> ReadView::NameScope(const fb::ScopeRef& scope) const {
  ScopePath path;
  for (Seq node = scope.container(); node != 0;) {
    ASSIGN_OR_RETURN(std::string name, NameOfNode(now_, in_.space, node));
    path.containers.push_back(std::move(name));
    ASSIGN_OR_RETURN(const auto bytes,
                     now_.Get(Family::kState, tables::ScopeNode(in_.space, node)));
    if (!bytes) break;
    ASSIGN_OR_RETURN(const auto record, Unpack<fb::ScopeNodeRecordT>(*bytes));
    node = record.parent;
  }
  std::reverse(path.containers.begin(), path.containers.end());
  if (scope.user() != 0) {
    ASSIGN_OR_RETURN(path.user, NameOfNode(now_, in_.space, scope.user()));
  }
  if (scope.agent() != 0) {
    ASSIGN_OR_RETURN(path.agent, NameOfNode(now_, in_.space, scope.agent()));
  }
  if (scope.run() != 0) {
    ASSIGN_OR_RETURN(path.run, NameOfNode(now_, in_.space, scope.run()));
  }
  return path;
}

}  // namespace perdure
