// What a list or a search may ask of a memory beyond its record and labels: where it is from, when
// it happened, its metadata.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/read/metadata_filter.h"
#include "engine/read/read_view.h"

namespace perdure {

// Empty members do not filter.
struct DescriptionFilter {
  std::optional<Micros> happened_from;  // half-open; the reference time, else when it was stored
  std::optional<Micros> happened_until;
  std::string source;
  MetadataFilter metadata;

  bool admits_all() const {
    return !happened_from && !happened_until && source.empty() && metadata.admits_all();
  }
};

// Of one version, immutable as the payload that it was read from.
struct Description {
  std::string source;
  std::shared_ptr<const nlohmann::json> metadata;  // an object
  Micros happened = 0;
  std::size_t bytes = 0;  // about, in memory
};

// nullopt when the payload is gone. `record` is the memory's, at any time after the version. Cost:
// a point read and a parse.
Result<std::optional<Description>> ReadDescription(const StateReader& reader, SpaceId space,
                                                   Seq label_seq, const fb::MemoryRecordT& record);

bool Matches(const DescriptionFilter& filter, const Description& description);

// ReadView::List of those whose description fits, too: same order, same errors; a cursor is of a
// view of the same time. Cost: beside the scan, a point read for each memory that `filter` admits.
Result<MemoryPage> ListDescribed(const ReadView& view, const ListFilter& filter,
                                 const DescriptionFilter& described, std::size_t limit,
                                 std::string_view cursor);

}  // namespace perdure
