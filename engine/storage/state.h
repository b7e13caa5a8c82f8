// What decide and apply see of the store: keys and values, read and written through one interface,
// whether they sit on disk at some record time or in a group that is not written yet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

enum class Family : std::uint8_t { kMeta, kLog, kPayload, kTree, kRows, kState };
inline constexpr int kFamilies = 6;

// Called with each pair in key order; returns whether to go on.
using Visitor = std::function<bool(std::string_view key, std::string_view value)>;

class StateReader {
 public:
  virtual ~StateReader() = default;
  virtual Result<std::optional<std::string>> Get(Family family, std::string_view key) const = 0;
  // Visits the keys in [from, to); an empty `to` means to the end of the family.
  virtual Status Scan(Family family, std::string_view from, std::string_view to,
                      const Visitor& visit) const = 0;
};

struct Mutation {
  Family family;
  std::string key;
  std::optional<std::string> value;  // nullopt deletes
  std::int64_t time;                 // the record time of a kState mutation
};

// Where groups of mutations become durable: the store, or a disk that a test controls.
class StateWriter {
 public:
  virtual ~StateWriter() = default;
  // All or nothing; on disk when it returns, if `sync`. After a failure every later call fails.
  virtual Status Write(std::span<const Mutation> mutations, bool sync) = 0;
  // Makes earlier writes without `sync` durable.
  virtual Status SyncLog() = 0;
};

// Writes that lie over a base and are read through. The base must outlive it. Not thread-safe.
class Overlay final : public StateReader {
 public:
  explicit Overlay(const StateReader& base) : base_(&base) {}
  // To lie over another overlay, pass it as a StateReader: a copy would be something else.
  Overlay(const Overlay&) = delete;
  Overlay(Overlay&&) = default;
  // From here on lies over `base`, which must hold what the base so far held.
  void Rebase(const StateReader& base) { base_ = &base; }

  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override;
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override;

  void Put(Family family, std::string key, std::string value, std::int64_t time);
  void Delete(Family family, std::string key, std::int64_t time);

  // The writes in the order they were made.
  const std::vector<Mutation>& mutations() const { return mutations_; }
  // Moves every write of `upper`, an overlay over this one, down into this one.
  void Absorb(Overlay&& upper);
  // Forgets all writes: the base has taken them.
  void Clear();

 private:
  void Record(Mutation mutation);

  const StateReader* base_;
  std::vector<Mutation> mutations_;
  std::map<std::string, std::size_t, std::less<>> latest_[kFamilies];  // key -> its last mutation
};

}  // namespace perdure
