#include "engine/storage/state.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perdure {

Result<std::optional<std::string>> Overlay::Get(Family family, std::string_view key) const {
  const auto& latest = latest_[static_cast<int>(family)];
  if (auto found = latest.find(key); found != latest.end()) return mutations_[found->second].value;
  return base_->Get(family, key);
}

Status Overlay::Scan(Family family, std::string_view from, std::string_view to,
                     const Visitor& visit) const {
  const auto& latest = latest_[static_cast<int>(family)];
  auto own = latest.lower_bound(from);
  const auto own_end = to.empty() ? latest.end() : latest.lower_bound(to);
  bool go_on = true;
  const auto visit_own = [&] {
    const Mutation& mutation = mutations_[own->second];
    if (mutation.value) go_on = visit(mutation.key, *mutation.value);
    ++own;
  };
  RETURN_IF_ERROR(base_->Scan(family, from, to, [&](std::string_view key, std::string_view value) {
    while (go_on && own != own_end && own->first < key) visit_own();
    if (!go_on) return false;
    if (own != own_end && own->first == key) {
      visit_own();
    } else {
      go_on = visit(key, value);
    }
    return go_on;
  }));
  while (go_on && own != own_end) visit_own();
  return {};
}

void Overlay::Put(Family family, std::string key, std::string value, std::int64_t time) {
  Record({family, std::move(key), std::move(value), time});
}

void Overlay::Delete(Family family, std::string key, std::int64_t time) {
  Record({family, std::move(key), std::nullopt, time});
}

void Overlay::Absorb(Overlay&& upper) {
  const std::size_t offset = mutations_.size();
  std::ranges::move(upper.mutations_, std::back_inserter(mutations_));
  upper.mutations_.clear();
  for (std::size_t family = 0; family < kFamilies; ++family) {
    auto& from = upper.latest_[family];
    while (!from.empty()) {
      auto node = from.extract(from.begin());
      node.mapped() += offset;
      const auto placed = latest_[family].insert(std::move(node));
      if (!placed.inserted) placed.position->second = placed.node.mapped();
    }
  }
}

void Overlay::Clear() {
  mutations_.clear();
  for (auto& latest : latest_) latest.clear();
}

void Overlay::Record(Mutation mutation) {
  latest_[static_cast<int>(mutation.family)][mutation.key] = mutations_.size();
  mutations_.push_back(std::move(mutation));
}

}  // namespace perdure
