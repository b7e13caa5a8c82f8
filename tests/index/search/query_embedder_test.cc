#include "index/search/query_embedder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace perdure {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// A model that answers about a millisecond after it is asked, each time a little later.
class PunctualModel final : public Embedder {
 public:
  PunctualModel() { info_.dimensions = 1; }
  const EmbedderInfo& info() const override { return info_; }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts) const override {
    const auto until = steady_clock::now() + microseconds(1'000 + 2 * (asked_++ % 100));
    while (steady_clock::now() < until) std::this_thread::yield();
    return std::vector<float>(texts.size(), 1);
  }
  std::size_t CountTokens(std::string_view) const override { return 1; }

 private:
  EmbedderInfo info_;
  mutable int asked_ = 0;
};

// Once it was never asked again: it had answered just before it was said not to answer.
TEST(QueryEmbedder, AModelThatAnswersJustAsItIsGivenUpIsAskedAgain) {
  const PunctualModel model;
  QueryEmbedder queries(model, 1);
  int answered = 0;
  for (int i = 0; i < 1'500; ++i) {
    if (queries.Embed("query", milliseconds(1))) ++answered;
    const auto until = steady_clock::now() + seconds(10);
    while (!queries.Embed("query", seconds(10))) {
      ASSERT_LT(steady_clock::now(), until) << "it is given up for good, after " << i << " queries";
      std::this_thread::yield();
    }
  }
  EXPECT_LT(answered, 1'500) << "the control: it is given up now and then";
}

}  // namespace
}  // namespace perdure
