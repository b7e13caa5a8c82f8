// Which chunks one search may see: ReadView's rules for a list, answered from the columns.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/decide/command.h"
#include "engine/proof/keys.h"
#include "engine/read/read_view.h"
#include "index/search/columns.h"
#include "index/search/described.h"

namespace perdure {

// The columns must outlive it. Cheap and pure; callable from any thread.
class Visibility {
 public:
  // As `view` sees it. The errors of ReadView::ResolveScope.
  // What `described` asks, which the columns do not know, `cache` answers; it and the view must
  // outlive the result then, and one thread at a time may ask.
  static Result<Visibility> Of(const Columns& columns, const ReadView& view, const Secret& secret,
                               const ListFilter& filter, const DescriptionFilter& described,
                               DescribedCache& cache);

  // False when no chunk at all can be visible: a label or scope that nothing has.
  bool possible() const { return possible_; }
  bool Admits(std::uint64_t chunk) const;
  // Whether the memory's chunks at the view's time are admitted.
  bool AdmitsMemory(std::uint32_t memory) const;
  // The version of the memory that is shown at the view's time; the memory must be admitted.
  std::uint32_t VersionOf(std::uint32_t memory) const;

  // About how many of the space's chunks it admits, how many of these are turns of conversations,
  // and the bytes of all their texts: exact for small spaces, else from a sample that depends on
  // the number of chunks alone.
  struct Survey {
    std::size_t chunks = 0;
    std::size_t turns = 0;
    std::uint64_t bytes = 0;
  };
  Survey Look() const;

  // Why the store could not be asked, if so: then nothing that is left out is known to be rightly.
  const Status& failure() const { return failure_; }

 private:
  struct Inside {  // a subtree; 0 does not narrow
    std::uint32_t container = 0;
    Seq user = 0;
    Seq agent = 0;
    Seq run = 0;
    std::vector<bool> below;  // by container, once one was moved: whether it lies in the subtree
  };
  Visibility(const Columns& columns, ListFilter filter)
      : columns_(&columns), filter_(std::move(filter)) {}
  Result<std::optional<Inside>> InsideOf(const fb::ScopeRef& scope, const StateReader& reader,
                                         SpaceId space) const;
  bool Contains(const Inside& outer, std::uint32_t scope) const;
  bool AdmitsState(const rows::State& then, const rows::Memory& memory) const;
  bool AdmitsStates(const rows::State& then, const rows::State& now, std::uint32_t memory) const;
  bool AdmitsNow(const rows::State& then, const rows::State& now) const;
  bool AdmitsDescribed(std::uint32_t version) const;
  void RequireLabel(const Secret& secret, std::string_view kind, std::string_view label);

  const Columns* columns_;
  ListFilter filter_;
  Micros as_of_ = 0;
  Micros valid_at_ = 0;
  bool possible_ = true;
  bool sees_hidden_ = false;
  std::uint32_t states_ = 0;  // bit n: fb::MemoryState n is asked for; 0: what default reads show
  std::uint32_t genres_ = 0;  // bit n: fb::Genre n is admitted
  std::optional<std::uint32_t> store_;    // row of containers
  std::optional<std::uint32_t> exactly_;  // the container, where the filter names it alone
  std::optional<Inside> then_;
  std::optional<Inside> now_;
  std::vector<std::uint32_t> labels_;
  DescriptionFilter described_;
  DescribedCache* cache_ = nullptr;  // nullptr: the columns know all that is asked
  const ReadView* view_ = nullptr;
  mutable std::unordered_map<std::uint32_t, bool> admitted_;  // by row of versions
  mutable Status failure_;
};

}  // namespace perdure
