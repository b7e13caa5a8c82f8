#include "tools/routes.h"

#include <gtest/gtest.h>

#include "server/http/rest.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"
#include "tools/data_dir.h"
#include "tools/house.h"

namespace perdure {
namespace {

using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;

class RoutesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SystemClock clock;
    SystemRandom random;
    ASSERT_THAT(FillDataDir(data_.path(), clock, random), IsOk());
    auto attempt = DirectoryLock::Acquire(data_.path(), "test", std::chrono::seconds(1));
    ASSERT_THAT(attempt, IsOk());
    auto house = House::Open({.data_dir = data_.path(), .model_dir = data_ / "none"},
                             std::move(*attempt->lock));
    ASSERT_THAT(house, IsOk());
    house_ = std::move(*house);
  }

  TempDir data_;
  std::unique_ptr<House> house_;
};

// So that `erase` of the settings binds all of them.
TEST_F(RoutesTest, WhateverErasesSaysSo) {
  for (const Operation* operation : house_->catalogue().All()) {
    EXPECT_EQ(operation->erases, operation->name.contains("erase")) << operation->name;
  }
}

TEST_F(RoutesTest, AreThoseOfTheCatalogue) {
  for (const Operation* operation : house_->catalogue().All()) {
    const Route* route = FindRoute(operation->name);
    ASSERT_NE(route, nullptr) << operation->name;
    EXPECT_EQ(route->method, operation->http_method) << operation->name;
    EXPECT_EQ(route->path, operation->http_path) << operation->name;
  }
  EXPECT_EQ(Routes().size(), house_->catalogue().All().size());
}

TEST_F(RoutesTest, LeadARequestToItsOperationWithTheSameArguments) {
  const RouteTable table(house_->catalogue());
  const ClientRequest sent =
      RequestFor(*FindRoute("memory_get"), {{"id", "a/b?c"}, {"ids", {"x", "y"}}, {"version", 3}});
  HttpRequest request;
  request.method = sent.method;
  request.target = sent.target;
  ASSERT_THAT(ReadTarget(request), IsOk());
  const RouteTable::Match match = table.Find(request.method, request.segments);
  ASSERT_NE(match.operation, nullptr);
  EXPECT_EQ(match.operation->name, "memory_get");
  EXPECT_EQ(match.arguments["id"], "a/b?c");
  const std::vector<std::pair<std::string, std::string>> query = {{"ids", R"(["x","y"])"},
                                                                  {"version", "3"}};
  EXPECT_EQ(request.query, query);
}

TEST_F(RoutesTest, PutTheArgumentsOfAWriteIntoItsBody) {
  const ClientRequest sent =
      RequestFor(*FindRoute("memory_forget"), {{"id", "0190f3c2"}, {"dry_run", true}});
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, "/api/v1/memories/0190f3c2/forget");
  EXPECT_EQ(sent.body, R"({"dry_run":true})");
}

}  // namespace
}  // namespace perdure
