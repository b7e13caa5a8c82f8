#include "server/mcp/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/mcp/protocol.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Json kForm = Json::parse(R"({"method": "elicitation/create", "params": {"message": "Sure?",
    "requestedSchema": {"type": "object", "required": ["ok"],
                        "properties": {"ok": {"type": "boolean"}}}}})");

class DialogueTest : public ::testing::Test {
 protected:
  static McpRequest Call(McpEra era, Json params, Json capabilities = {{"elicitation", {}}}) {
    McpRequest request;
    request.id = 1;
    request.method = "tools/call";
    request.era = era;
    request.params = std::move(params);
    request.params["name"] = "tool";
    request.capabilities = std::move(capabilities);
    if (request.capabilities["elicitation"].is_null()) request.capabilities.erase("elicitation");
    return request;
  }
  static McpRequest Modern(Json params, Json capabilities = {{"elicitation", Json::object()}}) {
    return Call(McpEra::kModern, std::move(params), std::move(capabilities));
  }

  McpDialogue Begin(const McpRequest& request) {
    auto talk = McpDialogue::Begin(caller_, request, &seal_).value();
    talk.set_send(&send_);
    return talk;
  }
  int Refusal(const McpRequest& request) {
    const auto talk = McpDialogue::Begin(caller_, request, &seal_);
    return talk ? 0 : talk.error().code;
  }

  Caller caller_;
  RequestState seal_{"key"};
  std::vector<Json> sent_;
  McpSend send_ = [this](const Json& message) { sent_.push_back(message); };
};

TEST_F(DialogueTest, ProgressGoesToTheTokenAndOnlyForwards) {
  for (const McpEra era : {McpEra::kLegacy, McpEra::kModern}) {
    sent_.clear();
    auto talk = Begin(Call(era, {{"_meta", {{"progressToken", 7}}}}));
    EXPECT_TRUE(talk.IsHeard());
    talk.Progress(0, 10, "");
    talk.Progress(4, 10, "on the way");
    talk.Progress(4, 10, "standing still");
    talk.Progress(3, 10, "backwards");
    talk.Progress(5, 0, "");
    ASSERT_EQ(sent_.size(), 3U);
    EXPECT_EQ(sent_[1]["method"], "notifications/progress");
    EXPECT_EQ(sent_[1]["params"], Json::parse(R"({"progressToken": 7, "progress": 4.0,
        "total": 10.0, "message": "on the way"})"));
    EXPECT_FALSE(sent_[2]["params"].contains("total"));
  }
}

TEST_F(DialogueTest, NothingIsSentThatWasNotAskedFor) {
  auto talk = Begin(Modern(Json::object()));
  EXPECT_FALSE(talk.IsHeard());
  talk.Progress(1, 2, "");
  talk.Log(LogLevel::kEmergency, "fire");
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(DialogueTest, LogMessagesGoOutFromTheAskedLevelOn) {
  auto talk = Begin(Modern({{"_meta", {{mcp::kLogLevelKey, "notice"}}}}));
  talk.Log(LogLevel::kInfo, "below");
  talk.Log(LogLevel::kNotice, "at");
  talk.Log(LogLevel::kAlert, {{"over", 1}});
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(sent_[0]["method"], "notifications/message");
  EXPECT_EQ(sent_[0]["params"],
            Json::parse(R"({"level": "notice", "data": "at", "logger": "tool"})"));
  EXPECT_EQ(sent_[1]["params"]["level"], "alert");
}

TEST_F(DialogueTest, EveryLevelHasItsNameAndNothingElseIsOne) {
  int number = 0;
  for (const char* name :
       {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}) {
    EXPECT_EQ(LogLevelOf(name), static_cast<LogLevel>(number++)) << name;
  }
  for (const Json& other : {Json("Info"), Json(""), Json(1), Json()}) {
    EXPECT_EQ(LogLevelOf(other), std::nullopt) << other;
  }
}

TEST_F(DialogueTest, ALegacyRequestDoesNotSetALevelOfItsOwn) {
  EXPECT_FALSE(Begin(Call(McpEra::kLegacy, {{"_meta", {{mcp::kLogLevelKey, "debug"}}}})).IsHeard());
}

TEST_F(DialogueTest, AQuestionIsTheResultUntilItIsAnswered) {
  auto first = Begin(Modern(Json::object()));
  EXPECT_EQ(first.Ask("sure", kForm).value(), std::nullopt);
  EXPECT_TRUE(first.IsWaiting());
  EXPECT_EQ(first.InputRequired(),
            (Json{{"resultType", "input_required"}, {"inputRequests", {{"sure", kForm}}}}));

  auto second = Begin(
      Modern({{"inputResponses",
               {{"sure", {{"action", "accept"}, {"content", {{"ok", true}}}}}, {"unasked", 1}}}}));
  const auto answer = second.Ask("sure", kForm).value();
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)["content"]["ok"], true);
  EXPECT_FALSE(second.IsWaiting());
}

TEST_F(DialogueTest, AnswersOfTheWrongFormAreAskedForAgain) {
  const auto is_taken = [&](const Json& answer) {
    auto talk = Begin(Modern({{"inputResponses", {{"sure", answer}}}}));
    return talk.Ask("sure", kForm).value().has_value();
  };
  EXPECT_TRUE(is_taken({{"action", "accept"}, {"content", {{"ok", false}}}}));
  EXPECT_TRUE(is_taken({{"action", "decline"}}));
  EXPECT_TRUE(is_taken({{"action", "cancel"}}));
  EXPECT_FALSE(is_taken({{"action", "accept"}}));
  EXPECT_FALSE(is_taken({{"action", "accept"}, {"content", {{"ok", "perhaps"}}}}));
  EXPECT_FALSE(is_taken({{"action", "accept"}, {"content", {{"ok", true}, {"more", 1}}}}));
  EXPECT_FALSE(is_taken({{"action", "shrug"}}));
  EXPECT_FALSE(is_taken(12345));
  EXPECT_FALSE(is_taken(nullptr));

  const auto is_taken_by = [&](const char* method, const Json& answer) {
    auto talk = Begin(Modern({{"inputResponses", {{"k", answer}}}},
                             {{"sampling", Json::object()}, {"roots", Json::object()}}));
    return talk.Ask("k", {{"method", method}, {"params", Json::object()}}).value().has_value();
  };
  const Json said = {{"role", "assistant"}, {"model", "m"}, {"content", {{"type", "text"}}}};
  EXPECT_TRUE(is_taken_by("sampling/createMessage", said));
  EXPECT_FALSE(is_taken_by("sampling/createMessage", {{"role", "assistant"}}));
  EXPECT_TRUE(is_taken_by("roots/list", {{"roots", Json::array()}}));
  EXPECT_FALSE(is_taken_by("roots/list", {{"roots", "none"}}));
}

TEST_F(DialogueTest, OnlyDeclaredCapabilitiesAreAsked) {
  const auto can = [&](const Json& capabilities, const char* method) {
    return Begin(Modern(Json::object(), capabilities)).CanAsk(method);
  };
  const Json all = {
      {"elicitation", Json::object()}, {"sampling", Json::object()}, {"roots", Json::object()}};
  for (const char* method : {"elicitation/create", "sampling/createMessage", "roots/list"}) {
    EXPECT_TRUE(can(all, method)) << method;
    EXPECT_FALSE(can(Json::object(), method)) << method;
  }
  EXPECT_FALSE(can(all, "ping"));
  EXPECT_TRUE(can({{"elicitation", {{"form", Json::object()}}}}, "elicitation/create"));
  EXPECT_FALSE(can({{"elicitation", {{"url", Json::object()}}}}, "elicitation/create"));

  auto talk = Begin(Modern(Json::object(), Json::object()));
  EXPECT_THAT(talk.Ask("sure", kForm), FailsWith(Code::kUnavailable, HasSubstr("elicitation")));
  EXPECT_EQ(talk.missing(), Json::parse(R"({"elicitation": {}})"));
  EXPECT_FALSE(talk.IsWaiting());
}

TEST_F(DialogueTest, TheLegacyEraIsNotAsked) {
  EXPECT_TRUE(Begin(Call(McpEra::kModern, Json::object(), {{"elicitation", Json::object()}}))
                  .CanAsk("elicitation/create"));
  EXPECT_FALSE(Begin(Call(McpEra::kLegacy, Json::object(), {{"elicitation", Json::object()}}))
                   .CanAsk("elicitation/create"));
}

TEST_F(DialogueTest, WhatIsKeptComesBackToTheSameCallOfTheSameCallerOnly) {
  auto first = Begin(Modern({{"arguments", {{"id", "a"}}}}));
  EXPECT_TRUE(first.Kept().is_null());
  first.Keep({{"round", 1}});
  EXPECT_THAT(first.Ask("sure", kForm), IsOk());
  const Json state = first.InputRequired()["requestState"];

  const Json again = {{"arguments", {{"id", "a"}}}, {"requestState", state}};
  EXPECT_EQ(Begin(Modern(again)).Kept(), Json::parse(R"({"round": 1})"));

  EXPECT_EQ(Refusal(Modern({{"arguments", {{"id", "b"}}}, {"requestState", state}})),
            mcp::kInvalidParams);
  Json tampered = again;
  tampered["requestState"] = state.get<std::string>() + "-TAMPERED";
  EXPECT_EQ(Refusal(Modern(tampered)), mcp::kInvalidParams);
  caller_.principal_id = "somebody else";
  EXPECT_EQ(Refusal(Modern(again)), mcp::kInvalidParams);
  caller_.principal_id = "";
  EXPECT_EQ(Refusal(Modern(again)), 0);
}

TEST_F(DialogueTest, MalformedMembersAreRefused) {
  for (const char* params :
       {R"({"_meta": {"progressToken": 1.5}})", R"({"_meta": {"progressToken": {}}})",
        R"({"_meta": {"io.modelcontextprotocol/logLevel": "loud"}})", R"({"inputResponses": null})",
        R"({"inputResponses": []})", R"({"requestState": 7})", R"({"requestState": ""})",
        R"({"requestState": "e30."})"}) {
    EXPECT_EQ(Refusal(Modern(Json::parse(params))), mcp::kInvalidParams) << params;
  }
  EXPECT_EQ(Refusal(Modern(Json::parse(R"({"_meta": {"progressToken": "t"}})"))), 0);
}

TEST(RequestState, OpensOnlyWithItsKeyItsBindingAndWhole) {
  const RequestState state("key");
  const Json kept = {{"a", 1}, {"text", "\xc3\xa9"}};
  const std::string sealed = state.Seal("call", kept);
  EXPECT_EQ(state.Open("call", sealed), kept);
  EXPECT_EQ(state.Open("other call", sealed), std::nullopt);
  EXPECT_EQ(RequestState("other key").Open("call", sealed), std::nullopt);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string altered = sealed;
    altered[i] = altered[i] == 'a' ? 'b' : 'a';
    EXPECT_EQ(state.Open("call", altered), std::nullopt) << i;
    EXPECT_EQ(state.Open("call", sealed.substr(0, i)), std::nullopt) << i;
  }
}

}  // namespace
}  // namespace perdure
