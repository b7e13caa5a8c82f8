#include "index/search/visibility.h"

#include "engine/decide/rules.h"
#include "engine/model/labels.h"

namespace perdure {
namespace {

constexpr std::size_t kSample = 2048;

constexpr std::uint32_t Bit(std::uint8_t state) { return std::uint32_t{1} << state; }
constexpr std::uint32_t Bit(fb::MemoryState state) { return Bit(static_cast<std::uint8_t>(state)); }

constexpr std::uint32_t kHidden = Bit(fb::MemoryState::forgotten) | Bit(fb::MemoryState::rejected) |
                                  Bit(fb::MemoryState::pending);

// A live memory whose place is claimed is disputed, too.
std::uint32_t StatesOf(const rows::State& then) {
  const bool is_disputed =
      then.Has(rows::kDisputed) && then.state == static_cast<std::uint8_t>(fb::MemoryState::live);
  return Bit(then.state) | (is_disputed ? Bit(fb::MemoryState::disputed) : 0);
}

bool Within(Micros time, const std::optional<Micros>& from, const std::optional<Micros>& until) {
  return (!from || *from <= time) && (!until || time < *until);
}

}  // namespace

Result<Visibility> Visibility::Of(const Columns& columns, const ReadView& view,
                                  const Secret& secret, const ListFilter& filter,
                                  const DescriptionFilter& described, DescribedCache& cache) {
  Visibility visibility(columns, filter);
  visibility.as_of_ = view.as_of();
  visibility.valid_at_ = view.valid_at();
  visibility.sees_hidden_ = view.principal().Has(kReviewer | kAuditor | kOperator);
  for (const fb::MemoryState state : filter.states) visibility.states_ |= Bit(state);
  visibility.genres_ =
      filter.genres.empty() ? Bit(static_cast<std::uint8_t>(fb::Genre::factual)) : 0;
  for (const fb::Genre genre : filter.genres) {
    visibility.genres_ |= Bit(static_cast<std::uint8_t>(genre));
  }
  ASSIGN_OR_RETURN(const auto asked, view.ResolveScope(filter.scope));
  ASSIGN_OR_RETURN(const auto own, view.ResolveScope(std::nullopt));
  if (!asked || !own) {
    visibility.possible_ = false;
    return visibility;
  }
  if (filter.scope && !filter.scope->empty()) {
    ASSIGN_OR_RETURN(visibility.then_, visibility.InsideOf(*asked, view.then(), view.space()));
    visibility.possible_ &= visibility.then_.has_value();
  }
  if (filter.store) {
    ASSIGN_OR_RETURN(const auto store, FindStore(view.now(), view.space(), secret, *filter.store));
    visibility.store_ = store ? columns.FindContainer(*store) : kNoRow;
    visibility.possible_ &= visibility.store_ != kNoRow;
  }
  if (filter.scope_exact) {
    visibility.exactly_ = columns.FindContainer(asked->container());
    visibility.possible_ &= visibility.exactly_ != kNoRow;
  }
  if (!view.principal().scope.empty()) {
    ASSIGN_OR_RETURN(visibility.now_, visibility.InsideOf(*own, view.now(), view.space()));
    visibility.possible_ &= visibility.now_.has_value();
  }
  for (const std::string& tag : filter.tags) visibility.RequireLabel(secret, "tag", tag);
  visibility.RequireLabel(secret, "type", filter.type);
  visibility.RequireLabel(secret, "theme", filter.theme);
  if (!described.admits_all()) {
    visibility.described_ = described;
    visibility.cache_ = &cache;
    visibility.view_ = &view;
  }
  return visibility;
}

Result<std::optional<Visibility::Inside>> Visibility::InsideOf(const fb::ScopeRef& scope,
                                                               const StateReader& reader,
                                                               SpaceId space) const {
  const std::uint32_t container = columns_->FindContainer(scope.container());
  if (container == kNoRow) return std::nullopt;
  Inside inside{container, scope.user(), scope.agent(), scope.run(), {}};
  if (container == 0 || !columns_->HaveContainersMoved()) return inside;
  const std::size_t count = columns_->containers.size();
  inside.below.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    if (columns_->containers[row].moved != 0) continue;
    const fb::ScopeRef one(columns_->containers[row].seq, scope.user(), scope.agent(), scope.run());
    ASSIGN_OR_RETURN(inside.below[row], ScopeContains(reader, space, scope, one));
  }
  return inside;
}

void Visibility::RequireLabel(const Secret& secret, std::string_view kind, std::string_view label) {
  if (label.empty()) return;
  const std::uint32_t row = columns_->FindLabel(LabelKey(secret, kind, label));
  if (row == kNoRow) possible_ = false;
  labels_.push_back(row);
}

bool Visibility::Contains(const Inside& outer, std::uint32_t scope) const {
  const rows::Scope& inner = columns_->scopes[scope];
  if ((outer.user != 0 && outer.user != inner.user) ||
      (outer.agent != 0 && outer.agent != inner.agent) ||
      (outer.run != 0 && outer.run != inner.run)) {
    return false;
  }
  if (!outer.below.empty()) {
    return inner.container < outer.below.size() && outer.below[inner.container];
  }
  std::uint32_t container = inner.container;
  while (container > outer.container) container = columns_->containers[container].parent;
  return container == outer.container;
}

bool Visibility::AdmitsState(const rows::State& then, const rows::Memory& memory) const {
  if (states_ == 0) {
    if (then.state != static_cast<std::uint8_t>(fb::MemoryState::live)) return false;
    if (then.Has(rows::kShadowed) || then.expires_at <= valid_at_) return false;
  } else if ((states_ & StatesOf(then)) == 0) {
    return false;
  }
  if ((genres_ & Bit(then.genre)) == 0) return false;
  if (then.valid_span != kNoRow) {
    const rows::ValidSpan& valid = columns_->valid_spans[then.valid_span];
    if (valid_at_ < valid.from || valid_at_ >= valid.until) return false;
  }
  if (filter_.kind && memory.kind != static_cast<std::uint32_t>(*filter_.kind)) return false;
  if (filter_.pinned && then.Has(rows::kPinned) != *filter_.pinned) return false;
  if (filter_.authorship && then.authorship != static_cast<std::uint8_t>(*filter_.authorship)) {
    return false;
  }
  const bool is_communication = filter_.memory_class == fb::MemoryClass::communication;
  if (filter_.memory_class && then.Has(rows::kCommunication) != is_communication) return false;
  if (filter_.created_from || filter_.created_until) {
    const Micros created = columns_->states[memory.first_state].record_time;
    if (!Within(created, filter_.created_from, filter_.created_until)) return false;
  }
  if (filter_.updated_from || filter_.updated_until) {
    const Micros updated = columns_->versions[then.version].record_time;
    if (!Within(updated, filter_.updated_from, filter_.updated_until)) return false;
  }
  return true;
}

bool Visibility::AdmitsNow(const rows::State& then, const rows::State& now) const {
  if (now.state == static_cast<std::uint8_t>(fb::MemoryState::erased)) return false;
  if (!sees_hidden_ && ((Bit(then.state) | Bit(now.state)) & kHidden) != 0) return false;
  if (store_ && columns_->scopes[then.scope].store != *store_) return false;
  if (exactly_ && columns_->scopes[then.scope].container != *exactly_) return false;
  if (then_ && !Contains(*then_, then.scope)) return false;
  return !now_ || Contains(*now_, now.scope);
}

bool Visibility::AdmitsStates(const rows::State& then, const rows::State& now,
                              std::uint32_t memory) const {
  if (!AdmitsState(then, columns_->memories[memory]) || !AdmitsNow(then, now)) return false;
  for (const std::uint32_t label : labels_) {
    if (!columns_->HasLabel(then.version, label)) return false;
  }
  return cache_ == nullptr || AdmitsDescribed(then.version);
}

bool Visibility::AdmitsDescribed(std::uint32_t version) const {
  const auto [known, is_new] = admitted_.emplace(version, false);
  if (!is_new) return known->second;
  const auto described = cache_->Of(*columns_, *view_, version);
  if (!described) {
    failure_ = std::unexpected(described.error());
    return false;
  }
  known->second = *described != nullptr && Matches(described_, **described);
  return known->second;
}

std::uint32_t Visibility::VersionOf(std::uint32_t memory) const {
  return columns_->states[columns_->StateAt(memory, as_of_)].version;
}

bool Visibility::Admits(std::uint64_t chunk) const {
  const rows::Chunk& row = columns_->chunks[chunk];
  const std::uint32_t latest = columns_->LatestState(row.memory);
  const std::uint32_t state = columns_->StateFrom(latest, as_of_);
  if (state == kNoRow) return false;
  const rows::State& then = columns_->states[state];
  return then.version == row.version && AdmitsStates(then, columns_->states[latest], row.memory);
}

bool Visibility::AdmitsMemory(std::uint32_t memory) const {
  const std::uint32_t latest = columns_->LatestState(memory);
  if (latest == kNoRow) return false;
  const std::uint32_t state = columns_->StateFrom(latest, as_of_);
  return state != kNoRow && AdmitsStates(columns_->states[state], columns_->states[latest], memory);
}

Visibility::Survey Visibility::Look() const {
  const std::size_t chunks = columns_->chunks.size();
  const std::size_t step = chunks / kSample + 1;
  Survey survey;
  for (std::size_t chunk = 0; chunk < chunks; chunk += step) {
    if (!Admits(chunk)) continue;
    const rows::Chunk& row = columns_->chunks[chunk];
    survey.chunks += step;
    if (columns_->TurnOf(row.memory) != kNoRow) survey.turns += step;
    survey.bytes += step * (row.end - row.begin);
  }
  return survey;
}

}  // namespace perdure
