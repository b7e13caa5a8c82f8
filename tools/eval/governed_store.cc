#include "tools/eval/governed_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "tools/data_dir.h"

namespace perdure::eval {
namespace {

constexpr std::chrono::milliseconds kPoll{200};

// What an item ends up being replaced by, after all: the head of its chain.
std::string HeadOf(const std::map<std::string, const GovernedItem*>& by_id,
                   const GovernedItem& item) {
  const GovernedItem* head = &item;
  for (std::size_t steps = 0; steps <= by_id.size(); ++steps) {
    const auto next = by_id.find(head->superseded_by);
    if (next == by_id.end()) break;
    head = next->second;
  }
  return head->id;
}

NoteDraft NoteOf(const GovernedItem& item) {
  NoteDraft draft;
  draft.text = item.text;
  draft.title = item.title;
  draft.tags = item.aliases;
  draft.scope = PlaceOf(item.user, item.part);
  draft.reference_time = item.time;
  draft.valid_until = item.resolved_at;
  return draft;
}

}  // namespace

ScopePath PlaceOf(const std::string& user, const std::string& part) {
  std::string container = part;
  std::ranges::replace(container, ':', '-');
  return {.containers = {std::move(container)}, .user = user, .agent = {}, .run = {}};
}

Result<std::unique_ptr<GovernedStore>> GovernedStore::Make(const GovernedSet& set,
                                                           const std::string& directory,
                                                           const std::string& model_dir) {
  auto store = std::make_unique<GovernedStore>();
  store->directory_ = directory;
  store->writer_.id = Uuid{{0xe6}};
  store->writer_.roles = kAgent | kReviewer | kOperator;
  store->writer_.client = "perdure-eval";
  RETURN_IF_ERROR(store->Open(model_dir));
  RETURN_IF_ERROR(store->StoreAll(set));
  while (!store->house_->search().WaitUntilIndexed(kMainSpace, kPoll)) {
    for (const SpaceIndexStatus& space : store->house_->search().Status().spaces) {
      if (space.failure.empty()) continue;
      return Fail(Code::kInternal, fmt::format("{} is not indexed: {}", set.name, space.failure));
    }
  }
  return store;
}

GovernedStore::~GovernedStore() {
  house_.reset();
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

Status GovernedStore::Open(const std::string& model_dir) {
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
  RETURN_IF_ERROR(MakeDataDir(directory_));
  ASSIGN_OR_RETURN(DirectoryLock lock, LockAlone(directory_, "eval"));
  SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN([[maybe_unused]] const bool is_new, FillDataDir(directory_, clock, random));
  HouseOptions options{.data_dir = directory_, .model_dir = model_dir};
  options.sync.mode = SyncMode::kNever;
  ASSIGN_OR_RETURN(house_, House::Open(options, std::move(lock)));
  return {};
}

Result<Uuid> GovernedStore::Write(const GovernedItem& item, Command command) {
  auto done = house_->engine().Write(writer_, std::move(command), {.reason = "as the set says"});
  if (done && !done->memories.empty()) return done->memories.front().id;
  return Fail(done ? Code::kInternal : done.error().code,
              fmt::format("The item {} was not stored: {}", item.id,
                          done ? "nothing came of it" : done.error().message));
}

Status GovernedStore::StoreNote(const GovernedItem& item) {
  const bool is_proposed = item.status == "pending" || item.status == "rejected";
  Command command = StoreMemories{{NoteOf(item)}};
  if (is_proposed) command = ProposeCandidate{NoteOf(item)};
  ASSIGN_OR_RETURN(const Uuid id, Write(item, std::move(command)));
  return Settle(item, id);
}

Status GovernedStore::StoreFact(const GovernedItem& item, const std::string& subject) {
  FactDraft draft;
  draft.value = {subject, "is", item.text};
  draft.text = item.text;
  draft.tags = item.aliases;
  if (!item.title.empty()) draft.tags.push_back(item.title);
  draft.scope = PlaceOf(item.user, item.part);
  draft.valid_until = item.resolved_at;
  Evidence evidence;
  evidence.quote = item.text;
  evidence.source = item.id;
  evidence.reference_time = item.time;
  draft.evidence = std::move(evidence);
  ASSIGN_OR_RETURN(const Uuid id, Write(item, AssertFacts{{std::move(draft)}, false}));
  return Settle(item, id);
}

// What becomes of it besides being superseded.
Status GovernedStore::Settle(const GovernedItem& item, const Uuid& id) {
  items_[id] = &item;
  const auto move = [&](Transition transition) -> Status {
    ASSIGN_OR_RETURN([[maybe_unused]] const Uuid moved,
                     Write(item, MoveState{.id = id, .transition = transition, .refusing = {}}));
    return {};
  };
  if (item.is_pinned) RETURN_IF_ERROR(move(Transition::kPin));
  if (item.status == "forgotten") return move(Transition::kForget);
  const bool is_replaced_by_nothing = item.status == "superseded" && item.superseded_by.empty();
  if (item.status == "archived" || is_replaced_by_nothing) return move(Transition::kArchive);
  if (item.status != "rejected") return {};
  ASSIGN_OR_RETURN([[maybe_unused]] const Uuid rejected,
                   Write(item, ReviewCandidate{.id = id, .approve = false}));
  return {};
}

// Items that one another replace, the oldest first.
Status GovernedStore::StoreChains(const GovernedSet& set) {
  std::map<std::string, const GovernedItem*> by_id;
  for (const GovernedItem& item : set.items) by_id[item.id] = &item;
  std::map<std::string, std::vector<const GovernedItem*>> chains;
  for (const GovernedItem& item : set.items) chains[HeadOf(by_id, item)].push_back(&item);
  for (auto& [head, chain] : chains) {
    if (chain.size() < 2) continue;
    std::ranges::stable_sort(chain, {}, [](const GovernedItem* item) { return item->time; });
    for (const GovernedItem* item : chain) RETURN_IF_ERROR(StoreFact(*item, head));
  }
  return {};
}

Status GovernedStore::StoreAll(const GovernedSet& set) {
  RETURN_IF_ERROR(StoreChains(set));
  std::set<const GovernedItem*> stored;
  for (const auto& [id, item] : items_) stored.insert(item);
  for (const GovernedItem& item : set.items) {
    if (!stored.contains(&item)) RETURN_IF_ERROR(StoreNote(item));
  }
  return {};
}

const GovernedItem* GovernedStore::Find(const Uuid& id) const {
  const auto found = items_.find(id);
  return found == items_.end() ? nullptr : found->second;
}

}  // namespace perdure::eval
