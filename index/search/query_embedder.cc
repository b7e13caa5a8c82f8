#include "index/search/query_embedder.h"

#include <cmath>
#include <utility>

namespace perdure {
namespace {

constexpr std::size_t kQueueMax = 256;

std::string_view LastLine(std::string_view query) {
  const std::size_t end = query.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  query = query.substr(0, end + 1);
  const std::size_t newline = query.rfind('\n');
  return newline == std::string_view::npos ? std::string_view() : query.substr(newline + 1);
}

// The unit vector of the sum of the rows.
std::vector<float> UnitSum(std::vector<float> rows, std::size_t dimensions) {
  double norm = 0;
  for (std::size_t i = 0; i < dimensions; ++i) {
    for (std::size_t at = i + dimensions; at < rows.size(); at += dimensions) rows[i] += rows[at];
    norm += static_cast<double>(rows[i]) * static_cast<double>(rows[i]);
  }
  const bool single = rows.size() == dimensions;
  rows.resize(dimensions);
  if (single || norm == 0) return rows;
  const auto scale = static_cast<float>(1 / std::sqrt(norm));
  for (float& value : rows) value *= scale;
  return rows;
}

// The code point at the front of `text`, which is cut off; malformed bytes count one by one.
char32_t TakeCodePoint(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t point = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return point;
}

bool IsLatin(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c < 0x250) ||
         (c >= 0x1E00 && c < 0x1F00);
}

// Letters and syllables of other scripts: Greek to Georgian and on, kana, Han, Hangul; no
// punctuation, symbols or private use.
bool IsOtherLetter(char32_t c) {
  return (c >= 0x370 && c < 0x1E00) || (c >= 0x1F00 && c < 0x2000) || (c >= 0x3040 && c < 0xD7B0) ||
         (c >= 0x20000 && c < 0x32000);
}

}  // namespace

QueryEmbedder::QueryEmbedder(const Embedder& embedder, std::size_t threads) : embedder_(embedder) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

QueryEmbedder::~QueryEmbedder() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  filled_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void QueryEmbedder::Run() {
  const MutexLock lock(mutex_);
  while (true) {
    filled_.Wait(mutex_, [&]() REQUIRES(mutex_) { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    auto rows = Answer(job);
    unresponsive_ = false;
    job.answer.set_value(std::move(rows));
  }
}

Result<std::vector<float>> QueryEmbedder::Answer(const Job& job) {
  const MutexUnlock unlocked(mutex_);
  const std::vector<std::string_view> views(job.texts.begin(), job.texts.end());
  auto rows = embedder_.Embed(views);
  if (rows) *rows = UnitSum(std::move(*rows), embedder_.info().dimensions);
  return rows;
}

Result<std::vector<float>> QueryEmbedder::Embed(std::string_view query,
                                                std::chrono::milliseconds wait) {
  if (unresponsive_) return Fail(Code::kUnavailable, "The model does not answer.");
  Job job;
  job.texts.emplace_back(query);
  const std::string_view last = LastLine(query);
  if (!last.empty()) job.texts.emplace_back(last);
  auto answer = job.answer.get_future();
  {
    const MutexLock lock(mutex_);
    if (stopping_ || queue_.size() >= kQueueMax) {
      return Fail(Code::kUnavailable, "Too many queries wait for the model.");
    }
    queue_.push_back(std::move(job));
  }
  filled_.NotifyOne();
  if (answer.wait_for(wait) != std::future_status::ready) {
    const MutexLock lock(mutex_);
    // Unless the answer came just now: there would be none to come that says that it does answer.
    if (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      unresponsive_ = true;
      return Fail(Code::kUnavailable, "The model did not answer in time.");
    }
  }
  return answer.get();
}

bool KnowsScriptOf(std::string_view text) {
  std::size_t latin = 0;
  std::size_t other = 0;
  while (!text.empty()) {
    const char32_t c = TakeCodePoint(text);
    latin += IsLatin(c) ? 1 : 0;
    other += IsOtherLetter(c) ? 1 : 0;
  }
  return latin >= other;
}

}  // namespace perdure
