#include "engine/power/power_house.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/base/hash.h"
#include "engine/log/verify.h"
#include "engine/replay/replay.h"
#include "support/byte_scanner.h"

namespace perdure::testing {
namespace {

constexpr std::size_t kClients = 3;
constexpr std::uint64_t kCommandsMax = 200;  // a client's, in one round
constexpr std::uint64_t kCallsMax = 1200;    // on the disk, until the power goes

std::string WordOf(std::uint64_t session) { return fmt::format("marker{}x", session); }

// The commands of one log entry, by the session that the client gave it; 0 for the engine's own.
std::uint64_t SessionOf(const Entry& entry) { return entry->session(); }

}  // namespace

struct PowerHouse::Client {
  explicit Client(std::uint64_t seed) : commands(seed) {}
  RandomCommands commands;
  std::size_t known = 0;  // notes_ learnt so far
};

PowerHouse::PowerHouse(std::uint64_t seed, SyncPolicy sync)
    : seed_(seed), random_(seed), sync_(sync), data_(dir_ / "data"), bytes_(seed) {
  EXPECT_THAT(Engine::Create(data_, clock_, bytes_), IsOk());
  Disk::Get().Watch(dir_.path());
  for (std::size_t i = 0; i < kClients; ++i) clients_.emplace_back(random_());
  Expect(OpenAll(), "a new store opens");
}

PowerHouse::~PowerHouse() {
  Close();
  Disk::Get().Unwatch();
}

void PowerHouse::Expect(bool holds, const std::string& what) {
  if (!holds) wrong_.push_back(fmt::format("seed {} cut {}: not so: {}", seed_, cuts_, what));
}

bool PowerHouse::OpenEngine() {
  auto engine = Engine::Open({.directory = data_, .sync = sync_}, clock_, bytes_);
  if (engine) engine_ = std::move(*engine);
  if (!engine && !Disk::Get().IsOff()) Expect(false, "opens: " + engine.error().message);
  return engine_ != nullptr;
}

bool PowerHouse::OpenAll() {
  if (!OpenEngine()) return false;
  SearchOptions options;
  options.directory = data_ + "/index";
  options.checkpoint_entries = 40;
  auto search = SearchService::Open(*engine_, std::make_unique<FakeEmbedder>(model_), options);
  if (search) search_ = std::move(*search);
  const Status resumed =
      search ? engine_->ResumeErasures() : Status(std::unexpected(search.error()));
  if (!resumed && !Disk::Get().IsOff()) {
    Expect(false, "indexes open and erasures resume: " + resumed.error().message);
  }
  return resumed.has_value();
}

void PowerHouse::Close() {
  search_.reset();
  engine_.reset();
}

void PowerHouse::Reboot() {
  Close();
  ++cuts_;
  for (const std::string& path : Disk::Get().Reboot(random_)) {
    // A compaction that fails within Xapian forgets the tables that it has open.
    if (!path.ends_with(".glass")) Expect(false, path + " is closed");
  }
}

void PowerHouse::Round() {
  if (engine_ == nullptr) return;
  Disk::Get().CutAfter(1 + random_() % kCallsMax);
  Load();
  if (!Disk::Get().IsOff()) Disk::Get().CutAfter(1 + random_() % 8);  // within the orderly closing
  Reboot();
  if (random_() % 4 == 0) {
    Disk::Get().CutAfter(1 + random_() % 60);
    static_cast<void>(OpenAll());
    Reboot();
  }
  if (OpenAll()) Check();
}

// --- Under load ----------------------------------------------------------------------------------

void PowerHouse::Load() {
  std::vector<std::thread> threads;
  std::atomic<bool> done = false;
  std::thread watcher([&] {
    while (!done && !Disk::Get().IsOff()) Watch();
  });
  for (Client& client : clients_) threads.emplace_back([this, &client] { Work(client); });
  for (std::thread& thread : threads) thread.join();
  done = true;
  watcher.join();
}

void PowerHouse::Watch() {
  for (const SpaceId space : {kSystemSpace, kMainSpace}) {
    const LogHead head = engine_->Visible(space);
    const std::lock_guard lock(mutex_);
    seen_[space] = head;
  }
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void PowerHouse::Work(Client& client) {
  for (std::uint64_t i = 0; i < kCommandsMax && !Disk::Get().IsOff(); ++i) {
    std::uint64_t session = 0;
    {
      const std::lock_guard lock(mutex_);
      session = next_session_++;
      for (; client.known < notes_.size(); ++client.known) {
        client.commands.Learn(notes_[client.known].id);
      }
    }
    Act(client, session);
  }
}

void PowerHouse::Act(Client& client, std::uint64_t session) {
  clock_.Advance(static_cast<Micros>(client.commands.Below(3'000'000)));
  Principal principal = With(kAgent | kReviewer | kOperator);
  principal.session = session;
  const Micros now = engine_->Visible(kMainSpace).time;
  Command command = client.commands.Next(now);
  const std::size_t rare = client.commands.Below(100);
  if (auto* erase = std::get_if<EraseMemories>(&command)) {
    const Uuid id = erase->ids.front();
    const auto erased = engine_->Erase(principal, std::move(*erase), {});
    if (!erased) return;
    Acknowledge(session, kMainSpace, erased->outcome);
    const std::lock_guard lock(mutex_);
    for (Note& note : notes_) note.erased |= note.id == id;
  } else if (rare == 0) {
    static_cast<void>(engine_->store().CompactAll());
  } else if (rare == 1) {
    const auto trimmed = engine_->Compact(principal, {.before = now - 60'000'000}, {});
    if (trimmed) Acknowledge(session, kSystemSpace, *trimmed);
  } else if (auto* store = std::get_if<StoreMemories>(&command)) {
    store->memories[0].text += " " + WordOf(session);
    const auto stored = engine_->Write(principal, std::move(command), {});
    if (!stored) return;
    Acknowledge(session, kMainSpace, *stored);
    const std::lock_guard lock(mutex_);
    notes_.push_back({stored->memories[0].id, WordOf(session)});
  } else if (const auto done = engine_->Write(principal, std::move(command), {})) {
    Acknowledge(session, kMainSpace, *done);
  }
}

void PowerHouse::Acknowledge(std::uint64_t session, SpaceId space, const WriteOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  acked_[session] = {space, outcome.first_seq, outcome.seq, outcome.record_time};
}

// --- Afterwards ----------------------------------------------------------------------------------

void PowerHouse::Check() {
  for (const SpaceId space : {kSystemSpace, kMainSpace}) {
    CheckHead(space);
    CheckLog(space);
    const auto verified = VerifyLog(engine_->store(), space,
                                    Engine::OriginOf(space == kMainSpace ? "main" : "system"),
                                    engine_->KeysOf(space).signing.public_key);
    Expect(verified && verified->first_bad == 0,
           "the log verifies: " + (verified ? verified->problem : verified.error().message));
  }
  CheckSearch();
  const auto replayed = Replay(*engine_, dir_ / "scratch");
  Expect(replayed && replayed->difference.empty(),
         "projections are what the log says: " +
             (replayed ? replayed->difference : replayed.error().message));
}

// What a reader was shown cannot be taken back.
void PowerHouse::CheckHead(SpaceId space) {
  const LogHead seen = seen_[space];
  if (seen.seq == 0) return;
  const auto entry = ReadEntry(engine_->Latest(), space, seen.seq);
  if (!entry || Sha256(entry->bytes()) != seen.hash) {
    lost_.push_back(fmt::format("seed {} cut {}: a reader saw entry {} of space {}", seed_, cuts_,
                                seen.seq, space));
  }
  seen_[space] = engine_->Visible(space);
}

// Every acknowledged command is there once and whole; any other was submitted and may be there.
void PowerHouse::CheckLog(SpaceId space) {
  std::map<std::uint64_t, Ack> stored;
  for (Seq seq = 1; seq <= engine_->Visible(space).seq; ++seq) {
    const auto entry = ReadEntry(engine_->Latest(), space, seq);
    if (!entry) return Expect(false, "every entry can be read: " + entry.error().message);
    const std::uint64_t session = SessionOf(*entry);
    if (session == 0) continue;
    const auto [at, is_new] = stored.try_emplace(session, Ack{space, seq, seq, 0});
    Expect(is_new || at->second.last == seq - 1,
           fmt::format("entry {} belongs to one command of session {}", seq, session));
    Expect(session < next_session_, fmt::format("entry {} was submitted", seq));
    at->second.last = seq;
    at->second.time = (*entry)->record_time();
  }
  for (auto at = acked_.begin(); at != acked_.end();) {
    const Ack& ack = at->second;
    const auto found = stored.find(at->first);
    const bool here = found != stored.end() && found->second.first == ack.first &&
                      found->second.last == ack.last && found->second.time == ack.time;
    if (ack.space == space && !here) {
      lost_.push_back(fmt::format("seed {} cut {}: the command of session {}, entries {} to {}",
                                  seed_, cuts_, at->first, ack.first, ack.last));
      at = acked_.erase(at);
    } else {
      ++at;
    }
  }
}

void PowerHouse::CheckSearch() {
  const bool caught_up = search_->WaitUntilIndexed(kMainSpace, std::chrono::seconds(20));
  Expect(caught_up, "the indexes catch up: " + (caught_up ? "" : IndexState()));
  for (int i = 0; i < 10 && !notes_.empty(); ++i) {
    const Note& note = notes_[random_() % notes_.size()];
    const auto view = engine_->Read(With(kAgent));
    if (!view) return Expect(false, "reads go on: " + view.error().message);
    const auto memory = view->Get(note.id);
    const bool shown = memory && memory->record.state == fb::MemoryState::live &&
                       memory->text.find(note.word) != std::string::npos;
    const auto answer = search_->Search(With(kAgent), {.query = note.word, .limit = 5});
    if (!answer) return Expect(false, "a search answers: " + answer.error().message);
    const bool found = std::ranges::any_of(answer->hits, [&](const SearchHit& hit) {
      return hit.id == note.id && hit.preview.find(note.word) != std::string::npos;
    });
    Expect(found == shown, fmt::format("{} is {}", note.word, shown ? "found" : "gone"));
  }
}

std::string PowerHouse::IndexState() const {
  std::string state;
  for (const SpaceIndexStatus& space : search_->Status().spaces) {
    state += fmt::format("[{}: lexical {} of {}, semantic {}, {} pending, {}; {}]", space.space,
                         space.lexical_seq, engine_->Visible(space.space).seq, space.semantic_seq,
                         space.pending_embeddings, space.failure, fmt::join(space.repairs, ", "));
  }
  return state;
}

void PowerHouse::CheckErasures() {
  if (engine_ == nullptr) return;
  static_cast<void>(search_->WaitUntilIndexed(kMainSpace, std::chrono::seconds(20)));
  const ByteScanner scanner(data_);
  for (const Note& note : notes_) {
    if (!note.erased) continue;
    for (const std::string& file : scanner.FilesWith(note.word)) {
      Expect(false, fmt::format("{} left {}", note.word, file));
    }
  }
}

}  // namespace perdure::testing
