// A store in memory with the durability of the real one: batches are appended to a log in the
// kernel's cache, reach the disk when it is synced, and are readable once they are applied. A power
// cut leaves what was synced and a first part of what was not, in whole batches: RocksDB drops a
// torn record by its checksum, which the power-cut tests show on the real store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/log/tail.h"
#include "engine/storage/state.h"
#include "simulation/chance.h"

namespace perdure::simulation {

class VirtualDisk final : public StateReader {
 public:
  struct Batch {
    std::uint64_t number = 0;  // of its group, in the order of decision
    std::vector<Mutation> mutations;
  };
  // A record's versions by time, newest first; nullopt for a deletion.
  using Versions = std::map<Micros, std::optional<std::string>, std::greater<>>;
  using Rows = std::map<std::string, std::string, std::less<>>;

  // --- Reading: the latest version of each state, or that of a time.
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override;
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override;
  Result<std::optional<std::string>> Get(Family family, std::string_view key, Micros as_of) const;
  Status Scan(Family family, std::string_view from, std::string_view to, Micros as_of,
              const Visitor& visit) const;
  LastSeqs Last(SpaceId space) const;
  const std::map<std::string, Versions, std::less<>>& states() const { return states_; }
  const Rows& rows() const { return rows_[static_cast<int>(Family::kRows)]; }

  // --- Writing
  void Append(Batch batch) { unsynced_.push_back(std::move(batch)); }
  // Returns what became durable.
  std::span<const Batch> Sync();
  void Apply(std::span<const Mutation> mutations);  // readable

  // --- The end of a life. What is left is readable and durable; returns what of it was not synced.
  std::span<const Batch> Reboot(std::size_t unsynced_kept);
  std::size_t unsynced() const { return unsynced_.size(); }
  // A bug: the first part of a batch, which Reboot would drop, stays.
  void Tear(std::size_t mutations_kept);

 private:
  const std::string* Find(Family family, std::string_view key, Micros as_of) const;

  std::vector<Batch> durable_;
  std::vector<Batch> unsynced_;
  std::map<std::string, Versions, std::less<>> states_;  // kState
  Rows rows_[kFamilies];                                 // the others
};

// The disk as of one time, which must outlive it.
class DiskView final : public StateReader {
 public:
  DiskView(const VirtualDisk& disk, Micros as_of) : disk_(disk), as_of_(as_of) {}
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return disk_.Get(family, key, as_of_);
  }
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override {
    return disk_.Scan(family, from, to, as_of_, visit);
  }

 private:
  const VirtualDisk& disk_;
  Micros as_of_;
};

}  // namespace perdure::simulation
