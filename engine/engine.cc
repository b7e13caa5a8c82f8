#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/log/key_check.h"
#include "engine/log/origin.h"
#include "engine/log/tail.h"
#include "engine/model/tables.h"
#include "engine/read/moment.h"
#include "engine/token.h"
#include "engine/write/sequencer.h"

namespace perdure {
namespace {

constexpr std::chrono::milliseconds kDiskWatch(250);

std::string StoreDirectory(const std::string& directory) { return directory + "/store"; }
std::string KeysDirectory(const std::string& directory) { return directory + "/keys"; }

Result<std::string> NameOfSpace(const StateReader& reader, SpaceId space) {
  if (space == kSystemSpace) return std::string("system");
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Space(space)));
  if (!bytes) return Fail(Code::kNotFound, fmt::format("There is no space {}.", space));
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::SpaceRecordT>(*bytes));
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, kSystemSpace, record.label_seq));
  if (!payload || !(*payload)->name()) {
    return Fail(Code::kCorrupt, fmt::format("The name of space {} is missing.", space));
  }
  return (*payload)->name()->str();
}

Status CheckFormat(Store& store) {
  ASSIGN_OR_RETURN(const auto format, store.Get(Family::kMeta, tables::Format(), kLatest));
  if (!format || ReadBigEndian(*format) != kStoreFormat) {
    return Fail(
        Code::kCorrupt,
        fmt::format("The store has format {}; this program reads format {}.",
                    format ? std::to_string(ReadBigEndian(*format)) : "none", kStoreFormat));
  }
  return {};
}

}  // namespace

struct Engine::OpenSpace {
  SpaceInfo info;
  SpaceKeys keys;
  StoredTiles tiles;
};

Principal BootstrapPrincipal() {
  Principal principal;
  principal.roles = kOperator;
  principal.space = kMainSpace;
  principal.client = "perdure";
  return principal;
}

Engine::Engine(Passkey, EngineOptions options, Clock& clock, Random& random,
               std::unique_ptr<Store> store)
    : options_(std::move(options)),
      clock_(clock),
      time_(clock),
      random_(random),
      store_(std::move(store)),
      latest_(*store_, kLatest),
      sequencer_(NewSequencer()) {}

Engine::~Engine() {
  disk_watch_.reset();
  sequencer_.reset();
  if (!options_.read_only)
    static_cast<void>(store_->Flush());  // else the next open replays the WAL
}

// The store is made aside and gets its name when it is whole: a crash leaves all of it or none.
Status Engine::Create(const std::string& directory, Clock& clock, Random& random) {
  RETURN_IF_ERROR(MakeDirectory(directory));
  if (std::filesystem::exists(StoreDirectory(directory))) {
    return Fail(Code::kConflict, fmt::format("There is a store in {} already.", directory));
  }
  for (const char* name : {"system", "main"}) {
    const auto made = CreateSpaceKeys(KeysDirectory(directory), name, random);
    if (!made && made.error().code != Code::kConflict) return std::unexpected(made.error());
  }
  const std::string draft = StoreDirectory(directory) + ".new";
  RETURN_IF_ERROR(RemoveTree(draft));
  {
    ASSIGN_OR_RETURN(const auto store, Store::Open(draft, {}));
    const Mutation format{Family::kMeta, tables::Format(), Key().U32(kStoreFormat).Take(), 0};
    RETURN_IF_ERROR(store->Write({&format, 1}, true));
  }
  {
    ASSIGN_OR_RETURN(const auto engine, OpenStore({.directory = directory}, draft, clock, random));
    for (const auto& [id, name] :
         {std::pair(kSystemSpace, "system"), std::pair(kMainSpace, "main")}) {
      RETURN_IF_ERROR(engine->Write(BootstrapPrincipal(), CreateSpace{id, name}, {}));
    }
  }
  RETURN_IF_ERROR(RenameFile(draft, StoreDirectory(directory)));
  return SyncDirectory(directory);
}

Result<std::unique_ptr<Engine>> Engine::Open(const EngineOptions& options, Clock& clock,
                                             Random& random) {
  if (!std::filesystem::exists(StoreDirectory(options.directory))) {
    return Fail(Code::kNotFound, fmt::format("There is no store in {}. `perdure init --data {}` "
                                             "makes one.",
                                             options.directory, options.directory));
  }
  return OpenStore(options, StoreDirectory(options.directory), clock, random);
}

Result<std::unique_ptr<Engine>> Engine::OpenStore(const EngineOptions& options,
                                                  const std::string& store_directory, Clock& clock,
                                                  Random& random) {
  ASSIGN_OR_RETURN(auto store, Store::Open(store_directory, {.create_if_missing = false,
                                                             .read_only = options.read_only}));
  RETURN_IF_ERROR(CheckFormat(*store));
  auto engine = std::make_unique<Engine>(Passkey(), options, clock, random, std::move(store));
  RETURN_IF_ERROR(engine->LoadSpaces());
  Micros last = kTimeMin;
  for (const SpaceInfo& space : engine->Spaces()) {
    last = std::max(last, engine->Visible(space.id).time);
  }
  engine->clock_warning_ = ClockWarning(last, clock.Now());
  if (!options.read_only) {
    engine->disk_watch_ =
        std::make_unique<Ticker>(kDiskWatch, [watched = engine.get()] { watched->WatchDisk(); });
  }
  return engine;
}

Status Engine::LoadSpaces() {
  RETURN_IF_ERROR(LoadSpace(kSystemSpace));
  std::vector<SpaceId> ids;
  const std::string prefix = tables::SpacePrefix();
  RETURN_IF_ERROR(latest_.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view) {
        ids.push_back(static_cast<SpaceId>(ReadBigEndian(key.substr(prefix.size()))));
        return true;
      }));
  for (SpaceId id : ids) {
    if (id != kSystemSpace) RETURN_IF_ERROR(LoadSpace(id));
  }
  return {};
}

Status Engine::LoadSpace(SpaceId id) {
  ASSIGN_OR_RETURN(const std::string name, NameOfSpace(latest_, id));
  ASSIGN_OR_RETURN(SpaceKeys keys, LoadSpaceKeys(KeysDirectory(options_.directory), name));
  RETURN_IF_ERROR(CheckKeys(*store_, id, name, keys));
  if (!options_.read_only) RETURN_IF_ERROR(KnowKeys(id, keys));
  ASSIGN_OR_RETURN(const OriginTrail origin, OriginOfLog(latest_, id, OriginOf(name)));
  ASSIGN_OR_RETURN(LogTail tail, ReadTail(*store_, id, origin.now(), keys.signing.public_key,
                                          options_.check_tail));
  auto space =
      std::make_unique<OpenSpace>(OpenSpace{{id, name}, std::move(keys), StoredTiles(latest_, id)});
  const MutexLock lock(spaces_mutex_);
  const auto [opened, added] = spaces_.try_emplace(id, std::move(space));
  if (!added) return {};  // a repeated CreateSpace: whoever uses the space goes on
  sequencer_->AddSpace(id, {{tail.head, std::move(tail.tree)}, &opened->second->keys, origin});
  return {};
}

// From the first open on the store knows the keys of a space again.
Status Engine::KnowKeys(SpaceId id, const SpaceKeys& keys) {
  const Mutation digests = KeyDigestsOf(id, keys);
  ASSIGN_OR_RETURN(const auto known, store_->Get(Family::kMeta, digests.key, kLatest));
  if (known) return {};
  return store_->Write({&digests, 1}, true);
}

Result<WriteOutcome> Engine::Write(const Principal& principal, Command command,
                                   WriteOptions options) {
  std::vector<WriteCall> one;
  one.push_back({std::move(command), std::move(options)});
  return std::move(WriteAll(principal, std::move(one)).front());
}

std::vector<Result<WriteOutcome>> Engine::WriteAll(const Principal& principal,
                                                   std::vector<WriteCall> calls) {
  if (options_.read_only) {
    return {calls.size(),
            Fail(Code::kUnavailable, "The store is open read-only; writes are not taken.")};
  }
  std::vector<WriteRequest> requests;
  std::vector<std::pair<std::size_t, SpaceId>> spaces;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto* create = std::get_if<CreateSpace>(&calls[i].command);
    if (create && !calls[i].options.dry_run) spaces.emplace_back(i, create->space);
    requests.push_back({principal, std::move(calls[i].command), std::move(calls[i].options)});
  }
  std::vector<Result<WriteOutcome>> answers = Submit(std::move(requests));
  for (const auto& [i, space] : spaces) {
    if (!answers[i]) continue;
    const Status loaded = LoadSpace(space);
    if (!loaded) answers[i] = std::unexpected(loaded.error());
  }
  return answers;
}

Result<SpaceInfo> Engine::AddSpace(const Principal& principal, const std::string& name,
                                   WriteOptions options, std::optional<SpaceId> number) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, allowed)) {
    return Fail(Code::kInvalidArgument,
                "A space's name has 1 to 64 small letters, digits and hyphens, e.g. team-a.",
                "name");
  }
  SpaceId next = kMainSpace;
  for (const SpaceInfo& info : Spaces()) {
    if (info.name == name) {
      return Fail(Code::kConflict, fmt::format("There is a space '{}' already.", name), "name");
    }
    if (info.id == number) {
      return Fail(Code::kConflict,
                  fmt::format("Number {} is that of the space '{}'.", info.id, info.name),
                  "number");
    }
    next = std::max(next, info.id + 1);
  }
  next = number.value_or(next);
  if (!options.dry_run) {
    const auto made = CreateSpaceKeys(KeysDirectory(options_.directory), name, random_);
    if (!made && made.error().code != Code::kConflict) return std::unexpected(made.error());
  }
  RETURN_IF_ERROR(Write(principal, CreateSpace{next, name}, std::move(options)));
  return SpaceInfo{next, name};
}

Result<ReadView> Engine::Read(const Principal& principal, const ReadAt& at) const {
  const LogHead head = Visible(principal.space);
  const SpaceKeys* keys = nullptr;
  {
    const MutexLock lock(spaces_mutex_);
    const auto found = spaces_.find(principal.space);
    if (found == spaces_.end()) {
      return Fail(Code::kNotFound, "The token's space does not exist in this store.");
    }
    keys = &found->second->keys;
  }
  ASSIGN_OR_RETURN(const Micros as_of, ResolveMoment(latest_, principal, keys->secret, head, at));
  if (as_of < Horizon() && as_of < head.time) {
    auto compacted = Fail(Code::kCompacted,
                          fmt::format("History before {} was compacted; as_of can be that time or "
                                      "later.",
                                      FormatTime(Horizon())),
                          "as_of");
    compacted.error().details.emplace_back("horizon", FormatTime(Horizon()));
    return compacted;
  }
  return ReadView({.store = store_.get(),
                   .secret = &keys->secret,
                   .space = principal.space,
                   .principal = principal,
                   .as_of = as_of,
                   .head_seq = head.seq,
                   .watermark = head.time,
                   .valid_at = at.valid_at.value_or(clock_.Now())});
}

Result<Principal> Engine::Authenticate(std::string_view token) const {
  return AuthenticateToken(latest_, token, clock_.Now());
}

Result<std::pair<std::string, WriteOutcome>> Engine::Issue(const Principal& principal,
                                                           IssueToken command,
                                                           WriteOptions options) {
  const NewToken token = MakeToken(clock_, random_);
  command.id = token.id;
  command.secret_digest = token.secret_digest;
  const bool dry_run = options.dry_run;
  ASSIGN_OR_RETURN(WriteOutcome outcome, Write(principal, std::move(command), std::move(options)));
  return std::pair(dry_run || outcome.repeated ? std::string() : token.text, std::move(outcome));
}

std::vector<SpaceInfo> Engine::Spaces() const {
  const MutexLock lock(spaces_mutex_);
  std::vector<SpaceInfo> infos;
  for (const auto& [id, space] : spaces_) infos.push_back(space->info);
  return infos;
}

Result<SpaceId> Engine::SpaceByName(std::string_view name) const {
  for (const SpaceInfo& info : Spaces()) {
    if (info.name == name) return info.id;
  }
  return Fail(Code::kNotFound, fmt::format("There is no space '{}'.", name), "space");
}

const SpaceKeys& Engine::KeysOf(SpaceId space) const {
  const MutexLock lock(spaces_mutex_);
  const auto found = spaces_.find(space);
  PERDURE_CHECK(found != spaces_.end());
  return found->second->keys;
}

const TileReader& Engine::Tiles(SpaceId space) const {
  const MutexLock lock(spaces_mutex_);
  const auto found = spaces_.find(space);
  PERDURE_CHECK(found != spaces_.end());
  return found->second->tiles;
}

std::string Engine::OriginOf(std::string_view space_name) {
  return fmt::format("perdure/{}", space_name);
}

Result<std::string> Engine::Origin(const SpaceInfo& space) const {
  ASSIGN_OR_RETURN(const OriginTrail origin, OriginOfLog(latest_, space.id, OriginOf(space.name)));
  return origin.now();
}

Micros Engine::Horizon() const {
  const auto horizon = latest_.Get(Family::kMeta, tables::Horizon());
  if (!horizon || !*horizon) return kTimeMin;
  return static_cast<Micros>(ReadBigEndian(**horizon));
}

}  // namespace perdure
