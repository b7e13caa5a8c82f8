#include "engine/read/sources.h"

#include "engine/apply/place_fold.h"
#include "engine/decide/containers.h"
#include "engine/log/entry.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

using Records = std::vector<std::pair<Seq, fb::SourceRecordT>>;

Result<Records> InForce(const ReadView& view) {
  const std::string prefix = tables::SourcePrefix(view.space());
  Records records;
  Status malformed;
  RETURN_IF_ERROR(view.then().Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        auto record = Unpack<fb::SourceRecordT>(value);
        if (!record) malformed = std::unexpected(record.error());
        if (record && record->removed_seq == 0) {
          records.emplace_back(ReadBigEndian(key.substr(prefix.size())), std::move(*record));
        }
        return malformed.has_value();
      }));
  RETURN_IF_ERROR(malformed);
  return records;
}

}  // namespace

Result<std::vector<SourceInfo>> ListSources(const ReadView& view) {
  if (!view.principal().Has(kOperator) || !view.principal().scope.empty()) {
    return Fail(Code::kForbidden,
                "Sources are for operators: use a token with that role, without a scope.");
  }
  ASSIGN_OR_RETURN(const Records records, InForce(view));
  std::vector<SourceInfo> sources;
  for (const auto& [seq, record] : records) {
    SourceInfo& info = sources.emplace_back();
    info.source = seq;
    ASSIGN_OR_RETURN(const auto node, ReadNode(view.now(), view.space(), record.store));
    if (!node) return Fail(Code::kCorrupt, "A source has no store. Run `perdure replay`.");
    ASSIGN_OR_RETURN(info.store, NameOf(view.now(), view.space(), record.store, *node));
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(view.now(), view.space(), seq));
    info.added = entry->record_time();
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(view.now(), view.space(), seq));
    if (!payload) continue;
    if ((*payload)->source()) info.root = (*payload)->source()->str();
    if ((*payload)->settings()) info.settings = (*payload)->settings()->str();
  }
  return sources;
}

}  // namespace perdure
