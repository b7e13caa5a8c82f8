#include "simulation/oracle.h"

#include <algorithm>
#include <utility>

#include "engine/apply/memory_fold.h"
#include "engine/decide/refusal.h"

namespace perdure::simulation {
namespace {

constexpr std::ptrdiff_t kViolationsMax = 3;  // of a kind
constexpr std::size_t kRecordsMax = 400;

std::optional<std::uint64_t> Detail(const Error& error, std::string_view name) {
  for (const auto& [key, value] : error.details) {
    if (key == name) return std::stoull(value);
  }
  return std::nullopt;
}

bool Same(const MemoryOutcome& a, const MemoryOutcome& b) {
  return a.id == b.id && a.version == b.version && a.created == b.created && a.changed == b.changed;
}

bool Same(const WriteOutcome& a, const WriteOutcome& b) {
  return a.seq == b.seq && a.first_seq == b.first_seq && a.record_time == b.record_time &&
         a.moved_out == b.moved_out && a.erased == b.erased &&
         std::ranges::equal(a.memories, b.memories,
                            [](const auto& x, const auto& y) { return Same(x, y); });
}

}  // namespace

void Oracle::Fail(std::string_view kind, const std::string& what) {
  trace_.Note("VIOLATION {}: {}", kind, what);
  const auto same = [&](const std::string& violation) { return violation.starts_with(kind); };
  if (std::ranges::count_if(violations_, same) >= kViolationsMax) return;
  violations_.push_back(fmt::format("{}: step {}: {}", kind, trace_.step(), what));
}

void Oracle::SeeDurable(const VirtualDisk::Batch& batch) {
  if (batch.number <= last_group_) {
    Fail("order", fmt::format("group {} was written after group {}: not the order of decision",
                              batch.number, last_group_));
  }
  last_group_ = std::max(last_group_, batch.number);
  for (const Mutation& mutation : batch.mutations) {
    if (mutation.family != Family::kLog) continue;
    const std::string_view key = mutation.key;
    const auto space = static_cast<SpaceId>(ReadBigEndian(key.substr(0, 4)));
    const Seq seq = ReadBigEndian(key.substr(4));
    if (seq != durable_[space] + 1) {
      Fail("order",
           fmt::format("entry {} of space {} was written after entry {}: not the order of decision",
                       seq, space, durable_[space]));
    }
    durable_[space] = std::max(durable_[space], seq);
  }
}

void Oracle::SeeTimes(std::span<const Mutation> mutations, Micros latest) {
  for (const Mutation& mutation : mutations) {
    if (mutation.family != Family::kLog) continue;
    const auto entry = Entry::Parse(*mutation.value);
    Micros& last = times_[(*entry)->space()];
    const Micros time = (*entry)->record_time();
    if (time > std::max(latest, last + 1)) {
      Fail("clock", fmt::format("entry {} is dated by a clock that ran away", (*entry)->seq()));
    }
    last = time;
  }
}

void Oracle::SeeHead(SpaceId space, const LogHead& head) {
  LogHead& seen = seen_[space];
  if (head.seq == seen.seq && head.hash == seen.hash) return;
  if (head.seq > durable_[space]) {
    Fail("watermark", fmt::format("the watermark of space {} is at {}, the disk at {}", space,
                                  head.seq, durable_[space]));
  }
  if (head.seq < seen.seq || head.time < seen.time) {
    Fail("watermark",
         fmt::format("the watermark of space {} fell from {} to {}", space, seen.seq, head.seq));
  }
  seen = head;
}

void Oracle::SeeRecord(SpaceId space, const Uuid& id, Micros as_of,
                       std::optional<std::string> record) {
  const auto at = std::tuple(space, id, as_of);
  const auto known = records_.find(at);
  if (known != records_.end()) {
    if (known->second != record) {
      Fail("past", fmt::format("memory {} as of {} is not what it was", ToString(id), as_of));
    }
  } else if (records_.size() < kRecordsMax) {
    records_.emplace(at, std::move(record));
  }
}

const Oracle::Keyed* Oracle::KnownKey(const Submission& submission,
                                      const StateReader& latest) const {
  const WriteRequest& request = submission.request();
  const auto found =
      keys_.find({submission.space, request.principal.id, request.options.idempotency_key});
  if (found == keys_.end()) return nullptr;
  const WriteOutcome& outcome = found->second.outcome;
  for (Seq seq = outcome.first_seq; seq <= outcome.seq; ++seq) {
    const auto entry = ReadEntry(latest, submission.space, seq);
    if (!entry) return nullptr;
    const auto payload = ReadPayload(latest, **entry);
    if ((*entry)->payload_digest() != nullptr && !*payload) return nullptr;
    const fb::Id* memory = MemoryOf(**entry);
    if (memory == nullptr) continue;
    const auto record = ReadMemory(latest, submission.space, FromId(*memory));
    if (record && *record && (*record)->state == fb::MemoryState::erased) return nullptr;
  }
  return &found->second;
}

void Oracle::SeeAnswer(const Submission& submission, const Result<WriteOutcome>& answer,
                       const StateReader& latest, const LogHead& visible) {
  if (answer) {
    SeeDone(submission, *answer, latest, visible);
  } else {
    SeeError(submission, answer.error(), latest);
  }
}

void Oracle::SeeDone(const Submission& submission, const WriteOutcome& outcome,
                     const StateReader& latest, const LogHead& visible) {
  const bool wants_dry = submission.request().options.dry_run;
  if (wants_dry != outcome.dry_run) {
    Fail("answer", fmt::format("session {} {} a dry run", submission.session,
                               wants_dry ? "was not given" : "was given"));
  }
  if (wants_dry) nothing_.insert(submission.session);
  if (outcome.dry_run) return SeeKept(submission, outcome.kept_seq);
  const auto& [session, space] = std::pair(submission.session, submission.space);
  if (outcome.seq > durable_[space]) {
    Fail("answer",
         fmt::format("session {} was answered with entry {} of space {}, the disk is at {}",
                     session, outcome.seq, space, durable_[space]));
  }
  if (outcome.seq > visible.seq) {
    Fail("answer", fmt::format("session {} was answered with entry {} of space {}, readers see {}",
                               session, outcome.seq, space, visible.seq));
  }
  const WriteOptions& options = submission.request().options;
  bool is_first = true;
  if (!options.idempotency_key.empty()) {
    const Keyed* known = KnownKey(submission, latest);
    if (known != nullptr && known->digest != options.request_digest) {
      Fail("key", fmt::format("session {} used a key again for another request and was not refused",
                              session));
    } else if (known != nullptr && (!outcome.repeated || !Same(known->outcome, outcome))) {
      Fail("key", fmt::format("session {} used a key again and got another answer", session));
    }
    Keyed& kept = keys_[{space, submission.request().principal.id, options.idempotency_key}];
    is_first = kept.outcome.seq == 0;
    if (known == nullptr) kept = {options.request_digest, outcome};
  }
  if (is_first && outcome.repeated && !lost_.contains(session)) {
    Fail("key",
         fmt::format("session {} was the first with its key, and its answer an old one", session));
  }
  if (is_first || !outcome.repeated) {
    done_[session] = {space, outcome.first_seq, outcome.seq, outcome.record_time};
  }
  const auto memory = ChangedMemory(submission.request().command);
  if (options.expected_version && memory && !outcome.repeated) {
    claims_.push_back({space, outcome.first_seq, *memory, *options.expected_version});
  }
}

// The entry that keeps a dry run is there when the answer is.
void Oracle::SeeKept(const Submission& submission, Seq seq) {
  if (submission.request().options.keep != (seq != 0)) {
    Fail("answer", fmt::format("session {} asked to keep a dry run and got entry {}",
                               submission.session, seq));
  }
  if (seq == 0) return;
  if (seq > durable_[submission.space]) {
    Fail("answer",
         fmt::format("session {} was answered with the kept entry {} of space {}, the "
                     "disk is at {}",
                     submission.session, seq, submission.space, durable_[submission.space]));
  }
  notes_.push_back({submission.space, seq, submission.session, fb::Event::DryRunKept});
}

void Oracle::SeeError(const Submission& submission, const Error& error, const StateReader& latest) {
  if (error.code == Code::kUnavailable || error.code == Code::kStorageFull) {
    return SeeLost(submission);
  }
  const WriteRequest& request = submission.request();
  const Keyed* known =
      request.options.idempotency_key.empty() ? nullptr : KnownKey(submission, latest);
  if (known != nullptr && known->digest == request.options.request_digest && RuleOf(error)) {
    Fail("key", fmt::format("session {} used a key again and was refused: {}", submission.session,
                            error.message));
  }
  const auto refused = Detail(error, "refused_seq");
  if (!refused && !lost_.contains(submission.session)) nothing_.insert(submission.session);
  if (const auto kept = Detail(error, "kept_seq")) SeeKept(submission, *kept);
  if (!refused) return;
  if (*refused > durable_[submission.space]) {
    Fail("answer",
         fmt::format("session {} was refused with entry {} of space {}, the disk is at {}",
                     submission.session, *refused, submission.space, durable_[submission.space]));
  }
  notes_.push_back({submission.space, *refused, submission.session, fb::Event::WriteRefused});
  const auto current = Detail(error, "current_version");
  const auto memory = ChangedMemory(request.command);
  if (error.code != Code::kConflict || !current || !memory) return;
  claims_.push_back({submission.space, *refused, *memory, static_cast<std::uint32_t>(*current)});
  if (*current == request.options.expected_version) {
    Fail("conflict",
         fmt::format("session {} was told of a conflict with the version that it expected",
                     submission.session));
  }
}

}  // namespace perdure::simulation
