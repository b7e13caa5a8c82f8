#include "engine/replay/scrub.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "engine/log/verify.h"

namespace perdure {
namespace {

using Seconds = std::chrono::duration<double>;

// Payloads are read a step at once, and one may have megabytes.
constexpr Seq kStepEntries = 16;
constexpr double kSecondsPerDay = 24 * 3600;
// Of the time that a pass has, so that it is done in time although the log grows.
constexpr double kShare = 0.8;
// Table files are compressed; what is read out of them is a few times as much.
constexpr double kBytesReadPerStored = 4;
// An erasure deletes payloads a moment before its entry can be seen.
constexpr Seconds kPatience{1.0};

}  // namespace

Scrub::Scrub(const Engine& engine, ScrubOptions options)
    : engine_(engine), options_(std::move(options)), thread_([this] { Run(); }) {}

Scrub::~Scrub() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  stopped_.NotifyAll();
  thread_.join();
}

ScrubStatus Scrub::Status() const {
  const MutexLock lock(mutex_);
  return status_;
}

void Scrub::Run() {
  // Linux knows a priority for each thread; it is no loss where that fails.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
  const Seconds in_a_pass{kSecondsPerDay * std::max(options_.days, 1)};
  for (;;) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<SpaceInfo> spaces = engine_.Spaces();
    double entries = 0;
    for (const SpaceInfo& space : spaces) {
      entries += static_cast<double>(engine_.Visible(space.id).seq);
    }
    const double seconds = in_a_pass.count() * kShare;
    const double bytes = static_cast<double>(engine_.store().BytesOnDisk()) * kBytesReadPerStored;
    entries_per_second_ = std::max(options_.entries_per_second, entries / seconds);
    bytes_per_second_ = std::max(options_.bytes_per_second, bytes / seconds);
    for (const SpaceInfo& space : spaces) CheckSpace(space);
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      ++status_.passes;
      status_.last_pass = engine_.clock().Now();
    }
    if (!Pause(in_a_pass - (std::chrono::steady_clock::now() - start))) return;
  }
}

void Scrub::CheckSpace(const SpaceInfo& space) {
  LogVerifier verifier(engine_.store(), space.id, Engine::OriginOf(space.name),
                       engine_.KeysOf(space.id).signing.public_key);
  bool waited = false;
  for (;;) {
    const Seq before = verifier.report().entries;
    const Seq last = engine_.Visible(space.id).seq;
    const auto bytes = verifier.Step(last, kStepEntries);
    if (!bytes) return Report(space, bytes.error().message);
    const Seq checked = verifier.report().entries - before;
    if (*bytes == 0 && verifier.HasUnexplained() && !waited) {
      waited = true;
      if (!Pause(kPatience)) return;
      continue;
    }
    if (*bytes == 0) {
      const auto finished = verifier.Finish(last);
      return Report(space, finished ? verifier.report().problem : finished.error().message);
    }
    waited = false;
    {
      const MutexLock lock(mutex_);
      status_.entries += checked;
    }
    const Seconds pause(std::max(static_cast<double>(checked) / entries_per_second_,
                                 static_cast<double>(*bytes) / bytes_per_second_));
    if (!Pause(pause)) return;
  }
}

// What a look at a whole space came to; no problem takes back what was said of it before.
void Scrub::Report(const SpaceInfo& space, const std::string& problem) {
  {
    const MutexLock lock(mutex_);
    std::string& known = status_.problems[space.name];
    const bool is_new = !problem.empty() && known != problem;
    known = problem;
    if (problem.empty()) status_.problems.erase(space.name);
    if (!is_new) return;
    ++status_.findings;
  }
  if (options_.on_finding) options_.on_finding(space.name, problem);
}

bool Scrub::Pause(Seconds time) {
  const MutexLock lock(mutex_);
  return !stopped_.WaitFor(mutex_, time, [this]() REQUIRES(mutex_) { return stopping_; });
}

}  // namespace perdure
