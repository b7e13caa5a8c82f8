#include "engine/replay/projections.h"

#include "engine/base/hash.h"
#include "engine/storage/keys.h"

namespace perdure {

Status WalkProjections(
    const Store& store, Micros horizon,
    const std::function<void(std::string_view label, std::string_view value)>& visit) {
  std::string current;
  bool settled = false;  // the newest version at or below the horizon was visited
  RETURN_IF_ERROR(store.ScanVersions(
      "", "", [&](std::string_view key, std::int64_t time, std::optional<std::string_view> value) {
        if (key != current) {
          current = key;
          settled = false;
        }
        if (settled) return true;
        settled = time <= horizon;
        // A deletion at the bottom says the same as no version at all.
        if (settled && !value) return true;
        std::string label = "state ";
        label += key;
        if (!settled) label += Key().U64(static_cast<std::uint64_t>(time)).Take();
        label += value ? "+" : "-";
        visit(label, value.value_or(""));
        return true;
      }));
  return store.Scan(Family::kRows, "", "", kLatest,
                    [&](std::string_view key, std::string_view value) {
                      visit(std::string("rows ") + std::string(key), value);
                      return true;
                    });
}

Result<ProjectionDigest> DigestOfProjections(const Store& store, Micros horizon) {
  ProjectionDigest digest;
  Sha256Stream stream;
  RETURN_IF_ERROR(
      WalkProjections(store, horizon, [&](std::string_view label, std::string_view value) {
        stream.Update(Key()
                          .U32(static_cast<std::uint32_t>(label.size()))
                          .U32(static_cast<std::uint32_t>(value.size()))
                          .Take());
        stream.Update(label);
        stream.Update(value);
        ++(label.starts_with("rows") ? digest.rows : digest.records);
      }));
  digest.hash = stream.Finish();
  return digest;
}

}  // namespace perdure
