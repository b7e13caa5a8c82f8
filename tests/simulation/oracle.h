// What must be true of a run, step by step and of what is left of it: everything that was answered,
// seen or read is kept here and held against the store.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/proof/keys.h"
#include "engine/write/watermark.h"
#include "simulation/client.h"
#include "simulation/trace.h"
#include "simulation/virtual_disk.h"

namespace perdure::simulation {

class Oracle {
 public:
  explicit Oracle(Trace& trace) : trace_(trace) {}

  // `kind`: what was broken, a word.
  void Fail(std::string_view kind, const std::string& what);
  const std::vector<std::string>& violations() const { return violations_; }

  // A group is on disk.
  void SeeDurable(const VirtualDisk::Batch& batch);
  // A group is to be written; `latest`: no clock that could be believed was ever later.
  void SeeTimes(std::span<const Mutation> mutations, Micros latest);
  // A reader was shown this head.
  void SeeHead(SpaceId space, const LogHead& head);
  // A reader was given this record as of that time: it stays what it is.
  void SeeRecord(SpaceId space, const Uuid& id, Micros as_of, std::optional<std::string> record);
  // `latest`: the store as it is; `visible`: the head of the command's space.
  void SeeAnswer(const Submission& submission, const Result<WriteOutcome>& answer,
                 const StateReader& latest, const LogHead& visible);
  // Nobody knows whether the command was done.
  void SeeLost(const Submission& submission) { lost_.insert(submission.session); }

  // Holds a store against all of that; every space with its keys.
  void CheckStore(const VirtualDisk& disk, const std::map<SpaceId, SpaceKeys>& keys,
                  Chance& chance);

 private:
  friend class StoreCheck;
  // The entries `first` to `last` of one command.
  struct Done {
    SpaceId space = 0;
    Seq first = 0;
    Seq last = 0;
    Micros time = 0;
  };
  // An entry about a command that was not done: a refusal, or a dry run that is kept.
  struct Note {
    SpaceId space = 0;
    Seq seq = 0;
    std::uint64_t session = 0;
    fb::Event event = fb::Event::NONE;
  };
  // Just before entry `seq` the memory has that version.
  struct Claim {
    SpaceId space = 0;
    Seq seq = 0;
    Uuid memory;
    std::uint32_t version = 0;
  };
  struct Keyed {
    std::string digest;
    WriteOutcome outcome;
  };
  using KeyName = std::tuple<SpaceId, Uuid, std::string>;

  void SeeDone(const Submission& submission, const WriteOutcome& outcome, const StateReader& latest,
               const LogHead& visible);
  void SeeError(const Submission& submission, const Error& error, const StateReader& latest);
  void SeeKept(const Submission& submission, Seq seq);
  // The answer that the submission's key got before; nullptr when it is new, or may have
  // gone with an erasure or a compaction.
  const Keyed* KnownKey(const Submission& submission, const StateReader& latest) const;

  Trace& trace_;
  std::vector<std::string> violations_;
  std::uint64_t last_group_ = 0;
  std::map<SpaceId, Seq> durable_;
  std::map<SpaceId, Micros> times_;  // of the last entries decided
  std::map<SpaceId, LogHead> seen_;
  std::map<std::tuple<SpaceId, Uuid, Micros>, std::optional<std::string>> records_;
  std::map<std::uint64_t, Done> done_;  // by session
  std::vector<Note> notes_;
  std::vector<Claim> claims_;
  std::map<KeyName, Keyed> keys_;
  std::set<std::uint64_t> lost_;     // sessions
  std::set<std::uint64_t> nothing_;  // sessions of which the log holds nothing but refusals
};

}  // namespace perdure::simulation
