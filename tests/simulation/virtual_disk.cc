#include "simulation/virtual_disk.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "engine/model/tables.h"

namespace perdure::simulation {
namespace {

constexpr Micros kEver = std::numeric_limits<Micros>::max();

const std::string* At(const VirtualDisk::Versions& versions, Micros as_of) {
  const auto found = versions.lower_bound(as_of);  // the newest one that is not later
  return found != versions.end() && found->second ? &*found->second : nullptr;
}

Seq LastSeq(const VirtualDisk::Rows& rows, const std::string& prefix) {
  const auto end = rows.lower_bound(PrefixEnd(prefix));
  if (end == rows.begin()) return 0;
  const std::string& key = std::prev(end)->first;
  return key.starts_with(prefix) ? ReadBigEndian(std::string_view(key).substr(prefix.size())) : 0;
}

template <typename Map, typename ValueOf>
void ScanMap(const Map& map, std::string_view from, std::string_view to, const Visitor& visit,
             ValueOf value_of) {
  const auto end = to.empty() ? map.end() : map.lower_bound(to);
  for (auto at = map.lower_bound(from); at != end; ++at) {
    const std::string* value = value_of(at->second);
    if (value != nullptr && !visit(at->first, *value)) return;
  }
}

}  // namespace

const std::string* VirtualDisk::Find(Family family, std::string_view key, Micros as_of) const {
  if (family == Family::kState) {
    const auto found = states_.find(key);
    return found == states_.end() ? nullptr : At(found->second, as_of);
  }
  const Rows& rows = rows_[static_cast<int>(family)];
  const auto found = rows.find(key);
  return found == rows.end() ? nullptr : &found->second;
}

Result<std::optional<std::string>> VirtualDisk::Get(Family family, std::string_view key,
                                                    Micros as_of) const {
  const std::string* value = Find(family, key, as_of);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Result<std::optional<std::string>> VirtualDisk::Get(Family family, std::string_view key) const {
  return Get(family, key, kEver);
}

Status VirtualDisk::Scan(Family family, std::string_view from, std::string_view to, Micros as_of,
                         const Visitor& visit) const {
  if (family == Family::kState) {
    ScanMap(states_, from, to, visit, [as_of](const Versions& v) { return At(v, as_of); });
  } else {
    ScanMap(rows_[static_cast<int>(family)], from, to, visit,
            [](const std::string& value) { return &value; });
  }
  return {};
}

Status VirtualDisk::Scan(Family family, std::string_view from, std::string_view to,
                         const Visitor& visit) const {
  return Scan(family, from, to, kEver, visit);
}

LastSeqs VirtualDisk::Last(SpaceId space) const {
  return {LastSeq(rows_[static_cast<int>(Family::kLog)], Key().U32(space).Take()),
          LastSeq(rows_[static_cast<int>(Family::kMeta)], tables::TreeHeadPrefix(space))};
}

std::span<const VirtualDisk::Batch> VirtualDisk::Sync() {
  const std::size_t before = durable_.size();
  std::ranges::move(unsynced_, std::back_inserter(durable_));
  unsynced_.clear();
  return std::span<const Batch>(durable_).subspan(before);
}

void VirtualDisk::Apply(std::span<const Mutation> mutations) {
  for (const Mutation& mutation : mutations) {
    if (mutation.family == Family::kState) {
      states_[mutation.key][mutation.time] = mutation.value;
    } else if (mutation.value) {
      rows_[static_cast<int>(mutation.family)][mutation.key] = *mutation.value;
    } else {
      rows_[static_cast<int>(mutation.family)].erase(mutation.key);
    }
  }
}

std::span<const VirtualDisk::Batch> VirtualDisk::Reboot(std::size_t unsynced_kept) {
  unsynced_.resize(std::min(unsynced_kept, unsynced_.size()));
  const std::span<const Batch> kept = Sync();
  states_.clear();
  for (Rows& rows : rows_) rows.clear();
  for (const Batch& batch : durable_) Apply(batch.mutations);
  return kept;
}

void VirtualDisk::Tear(std::size_t mutations_kept) {
  if (unsynced_.empty()) return;
  std::vector<Mutation>& torn = unsynced_.front().mutations;
  torn.resize(std::min(torn.size(), mutations_kept), Mutation{});
}

}  // namespace perdure::simulation
