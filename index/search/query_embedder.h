// Embeds queries on threads of its own, so that a model that hangs holds up nobody for longer than
// the caller is willing to wait.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "index/embed/embedder.h"

namespace perdure {

class QueryEmbedder {
 public:
  // `embedder` must outlive it.
  QueryEmbedder(const Embedder& embedder, std::size_t threads);
  ~QueryEmbedder();  // waits for what the model is at

  // The unit vector of a query; of one with several lines, of the sum of the whole and its last
  // line, which in a dialogue is the question. All zeros when a stand-in finds nothing in it.
  // kUnavailable when the model does not answer in time; from then on at once, until it answers.
  Result<std::vector<float>> Embed(std::string_view query, std::chrono::milliseconds wait);

 private:
  struct Job {
    std::vector<std::string> texts;
    std::promise<Result<std::vector<float>>> answer;
  };
  void Run();
  Result<std::vector<float>> Answer(const Job& job) REQUIRES(mutex_);  // let go meanwhile

  const Embedder& embedder_;
  std::atomic<bool> unresponsive_{false};
  Mutex mutex_;
  CondVar filled_;
  std::deque<Job> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Whether the built-in model, which learnt English, can place the text: most of its letters are
// Latin. A text without letters counts as known.
bool KnowsScriptOf(std::string_view text);

}  // namespace perdure
