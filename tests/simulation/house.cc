#include "simulation/house.h"

#include <algorithm>
#include <utility>

#include "engine/base/hash.h"
#include "engine/log/tail.h"
#include "engine/model/tables.h"

namespace perdure::simulation {
namespace {

constexpr SpaceId kSpacesMax = 4;
constexpr std::uint64_t kSettleStepsMax = 50'000;
constexpr std::uint64_t kStepsMin = 500;
constexpr std::uint64_t kStepsSpread = 6'000;

SpaceKeys KeysOf(SpaceId space) {
  SpaceKeys keys;
  keys.secret = Sha256(fmt::format("secret of {}", space));
  keys.signing = SigningKeyFromSeed(Sha256(fmt::format("seed of {}", space)));
  return keys;
}

}  // namespace

House::Life::Life(House& house, SyncPolicy sync)
    : path({*house.reader_, house.guard_, house.bytes_, watermark, house}, sync),
      threads{Thread(path), Thread(path)} {}

House::House(const RunOptions& options)
    : options_(options),
      chance_(options.seed),
      trace_(options.prints),
      bytes_(options.seed),
      steps_(kStepsMin + chance_.Below(kStepsSpread)),
      trouble_one_in_(60 + chance_.Below(600)),
      disk_delay_max_(chance_.OneIn(2) ? 60 : 10'000),
      wakes_spuriously_(chance_.OneIn(2)),
      will_flood_(chance_.OneIn(250)),
      reader_(std::make_unique<LiveReader>(*this)) {
  if (options.steps != 0) steps_ = options.steps;
  ConfirmClock();
}

House::~House() = default;

RunResult House::Run() {
  Found();
  while (figures_.steps < steps_ && life_ != nullptr) Step(true);
  End();
  for (const auto& [space, keys] : keys_) {
    const LastSeqs last = disk_.Last(space);
    figures_.entries += last.entry;
    trace_.Add(
        disk_.Get(Family::kMeta, tables::Head(space)).value().value_or(std::string("empty")));
  }
  for (const auto& follower : followers_) trace_.Add(follower->Describe(disk_));
  for (const auto& [key, value] : disk_.rows()) trace_.Add(key + value);
  return {oracle_.violations(), trace_.Digest(), figures_};
}

Principal House::Bootstrap() const {
  Principal principal;
  principal.roles = kOperator;
  principal.client = "perdure";
  return principal;
}

// An empty store becomes one with the spaces system and main, as Engine::Create makes it.
void House::Found() {
  if (!Open()) return;
  for (const auto& [space, name] :
       {std::pair(kSystemSpace, "system"), std::pair(kMainSpace, "main")}) {
    Principal principal = Bootstrap();
    principal.session = next_session_++;
    Submission submission{.session = principal.session, .client = SIZE_MAX, .space = kSystemSpace};
    submission.waiting = std::make_shared<Waiting>(
        WriteRequest{std::move(principal), CreateSpace{space, name}, WriteOptions{}});
    static_cast<void>(Submit(std::move(submission)));
    if (!Settle()) return;
  }
  const std::uint64_t count = 2 + chance_.Below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const SpaceId space = i == 1 && chance_.OneIn(2) ? 2 : kMainSpace;
    clients_.emplace_back(i, chance_, space);
    client_due_.push_back(0);
  }
}

// --- Lives ---------------------------------------------------------------------------------------

bool House::Open() {
  trace_.Note("opens");
  const SyncMode sync = Planted(Plant::kSyncNever) ? SyncMode::kNever : SyncMode::kAlways;
  life_ = std::make_unique<Life>(*this, SyncPolicy{.mode = sync});
  mode_ = Mode::kOpen;
  health_ = Health::kGood;
  cache_is_sound_ = true;
  next_fate_ = Fate::kWell;
  read_faults_ = 0;
  power_lasts_ = 0;
  power_is_gone_ = false;
  LoadSpaces();
  return life_ != nullptr;
}

void House::LoadSpaces() {
  std::vector<SpaceId> spaces{kSystemSpace};
  const std::string prefix = tables::SpacePrefix();
  static_cast<void>(disk_.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view) {
        const auto id = static_cast<SpaceId>(ReadBigEndian(key.substr(prefix.size())));
        if (id != kSystemSpace) spaces.push_back(id);
        return true;
      }));
  for (const SpaceId space : spaces) {
    if (const Status loaded = LoadSpace(space); !loaded) {
      oracle_.Fail("open", fmt::format("space {}: {}", space, loaded.error().message));
      life_.reset();
      return;
    }
  }
}

Status House::LoadSpace(SpaceId space) {
  if (std::ranges::find(life_->spaces, space) != life_->spaces.end()) return {};
  const auto [at, is_new] = keys_.try_emplace(space);
  if (is_new) at->second = KeysOf(space);
  ASSIGN_OR_RETURN(LogTail tail,
                   ReadTail(disk_, {space, "simulation", at->second.signing.public_key},
                            disk_.Last(space), true));
  trace_.Note("space {} is open at {}", space, tail.head.seq);
  life_->path.AddSpace(space,
                       {{tail.head, std::move(tail.tree)}, &at->second, OriginTrail("simulation")});
  life_->spaces.push_back(space);
  const bool followed = std::ranges::any_of(
      followers_, [&](const auto& follower) { return follower->space() == space; });
  if (space != kSystemSpace && !followed) {
    followers_.push_back(std::make_unique<Follower>(space, at->second.secret));
  }
  return {};
}

// The process ends at once, and the power too or not. What was asked for is not answered.
void House::Die(bool power_goes) {
  trace_.Note("{}, {} batches unsynced", power_goes ? "power cut" : "kill", disk_.unsynced());
  ++(power_goes ? figures_.power_cuts : figures_.kills);
  for (const Submission& submission : unanswered_) {
    oracle_.SeeLost(submission);
    if (submission.client < clients_.size()) clients_[submission.client].Forget(submission);
  }
  unanswered_.clear();
  writes_.clear();
  life_.reset();
  std::size_t kept = disk_.unsynced();
  if (power_goes || !cache_is_sound_) kept = chance_.Below(kept + 1);
  if (power_goes && Planted(Plant::kTornGroup) && kept < disk_.unsynced()) {
    disk_.Tear(1 + chance_.Below(6));
    kept = std::max<std::size_t>(kept, 1);
  }
  for (const VirtualDisk::Batch& batch : disk_.Reboot(kept)) {
    trace_.Note("group {} is found again", batch.number);
    oracle_.SeeDurable(batch);
  }
  if (chance_.OneIn(2)) CheckStore();
  RestFollowers(chance_.OneIn(4));
  if (Open()) Watch();
}

// Takes nothing more in, answers what waits, and opens again.
void House::Close() {
  trace_.Note("closes");
  ++figures_.closings;
  mode_ = Mode::kClosing;
  life_->path.CloseDoor();
}

// Both writers have ended.
void House::Closed() {
  trace_.Note("is closed");
  if (!unanswered_.empty()) {
    oracle_.Fail("stuck", fmt::format("closed with {} commands unanswered", unanswered_.size()));
  }
  unanswered_.clear();
  writes_.clear();
  life_.reset();
  const std::size_t kept = disk_.unsynced();
  for (const VirtualDisk::Batch& batch :
       disk_.Reboot(cache_is_sound_ ? kept : chance_.Below(kept + 1))) {
    oracle_.SeeDurable(batch);
  }
  RestFollowers(false);
  if (Open()) Watch();
}

// What a full disk needs once there is space: Engine::Recover. Nothing waits for an answer.
void House::Recover() {
  trace_.Note("recovers in place");
  ++figures_.recoveries;
  writes_.clear();
  life_.reset();
  for (const VirtualDisk::Batch& batch : disk_.Reboot(disk_.unsynced())) {
    oracle_.SeeDurable(batch);
  }
  if (Open()) Watch();
}

// A checkpoint of a follower is loaded if it is of this log; else, or now and then, it starts anew.
void House::RestFollowers(bool anew) {
  for (auto& follower : followers_) {
    bool same = follower->cursor() == 0;
    if (!same) {
      const auto entry = ReadEntry(disk_, follower->space(), follower->cursor());
      same = entry && Sha256(entry->bytes()) == follower->hash();
    }
    if (!same) {
      oracle_.Fail("follower", fmt::format("what was followed up to {} in space {} is gone",
                                           follower->cursor(), follower->space()));
    }
    if (anew || !same) {
      const SpaceId space = follower->space();
      follower = std::make_unique<Follower>(space, keys_.at(space).secret);
    }
  }
}

void House::CheckStore() { oracle_.CheckStore(disk_, keys_, chance_); }

// --- The end -------------------------------------------------------------------------------------

// Without new commands and new trouble, until everything is answered and followed.
bool House::Settle() {
  for (std::uint64_t i = 0; i < kSettleStepsMax && life_ != nullptr; ++i) {
    if (health_ != Health::kGood || mode_ != Mode::kOpen) {
      Mend();
    } else {
      const bool followed = std::ranges::all_of(followers_, [&](const auto& follower) {
        return follower->cursor() >= life_->watermark.Head(follower->space()).seq;
      });
      if (unanswered_.empty() && writes_.empty() && followed) return true;
    }
    Step(false);
  }
  if (life_ != nullptr) oracle_.Fail("stuck", "the run does not come to rest");
  return false;
}

void House::End() {
  trace_.Note("the end begins");
  clients_.clear();
  next_fate_ = Fate::kWell;
  read_faults_ = 0;
  power_lasts_ = 0;
  if (life_ == nullptr || !Settle()) return;
  Die(true);
  if (life_ == nullptr || !Settle()) return;
  CheckStore();
  for (const auto& follower : followers_) {
    Follower fresh(follower->space(), keys_.at(follower->space()).secret);
    const Seq head = life_->watermark.Head(follower->space()).seq;
    while (fresh.cursor() < head && fresh.Step(disk_)) {
    }
    if (follower->cursor() != head || fresh.cursor() != head ||
        fresh.Describe(disk_) != follower->Describe(disk_)) {
      oracle_.Fail("follower",
                   fmt::format("space {}: at {} of {}, and not equal to one built from nothing",
                               follower->space(), follower->cursor(), head));
    } else if (!follower->Agrees(disk_)) {
      oracle_.Fail("follower", fmt::format("space {}: a memory is not what its record says",
                                           follower->space()));
    }
  }
  Close();
  for (std::uint64_t i = 0; mode_ == Mode::kClosing && i < kSettleStepsMax; ++i) Step(false);
}

}  // namespace perdure::simulation
