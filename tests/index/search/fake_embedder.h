// An embedder that a test can follow, stop and let fail: a bag of words, each word an axis.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

#include "index/embed/embedder.h"

namespace perdure::testing {

// Outlives its embedder: the service owns that.
struct ModelControls {
  std::atomic<int> embedded{0};  // texts
  std::atomic<bool> fails{false};
  std::mutex mutex;
  std::condition_variable moved;
  bool held = false;
  int waiting = 0;

  void Hold() {
    const std::lock_guard lock(mutex);
    held = true;
  }
  void Release() {
    {
      const std::lock_guard lock(mutex);
      held = false;
    }
    moved.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex);
    ++waiting;
    moved.notify_all();
    moved.wait(lock, [&] { return !held; });
    --waiting;
  }
  void AwaitCaller() {
    std::unique_lock lock(mutex);
    moved.wait(lock, [&] { return waiting > 0; });
  }
};

class FakeEmbedder final : public Embedder {
 public:
  static constexpr std::size_t kDimensions = 256;

  explicit FakeEmbedder(std::shared_ptr<ModelControls> controls, std::string name = "fake")
      : controls_(std::move(controls)) {
    info_.name = name;
    info_.dimensions = kDimensions;
    for (std::size_t i = 0; i < name.size() && i < info_.weights_hash.size(); ++i) {
      info_.weights_hash[i] = static_cast<std::uint8_t>(name[i]);
    }
  }

  const EmbedderInfo& info() const override { return info_; }

  Result<std::vector<float>> Embed(std::span<const std::string_view> texts) const override {
    controls_->Pass();
    if (controls_->fails) return Fail(Code::kUnavailable, "the model is away");
    std::vector<float> rows(texts.size() * kDimensions);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Fill(texts[i], std::span(rows).subspan(i * kDimensions, kDimensions));
    }
    controls_->embedded += static_cast<int>(texts.size());
    return rows;
  }

  std::size_t CountTokens(std::string_view text) const override {
    std::istringstream words{std::string(text)};
    std::size_t count = 0;
    for (std::string word; words >> word;) ++count;
    return count;
  }

 private:
  static void Fill(std::string_view text, std::span<float> row) {
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
      std::size_t hash = 14695981039346656037U;  // FNV-1a
      for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
      row[hash % kDimensions] += 1;
    }
    float norm = 0;
    for (const float value : row) norm += value * value;
    if (norm == 0) return;
    for (float& value : row) value /= std::sqrt(norm);
  }

  EmbedderInfo info_;
  std::shared_ptr<ModelControls> controls_;
};

}  // namespace perdure::testing
