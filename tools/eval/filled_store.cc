#include "tools/eval/filled_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tools/data_dir.h"
#include "tools/progress.h"

namespace perdure::eval {
namespace {

constexpr std::size_t kBatch = 200;
constexpr std::chrono::milliseconds kPoll{200};

NoteDraft DraftOf(const Item& item, std::int64_t position) {
  NoteDraft draft;
  draft.text = item.text;
  draft.title = item.title;
  draft.tags = item.tags;
  draft.type = item.type;
  draft.theme = item.theme;
  draft.scope = ScopePath{.containers = {item.scope}};
  draft.reference_time = item.time;
  if (item.importance) draft.importance = static_cast<float>(*item.importance);
  if (!item.caption.empty()) {
    draft.metadata = nlohmann::json({{"caption", item.caption}}).dump();
  }
  if (item.IsTurn()) {
    draft.kind = fb::MemoryKind::episode;
    draft.conversation = item.scope;
    draft.session = item.session;
    draft.speaker = item.speaker;
    draft.position = position;
  }
  return draft;
}

// In the same order each time, and each item's place in its scope.
std::vector<NoteDraft> DraftsOf(const QuestionSet& set) {
  std::map<std::string, std::int64_t> in_scope;
  std::vector<NoteDraft> drafts;
  for (const Item& item : set.items) drafts.push_back(DraftOf(item, in_scope[item.scope]++));
  return drafts;
}

}  // namespace

Result<std::unique_ptr<FilledStore>> FilledStore::Make(const QuestionSet& set, const Place& place) {
  auto store = std::make_unique<FilledStore>();
  store->place_ = place;
  store->principal_.id = Uuid{{0xe5}};
  store->principal_.roles = kAgent | kReviewer | kOperator;
  store->principal_.client = "perdure-eval";
  RETURN_IF_ERROR(store->Open());
  RETURN_IF_ERROR(store->Store(set));
  RETURN_IF_ERROR(store->Mark(set));
  RETURN_IF_ERROR(store->AwaitIndexes(set.name));
  return store;
}

FilledStore::~FilledStore() {
  house_.reset();
  std::error_code ignored;
  if (!place_.keep && !place_.directory.empty()) {
    std::filesystem::remove_all(place_.directory, ignored);
  }
}

Status FilledStore::Open() {
  std::error_code error;
  if (!place_.keep) std::filesystem::remove_all(place_.directory, error);
  RETURN_IF_ERROR(MakeDataDir(place_.directory));
  ASSIGN_OR_RETURN(DirectoryLock lock, LockAlone(place_.directory, "eval"));
  SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN([[maybe_unused]] const bool is_new,
                   FillDataDir(place_.directory, clock, random));
  HouseOptions options{.data_dir = place_.directory, .model_dir = place_.model_dir};
  options.sync.mode = SyncMode::kNever;
  ASSIGN_OR_RETURN(house_, House::Open(options, std::move(lock)));
  return {};
}

Status FilledStore::Store(const QuestionSet& set) {
  ProgressBar progress("storing " + set.name, set.items.size());
  std::vector<NoteDraft> drafts = DraftsOf(set);
  for (std::size_t from = 0; from < drafts.size(); from += kBatch) {
    const std::size_t end = std::min(drafts.size(), from + kBatch);
    StoreMemories command;
    std::move(drafts.begin() + static_cast<std::ptrdiff_t>(from),
              drafts.begin() + static_cast<std::ptrdiff_t>(end),
              std::back_inserter(command.memories));
    auto stored = house_->engine().Write(principal_, std::move(command), {});
    if (!stored) {
      return Fail(stored.error().code,
                  fmt::format("{}: the items from {} on were not stored: {}", set.name,
                              set.items[from].id, stored.error().message));
    }
    for (const MemoryOutcome& memory : stored->memories) {
      const auto [known, is_new] = numbers_.emplace(memory.id, ids_.size());
      if (is_new) ids_.push_back(memory.id);
      memory_of_item_.push_back(known->second);
    }
    progress.Update(end);
  }
  return {};
}

Status FilledStore::Mark(const QuestionSet& set) {
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    const Uuid& id = ids_[memory_of_item_[i]];
    const auto move = [&](Transition transition) -> Status {
      ASSIGN_OR_RETURN(
          [[maybe_unused]] const auto moved,
          house_->engine().Write(principal_, MoveState{.id = id, .transition = transition}, {}));
      return {};
    };
    if (set.items[i].is_pinned) RETURN_IF_ERROR(move(Transition::kPin));
    if (set.items[i].is_superseded) RETURN_IF_ERROR(move(Transition::kArchive));
  }
  return {};
}

Status FilledStore::AwaitIndexes(const std::string& name) {
  ProgressBar progress("embedding " + name, ids_.size());
  while (!house_->search().WaitUntilIndexed(kMainSpace, kPoll)) {
    for (const SpaceIndexStatus& space : house_->search().Status().spaces) {
      if (!space.failure.empty()) {
        return Fail(Code::kInternal, fmt::format("{} is not indexed: {}", name, space.failure));
      }
      progress.Update(space.vectors);
    }
  }
  return {};
}

const std::size_t* FilledStore::Find(const Uuid& id) const {
  const auto found = numbers_.find(id);
  return found == numbers_.end() ? nullptr : &found->second;
}

}  // namespace perdure::eval
