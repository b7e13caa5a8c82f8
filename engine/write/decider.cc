#include "engine/write/decider.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

std::uint32_t RefusedMembers(const std::vector<Entry>& entries) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      entries, [](const Entry& entry) { return entry->event_type() == fb::Event::WriteRefused; }));
}

}  // namespace

SpaceId SpaceOf(const Command& command, const Principal& principal) {
  const bool system = std::holds_alternative<IssueToken>(command) ||
                      std::holds_alternative<RevokeToken>(command) ||
                      std::holds_alternative<CreateSpace>(command) ||
                      std::holds_alternative<CompactHistory>(command);
  return system ? kSystemSpace : principal.space;
}

void Decider::AddSpace(SpaceId space, SpaceStart start) {
  const MutexLock lock(spaces_mutex_);
  const bool added = spaces_.try_emplace(space, std::move(start)).second;
  PERDURE_CHECK(added);  // what is decided and not written yet would be forgotten
}

std::shared_ptr<Group> Decider::Begin(std::shared_ptr<Group> below) const {
  const StateReader& base = below ? below->state : latest_;
  auto group = std::make_shared<Group>(base);
  group->below = std::move(below);
  return group;
}

void Decider::Decide(Group& group, WaitingPtr command) {
  command->answer = Answer(group, command->request);
  group.commands.push_back(std::move(command));
}

void Decider::Close(Group& group) {
  group.state.Rebase(latest_);
  group.below.reset();
  const MutexLock lock(spaces_mutex_);
  for (auto& [space, end] : group.ends) {
    end = spaces_.at(space).end;
    group.state.Put(Family::kMeta, tables::Head(space), end.head.Encode(), 0);
  }
}

Result<WriteOutcome> Decider::Answer(Group& group, const WriteRequest& request) {
  const SpaceId space = SpaceOf(request.command, request.principal);
  SpaceStart* start = nullptr;
  {
    const MutexLock lock(spaces_mutex_);
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) {
      return Fail(Code::kNotFound, "The token's space does not exist in this store.");
    }
    start = &found->second;  // a node of a map stays, and its end is touched by this thread alone
  }
  Circumstances circumstances{.space = space,
                              .head = start->end.head,
                              .now = clock_.Now(),
                              .seed = {},
                              .secret = &start->keys->secret,
                              .principal = &request.principal,
                              .options = &request.options,
                              .writes_of_minute = 0};
  const Uuid& writer = request.principal.id;
  circumstances.writes_of_minute = writes_.OfMinute(writer, circumstances.now);
  circumstances.refusals_left = refusals_.Left(writer, circumstances.now);
  random_.Fill(circumstances.seed);
  Execution execution = Execute(group.state, circumstances, request.command,
                                [&] { return refusals_.Count(writer, circumstances.now); });
  if (execution.answer && !execution.entries.empty()) {
    writes_.Add(writer, circumstances.now);
    refusals_.Add(writer, circumstances.now, RefusedMembers(execution.entries));
  }
  if (!execution.entries.empty()) Append(group, space, *start, execution);
  return std::move(execution.answer);
}

// The entries to the tree, whose full tiles and signed heads go into the group.
void Decider::Append(Group& group, SpaceId space, SpaceStart& start, const Execution& execution) {
  for (const Entry& entry : execution.entries) {
    for (Tile& tile : start.end.tree.Append(LeafHash(entry.bytes()))) {
      group.state.Put(Family::kTree,
                      tables::TreeTile(space, static_cast<std::uint8_t>(tile.level), tile.index),
                      std::move(tile.bytes), 0);
    }
    start.origin.Follow(*entry);
    if (HasTreeHead(*entry)) {
      const TreeHead head{start.origin.now(), entry->seq(), start.end.tree.Root(), {}};
      group.state.Put(Family::kMeta, tables::TreeHeadAt(space, entry->seq()),
                      SignTreeHead(head, start.keys->signing), 0);
    }
  }
  start.end.head = execution.head;
  group.ends.try_emplace(space);
}

}  // namespace perdure
