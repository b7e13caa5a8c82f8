#include "engine/read/links.h"

#include "engine/log/entry.h"
#include "engine/model/tables.h"

namespace perdure {

Result<std::vector<LinkInfo>> ReadLinks(const ReadView& view, const Uuid& id) {
  RETURN_IF_ERROR(view.Get(id));
  std::vector<LinkInfo> all;
  const std::string prefix = tables::LinkPrefix(view.space(), id);
  Status malformed;
  RETURN_IF_ERROR(view.then().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                   [&](std::string_view key, std::string_view value) {
                                     const auto link = Unpack<fb::LinkRecordT>(value);
                                     if (!link) malformed = std::unexpected(link.error());
                                     if (link) {
                                       all.push_back({ReadBigEndian(key.substr(prefix.size())),
                                                      link->record_time,
                                                      FromId(link->from),
                                                      FromId(link->to),
                                                      {}});
                                     }
                                     return malformed.has_value();
                                   }));
  RETURN_IF_ERROR(malformed);
  std::vector<LinkInfo> links;
  for (LinkInfo& link : all) {
    ASSIGN_OR_RETURN(const bool shown, view.MaySee(link.from == id ? link.to : link.from));
    if (!shown) continue;
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(view.now(), view.space(), link.link));
    if (!payload || !(*payload)->type()) continue;  // erased with one of its ends
    link.type = (*payload)->type()->str();
    links.push_back(std::move(link));
  }
  return links;
}

}  // namespace perdure
