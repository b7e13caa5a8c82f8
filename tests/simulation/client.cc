#include "simulation/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/write/decider.h"

namespace perdure::simulation {
namespace {

constexpr RoleMask kRoles[] = {kAgent | kReviewer | kOperator, kAgent | kOperator, kAgent,
                               kAgent | kReviewer};
constexpr std::size_t kRememberedMax = 40;

std::string Name(Chance& chance) { return fmt::format("name-{}", chance.Below(12)); }

Uuid RandomId(Chance& chance) {
  Uuid id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(chance.Any() >> 56);
  return id;
}

}  // namespace

std::optional<Uuid> ChangedMemory(const Command& command) {
  if (const auto* c = std::get_if<EditMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<DescribeMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<MoveState>(&command)) return c->id;
  if (const auto* c = std::get_if<RevertMemory>(&command)) return c->id;
  return std::nullopt;
}

Client::Client(std::size_t number, Chance& chance, SpaceId space)
    : commands_(chance.Any(), testing::RandomCommands::About::kFactsToo) {
  principal_.id.bytes[0] = 7;
  principal_.id.bytes[15] = static_cast<std::uint8_t>(number);
  principal_.roles = chance.OneIn(3) ? chance.Of(kRoles) : kRoles[0];
  principal_.space = space;
  principal_.client = "simulation/1";
  if (chance.OneIn(6)) principal_.scope.containers = {"a"};
  unanswered_max_ = chance.OneIn(4) ? 1 + chance.Below(90) : 1;
  think_max_ = chance.OneIn(2) ? 50 : 20'000;
}

Submission Client::Next(Chance& chance, Micros now, std::uint64_t& next_session) {
  if (!lost_.empty() && chance.OneIn(2)) {
    const Submission lost = lost_.back();
    lost_.pop_back();
    return Again(lost, lost.session);
  }
  if (!done_.empty() && chance.OneIn(6)) {
    const Submission& done = chance.Of(done_);
    Submission again = Again(done, next_session++);
    if (chance.OneIn(4)) {
      WriteRequest other = again.request();
      other.options.request_digest += "other";
      again.waiting = std::make_shared<Waiting>(std::move(other));
    }
    return again;
  }
  Principal principal = principal_;
  principal.session = next_session++;
  Command command = NextCommand(chance, now);
  WriteOptions options = Options(chance, command);
  Submission submission{.session = principal.session,
                        .client = principal_.id.bytes[15],
                        .space = SpaceOf(command, principal)};
  submission.waiting = std::make_shared<Waiting>(
      WriteRequest{std::move(principal), std::move(command), std::move(options)});
  return submission;
}

Submission Client::Again(const Submission& before, std::uint64_t session) const {
  WriteRequest request = before.request();
  request.principal.session = session;
  Submission again = before;
  again.session = session;
  again.waiting = std::make_shared<Waiting>(std::move(request));
  again.moves_waited = 0;
  return again;
}

Command Client::NextCommand(Chance& chance, Micros now) {
  return chance.OneIn(8) ? RareCommand(chance, now) : commands_.Next(now);
}

Command Client::RareCommand(Chance& chance, Micros now) {
  const Micros past = now - static_cast<Micros>(chance.Below(60'000'000));
  const Micros recent = now - static_cast<Micros>(chance.Below(20'000));
  switch (chance.Below(7)) {
    case 0: {
      NameSnapshot snapshot{.name = Name(chance)};
      if (chance.OneIn(2)) snapshot.at = past;
      return snapshot;
    }
    case 1: {
      IssueToken token{.id = RandomId(chance), .space = principal_.space, .roles = kAgent};
      if (!tokens_.empty() && chance.OneIn(4)) token.id = chance.Of(tokens_);
      token.label = Name(chance);
      return token;
    }
    case 2:
      return RevokeToken{tokens_.empty() ? RandomId(chance) : chance.Of(tokens_)};
    case 3: {
      const auto number = static_cast<SpaceId>(1 + chance.Below(3));
      return CreateSpace{number, fmt::format("space-{}", number)};
    }
    case 4:
      return CompleteErasure{erasures_.empty() ? 1 + chance.Below(50) : chance.Of(erasures_), 1, 1};
    case 5:
      return CompactHistory{.before = chance.OneIn(2) ? past : recent, .payloads = chance.OneIn(2)};
    default: {
      DropPayloads drop{.before = chance.OneIn(4) ? past : horizon_, .complete = chance.OneIn(2)};
      for (std::uint64_t i = chance.Below(20); i > 0 && !commands_.ids().empty(); --i) {
        drop.memories.push_back(chance.Of(commands_.ids()));
      }
      return drop;
    }
  }
}

WriteOptions Client::Options(Chance& chance, const Command& command) {
  WriteOptions options;
  if (chance.OneIn(16)) {
    options.dry_run = true;
    options.keep = chance.OneIn(2);
  } else if (chance.OneIn(3)) {
    options.idempotency_key = fmt::format("key-{}-{}", principal_.id.bytes[15], next_key_++);
    options.request_digest = options.idempotency_key + "-digest";
  }
  if (chance.OneIn(8)) options.reason = Name(chance);
  const std::optional<Uuid> memory = ChangedMemory(command);
  if (memory && chance.OneIn(3)) {
    const auto known = versions_.find(*memory);
    options.expected_version = known != versions_.end() && !chance.OneIn(3)
                                   ? known->second
                                   : 1 + static_cast<std::uint32_t>(chance.Below(4));
  }
  return options;
}

void Client::Learn(const WriteRequest& request, const WriteOutcome& outcome) {
  for (const MemoryOutcome& memory : outcome.memories) {
    std::uint32_t& version = versions_[memory.id];
    version = std::max(version, memory.version);
  }
  for (const MemoryOutcome& memory : outcome.memories) {
    const bool stored = std::holds_alternative<StoreMemories>(request.command) || memory.created;
    const auto& known = commands_.ids();
    if (stored && std::ranges::find(known, memory.id) == known.end()) commands_.Learn(memory.id);
  }
  commands_.Saw(outcome.seq);
  if (std::holds_alternative<EraseMemories>(request.command)) {
    erasures_.push_back(outcome.first_seq);
  }
  if (const auto* token = std::get_if<IssueToken>(&request.command)) tokens_.push_back(token->id);
  if (const auto* compact = std::get_if<CompactHistory>(&request.command)) {
    horizon_ = compact->before;
  }
}

void Client::Keep(const Submission& done) {
  if (done_.size() < kRememberedMax) {
    done_.push_back(done);
  } else {
    done_[done.session % kRememberedMax] = done;
  }
}

void Client::Forget(const Submission& lost) {
  const bool keyed = !lost.request().options.idempotency_key.empty();
  if (keyed && lost_.size() < kRememberedMax) lost_.push_back(lost);
}

}  // namespace perdure::simulation
