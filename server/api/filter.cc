#include "server/api/filter.h"

#include <fmt/format.h>

#include "server/api/json.h"
#include "server/api/requests.h"

namespace perdure {

Result<DescriptionFilter> DescribedOf(const nlohmann::json& arguments) {
  DescriptionFilter read;
  const auto it = arguments.find("filter");
  if (it == arguments.end()) return read;
  const nlohmann::json& filter = *it;
  ASSIGN_OR_RETURN(read.happened_from, TimeOf(filter, "happened_from", "filter.happened_from"));
  ASSIGN_OR_RETURN(read.happened_until, TimeOf(filter, "happened_until", "filter.happened_until"));
  if (read.happened_from && read.happened_until && *read.happened_from >= *read.happened_until) {
    constexpr const char* kField = "filter.happened_until";
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" must lie after its beginning, but {} is not after {}", kField,
                            FormatTime(*read.happened_until), FormatTime(*read.happened_from)),
                kField);
  }
  read.source = TextOf(filter, "source");
  if (const auto metadata = filter.find("metadata"); metadata != filter.end()) {
    ASSIGN_OR_RETURN(read.metadata, MetadataFilter::Parse(DumpJson(*metadata), "filter.metadata"));
  }
  return read;
}

}  // namespace perdure
