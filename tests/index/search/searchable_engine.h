// A test engine with a search service over it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "index/search/fake_embedder.h"
#include "index/search/search_service.h"
#include "support/test_engine.h"

namespace perdure::testing {

class SearchableEngine {
 public:
  explicit SearchableEngine(std::uint64_t seed = 1) : engine_(seed) {
    options_.directory = engine_.dir() / "index";
    OpenSearch();
  }
  ~SearchableEngine() {
    model_->Release();
    search_.reset();
  }

  void OpenSearch() {
    auto opened = SearchService::Open(*engine_, std::make_unique<FakeEmbedder>(model_, model_name_),
                                      options_);
    ASSERT_THAT(opened, IsOk());
    search_ = std::move(*opened);
  }
  void CloseSearch() { search_.reset(); }
  void ReopenSearch() {
    CloseSearch();
    OpenSearch();
  }

  TestEngine& operator*() { return engine_; }
  TestEngine* operator->() { return &engine_; }
  SearchService& search() { return *search_; }
  SearchOptions& options() { return options_; }
  ModelControls& model() { return *model_; }
  void UseModel(std::string name) { model_name_ = std::move(name); }
  std::string index_dir() const { return options_.directory; }
  SpaceIndexStatus SpaceStatus() { return search_->Status().spaces.at(0); }
  bool Settle() { return search_->WaitUntilIndexed(kMainSpace, std::chrono::seconds(60)); }

  Result<SearchAnswer> Search(SearchRequest request, const Principal& principal = With(kAgent)) {
    return search_->Search(principal, request);
  }
  // The ids that answer a query; the test fails when there is an error.
  std::vector<Uuid> FindBy(SearchRequest request, const Principal& principal = With(kAgent)) {
    const auto answer = Search(std::move(request), principal);
    EXPECT_THAT(answer, IsOk());
    std::vector<Uuid> ids;
    if (!answer) return ids;
    for (const SearchHit& hit : answer->hits) ids.push_back(hit.id);
    return ids;
  }
  std::vector<Uuid> Find(std::string query, const Principal& principal = With(kAgent)) {
    return FindBy({.query = std::move(query)}, principal);
  }

 private:
  TestEngine engine_;
  std::shared_ptr<ModelControls> model_ = std::make_shared<ModelControls>();
  std::string model_name_ = "fake";
  SearchOptions options_;
  std::unique_ptr<SearchService> search_;
};

}  // namespace perdure::testing
