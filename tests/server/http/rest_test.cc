#include "server/http/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/support/fixture.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::Fixture;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

class RestTest : public ::testing::Test {
 protected:
  HttpResponse Send(const std::string& method, const std::string& target,
                    const std::string& body = "", const std::string& key = "") {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!key.empty()) request.headers.emplace("Idempotency-Key", key);
    EXPECT_TRUE(ReadTarget(request));
    request.caller =
        std::make_shared<const Caller>(fixture_.tokens.Authenticate("agent-token").value());
    return ServeRest(fixture_.catalogue, routes_, request, route_);
  }

  Json Body(const HttpResponse& response) { return Json::parse(response.body); }

  Fixture fixture_;
  RouteTable routes_{fixture_.catalogue};
  std::string route_;
};

TEST_F(RestTest, ArgumentsComeFromPathQueryAndBody) {
  EXPECT_EQ(Body(Send("PUT", "/api/v1/notes/a%2Fb", R"({"text": "t"})")),
            Json::parse(R"({"id": "a/b", "version": 1})"));
  EXPECT_EQ(route_, "/api/v1/notes/{id}");
  EXPECT_EQ(Body(Send("GET", "/api/v1/echo?text=hi&times=2&tags=x&tags=y"))["tags"],
            Json({"x", "y"}));
  EXPECT_EQ(Body(Send("PUT", "/api/v1/notes/n?text=from+query"))["version"], 1);
}

TEST_F(RestTest, AnArgumentGivenTwiceIsRefused) {
  const HttpResponse response = Send("PUT", "/api/v1/notes/n", R"({"id": "m", "text": "t"})");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(Body(response)["error"]["field"], "id");
  EXPECT_EQ(Send("PUT", "/api/v1/notes/n?text=a", R"({"text": "b"})").status, 400);
}

TEST_F(RestTest, BodiesMustBeObjectsOfJson) {
  EXPECT_EQ(Send("PUT", "/api/v1/notes/n", "[1]").status, 400);
  EXPECT_THAT(Send("PUT", "/api/v1/notes/n", "{").body, HasSubstr("not acceptable JSON"));
  EXPECT_EQ(Send("PUT", "/api/v1/notes/n", R"({"text": "t"})").status, 200);
}

TEST_F(RestTest, TheIdempotencyKeyFieldIsTheArgumentOfThatName) {
  const std::string note = R"({"text": "t"})";
  EXPECT_EQ(Body(Send("PUT", "/api/v1/notes/n", note, "k"))["key"], "k");
  const std::string same = R"({"text": "t", "idempotency_key": "k"})";
  EXPECT_EQ(Body(Send("PUT", "/api/v1/notes/n", same, "k"))["key"], "k");
  EXPECT_EQ(Send("PUT", "/api/v1/notes/n", same, "other").status, 400);
  EXPECT_EQ(Send("GET", "/api/v1/notes/n", "", "k").status, 200);
}

TEST_F(RestTest, ErrorsHaveTheStatusAndShapeOfTheirCode) {
  const HttpResponse response = Send("POST", "/api/v1/note_fail", R"({"code": "conflict"})");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(Body(response)["error"]["code"], "conflict");
  EXPECT_EQ(Body(response)["error"]["field"], "code");
  EXPECT_EQ(Body(response)["error"]["seq"], "7");
}

TEST_F(RestTest, UnknownPathsAre404AndWrongMethods405) {
  EXPECT_EQ(Send("GET", "/api/v1/nothing").status, 404);
  EXPECT_EQ(Send("GET", "/api/v1/notes").status, 404);
  EXPECT_EQ(Send("GET", "/api/v1/notes/").status, 404);
  EXPECT_EQ(Send("GET", "/api/v1/notes/a/b").status, 404);
  const HttpResponse response = Send("DELETE", "/api/v1/notes/n");
  EXPECT_EQ(response.status, 405);
  EXPECT_THAT(response.headers, Contains(Pair("Allow", "PUT, GET")));
  EXPECT_EQ(Body(response)["error"]["code"], "invalid_argument");
}

TEST_F(RestTest, ABugInAnOperationIsA500) {
  EXPECT_EQ(Send("POST", "/api/v1/note_throw").status, 500);
}

TEST_F(RestTest, OperationsThatAreNoToolsAreServed) {
  EXPECT_EQ(Send("POST", "/api/v1/rest_only").status, 200);
}

Operation At(const std::string& name, const std::string& method, const std::string& path) {
  Operation operation;
  operation.name = name;
  operation.input_schema = Json::parse(R"({"type": "object", "properties": {
      "id": {"type": "string"}, "n": {"type": "integer"}}})");
  operation.http_method = method;
  operation.http_path = path;
  operation.run = [name](const Caller&, const Json&) -> Result<Json> {
    return Json{{"name", name}};
  };
  return operation;
}

TEST(RouteTableTest, FixedSegmentsWinOverPlaceholders) {
  Catalogue catalogue;
  catalogue.Add(At("one", "GET", "/api/v1/memories/{id}"));
  catalogue.Add(At("search", "POST", "/api/v1/memories/search"));
  catalogue.Add(At("version", "GET", "/api/v1/memories/{id}/v/{n}"));
  const RouteTable routes(catalogue);
  EXPECT_EQ(routes.Find("GET", {"api", "v1", "memories", "x"}).operation->name, "one");
  EXPECT_EQ(routes.Find("HEAD", {"api", "v1", "memories", "x"}).operation->name, "one");
  EXPECT_EQ(routes.Find("POST", {"api", "v1", "memories", "search"}).operation->name, "search");
  EXPECT_EQ(routes.Find("GET", {"api", "v1", "memories", "search"}).operation, nullptr);
  const auto match = routes.Find("GET", {"api", "v1", "memories", "x", "v", "3"});
  EXPECT_EQ(match.operation->name, "version");
  EXPECT_EQ(match.arguments, Json::parse(R"({"id": "x", "n": "3"})"));
}

TEST(RouteTableDeathTest, TwoOperationsWithOneRouteAreABug) {
  Catalogue catalogue;
  catalogue.Add(At("one", "GET", "/api/v1/a"));
  catalogue.Add(At("two", "POST", "/api/v1/a"));
  EXPECT_NE(RouteTable(catalogue).Find("POST", {"api", "v1", "a"}).operation, nullptr);
  catalogue.Add(At("three", "GET", "/api/v1/a"));
  EXPECT_DEATH(RouteTable{catalogue}, "pattern");
}

}  // namespace
}  // namespace perdure
