#include "engine/read/description.h"

#include "engine/log/entry.h"

namespace perdure {

Result<std::optional<Description>> ReadDescription(const StateReader& reader, SpaceId space,
                                                   Seq label_seq, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, space, label_seq));
  if (!payload) return std::nullopt;
  Description description;
  const auto* metadata = (*payload)->metadata();
  if (const auto* source = (*payload)->source()) description.source = source->str();
  description.metadata = ParseMetadata(metadata ? metadata->string_view() : "");
  description.happened = record.reference_time.value_or(record.created_time);
  // A tree takes about four times the bytes of its text.
  description.bytes = 128 + description.source.size() + (metadata ? 4 * metadata->size() : 0);
  return description;
}

bool Matches(const DescriptionFilter& filter, const Description& description) {
  return (!filter.happened_from || *filter.happened_from <= description.happened) &&
         (!filter.happened_until || description.happened < *filter.happened_until) &&
         (filter.source.empty() || filter.source == description.source) &&
         filter.metadata.Matches(*description.metadata);
}

}  // namespace perdure
