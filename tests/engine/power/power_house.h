// A store with its indexes under load on a disk whose power goes, and what must be true afterwards.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "index/search/fake_embedder.h"
#include "index/search/search_service.h"
#include "support/disk/disk.h"
#include "support/fake_clock.h"
#include "support/random_commands.h"
#include "support/seeded_random.h"
#include "support/temp_dir.h"

namespace perdure::testing {

class PowerHouse {
 public:
  // Everything random follows from `seed`; how threads interleave does not.
  PowerHouse(std::uint64_t seed, SyncPolicy sync);
  ~PowerHouse();

  // Three clients write until the power goes, at a random call on the disk; then the disk comes
  // back as it would, and the store is opened and checked. Sometimes the power goes again while it
  // is opened.
  void Round();
  // No byte of an erased memory is in any file.
  void CheckErasures();

  // What did not hold. Lost acknowledgements stand apart: without sync they are to be expected.
  const std::vector<std::string>& lost() const { return lost_; }
  const std::vector<std::string>& wrong() const { return wrong_; }
  std::uint64_t acknowledged() const { return acked_.size(); }
  std::uint64_t cuts() const { return cuts_; }

 private:
  // An acknowledged command: its entries are `first` to `last`.
  struct Ack {
    SpaceId space;
    Seq first;
    Seq last;
    Micros time;
  };
  struct Note {
    Uuid id;
    std::string word;  // in no other memory
    bool erased = false;
  };
  struct Client;

  bool OpenEngine();
  bool OpenAll();
  void Close();
  void Reboot();
  void Load();
  void Work(Client& client);
  void Watch();
  void Act(Client& client, std::uint64_t session);
  void Acknowledge(std::uint64_t session, SpaceId space, const WriteOutcome& outcome);
  void Check();
  void CheckLog(SpaceId space);
  void CheckHead(SpaceId space);
  void CheckSearch();
  std::string IndexState() const;
  void Expect(bool holds, const std::string& what);

  std::uint64_t seed_;
  std::mt19937_64 random_;
  SyncPolicy sync_;
  TempDir dir_{InMemory()};
  std::string data_;
  FakeClock clock_;
  SeededRandom bytes_;
  std::shared_ptr<ModelControls> model_ = std::make_shared<ModelControls>();
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<SearchService> search_;

  std::deque<Client> clients_;
  std::uint64_t cuts_ = 0;
  std::mutex mutex_;  // guards all below while clients run
  std::uint64_t next_session_ = 1;
  std::map<std::uint64_t, Ack> acked_;  // session, one for each command -> what was answered
  std::map<SpaceId, LogHead> seen_;     // the latest watermark that a reader saw
  std::vector<Note> notes_;
  std::vector<std::string> lost_;
  std::vector<std::string> wrong_;
};

}  // namespace perdure::testing
