#include "tools/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "tools/program.h"

namespace perdure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::uint64_t kBarColumns = 30;

void Draw(const std::string& line) {
  std::fputs(fmt::format("\r\033[K{}", line).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressBar::ProgressBar(std::string label, std::uint64_t total)
    : label_(std::move(label)),
      total_(std::max<std::uint64_t>(total, 1)),
      is_shown_(IsTerminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) Draw("");
}

void ProgressBar::Update(std::uint64_t done) {
  if (!is_shown_) return;
  const auto now = Clock::now();
  if (is_drawn_ && now - last_shown_ < kRedraw) return;
  last_shown_ = now;
  is_drawn_ = true;
  done = std::min(done, total_);
  const std::uint64_t columns = done * kBarColumns / total_;
  Draw(fmt::format("{} [{}{}] {:3}% {}/{}", label_, std::string(columns, '#'),
                   std::string(kBarColumns - columns, ' '), done * 100 / total_, done, total_));
}

Stopwatch::Stopwatch(std::string label) : label_(std::move(label)) {
  if (!IsTerminal(STDERR_FILENO)) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Stopwatch::~Stopwatch() = default;

void Stopwatch::Run(const std::stop_token& stop) {
  const auto start = Clock::now();
  const MutexLock lock(mutex_);
  for (;;) {
    ended_.Sleep(mutex_, stop, std::chrono::seconds(1));
    if (stop.stop_requested()) break;
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
    Draw(fmt::format("{} … {} s", label_, passed.count()));
  }
  Draw("");
}

}  // namespace perdure
