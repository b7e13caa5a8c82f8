// Scopes and containers as tests write them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/read/tree.h"
#include "engine/replay/replay.h"
#include "support/test_engine.h"

namespace perdure::testing {

inline ScopePath At(std::string_view scope) { return *ParseScope(scope, "scope"); }

inline NoteDraft NoteAt(std::string_view scope, std::string text) {
  NoteDraft draft = Note(std::move(text));
  draft.scope = At(scope);
  return draft;
}

// The paths of the tree as `principal` sees it.
inline std::set<std::string> PathsOf(TestEngine& engine, const ReadAt& at = {},
                                     const Principal& principal = With(kReviewer)) {
  const auto view = engine->Read(principal, at);
  EXPECT_THAT(view, IsOk());
  const auto tree = ReadTree(*view, std::nullopt);
  EXPECT_THAT(tree, IsOk());
  std::set<std::string> paths;
  for (const ContainerInfo& container : tree->containers) paths.insert(FormatScope(container.path));
  return paths;
}

// How many memories default reads show in the scope.
inline std::uint64_t CountAt(TestEngine& engine, std::string_view scope, const ReadAt& at = {},
                             bool exact = false, const Principal& principal = With(kReviewer)) {
  const auto view = engine->Read(principal, at);
  EXPECT_THAT(view, IsOk());
  ListFilter filter;
  filter.scope = At(scope);
  filter.scope_exact = exact;
  const auto page = view->List(filter, 1, "");
  EXPECT_THAT(page, IsOk());
  return page ? page->total : 0;
}

// The store is what its log says.
inline void ExpectReplays(TestEngine& engine) {
  const TempDir scratch;
  const auto report = Replay(*engine, scratch.path() + "/replay");
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->difference, "");
}

}  // namespace perdure::testing
