#include <fmt/format.h>

#include <algorithm>

#include "engine/apply/place_fold.h"
#include "engine/decide/containers.h"
#include "engine/decide/rules.h"
#include "engine/read/read_view.h"

namespace perdure {
namespace {

constexpr std::string_view kErasedName = "(erased)";

Result<std::string> NameOfNode(const StateReader& reader, SpaceId space, Seq node) {
  ASSIGN_OR_RETURN(const auto record, ReadNode(reader, space, node));
  if (!record) return std::string(kErasedName);
  ASSIGN_OR_RETURN(std::string name, NameOf(reader, space, node, *record));
  return name.empty() ? std::string(kErasedName) : name;
}

}  // namespace

ReadView::ReadView(Source source)
    : in_(std::move(source)), then_(*in_.store, in_.as_of), now_(*in_.store, in_.watermark) {}

Result<std::optional<fb::ScopeRef>> ReadView::ResolveScope(
    const std::optional<ScopePath>& scope) const {
  const ScopePath& path = scope ? *scope : in_.principal.scope;
  ASSIGN_OR_RETURN(const bool own,
                   PathLiesWithin(now_, in_.space, *in_.secret, path, in_.principal.scope));
  if (!own) {
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
    // As it was called and lay then; a place that was made since is as it is.
    ASSIGN_OR_RETURN(auto record, ReadNode(then_, in_.space, node));
    if (!record) {
      ASSIGN_OR_RETURN(record, ReadNode(now_, in_.space, node));
    }
    if (!record) {
      path.containers.emplace_back(kErasedName);
      break;
    }
    ASSIGN_OR_RETURN(std::string name, NameOf(now_, in_.space, node, *record));
    path.containers.push_back(name.empty() ? std::string(kErasedName) : std::move(name));
    node = record->parent;
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
