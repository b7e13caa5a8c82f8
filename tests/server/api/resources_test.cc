#include <gmock/gmock.h>

#include <string>

#include "server/api/api.h"
#include "server/api/memory_prompts.h"
#include "server/api/memory_resources.h"

namespace perdure::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Resources, AreMemoriesNowThenAndByVersion) {
  Api api;
  const MemoryResources resources(*api.engine());
  const Json stored = api.Must("memory_store", {{"text", "first"}, {"title", "T"}});
  const std::string id = stored["id"];
  api.Must("memory_edit", {{"id", id}, {"text", "second"}});
  std::string time = stored["record_time"];
  const auto text = [&](const std::string& tail) {
    const auto read = resources.Read(Agent(), "perdure://memory/" + id + tail);
    return read ? read->bytes : "failed: " + read.error().message;
  };
  EXPECT_THAT(text(""), HasSubstr("second"));
  EXPECT_THAT(text("/v/1"), HasSubstr("first"));
  EXPECT_THAT(text("/asof/" + time), HasSubstr("first"));
  std::string encoded = time;
  for (std::size_t at; (at = encoded.find(':')) != std::string::npos;)
    encoded.replace(at, 1, "%3A");
  EXPECT_THAT(text("/asof/" + encoded), HasSubstr("first"));
  EXPECT_THAT(text(""), HasSubstr("<<<perdure-data "));
  for (const char* tail : {"/v/9", "/v/x", "/v", "/w/1", "/", "/v/1/2", "/asof/%zz"}) {
    EXPECT_THAT(resources.Read(Agent(), "perdure://memory/" + id + tail),
                FailsWith(Code::kNotFound, ::testing::_))
        << tail;
  }
  EXPECT_THAT(resources.Read(Agent(), "file:///etc/passwd"),
              FailsWith(Code::kNotFound, HasSubstr("file:")));
  EXPECT_THAT(resources.Read(Agent("elsewhere"), "perdure://memory/" + id),
              FailsWith(Code::kNotFound, HasSubstr(id)));
}

TEST(Resources, HaveATableOfContents) {
  Api api;
  const MemoryResources resources(*api.engine());
  api.Store("a", {{"scope", "acme/site"}, {"theme", "cooking"}});
  const auto index = resources.Read(Agent(), "perdure://index");
  ASSERT_THAT(index, IsOk());
  EXPECT_THAT(index->bytes, HasSubstr("1 memories"));
  EXPECT_THAT(index->bytes, HasSubstr("acme/site: 1"));
  EXPECT_THAT(index->bytes, HasSubstr("cooking: 1"));
}

TEST(Resources, TellWhatChangedToThoseWhoMaySeeIt) {
  Api api;
  const MemoryResources resources(*api.engine());
  const std::string a = api.Store("a", {{"scope", "a"}});
  const std::string b = api.Store("b", {{"scope", "b"}});
  const std::vector<std::string> uris = {"perdure://memory/" + a, "perdure://memory/" + b,
                                         "perdure://index", "nonsense"};
  const auto start = resources.ChangedSince(Agent(), uris, 0);
  EXPECT_THAT(start.uris, IsEmpty());
  EXPECT_THAT(resources.ChangedSince(Agent(), uris, start.position).uris, IsEmpty());
  api.Must("memory_edit", {{"id", a}, {"append", "+"}});
  const auto changed = resources.ChangedSince(Agent(), uris, start.position);
  EXPECT_THAT(changed.uris, ElementsAre(uris[0], uris[2]));
  EXPECT_GT(changed.position, start.position);
  EXPECT_THAT(resources.ChangedSince(Agent("b"), uris, start.position).uris, IsEmpty());
  EXPECT_THAT(resources.ChangedSince(Agent("a"), uris, start.position).uris,
              ElementsAre(uris[0], uris[2]));
  EXPECT_THAT(resources.ChangedSince(Agent(), uris, changed.position).uris, IsEmpty());
}

TEST(Prompts, AreThreeAndNameToolsThatExist) {
  Api api;
  const MemoryPrompts prompts;
  ASSERT_EQ(prompts.List().size(), 3);
  for (const Prompt& prompt : prompts.List()) {
    Json arguments = Json::object();
    for (const PromptArgument& argument : prompt.arguments) arguments[argument.name] = "some-words";
    NoDialogue talk;
    const auto rendered = prompts.Render(Agent(), prompt.name, arguments, talk);
    ASSERT_THAT(rendered, IsOk()) << prompt.name;
    const auto text = rendered->get<std::string>();
    EXPECT_THAT(text, HasSubstr("some-words"));
    for (std::size_t at = text.find("memory_"); at != std::string::npos;
         at = text.find("memory_", at + 1)) {
      std::size_t end = at;
      while (end < text.size() && (text[end] == '_' || std::islower(text[end]) != 0)) ++end;
      EXPECT_NE(api.catalogue().Find(text.substr(at, end - at)), nullptr)
          << text.substr(at, end - at);
    }
  }
  NoDialogue talk;
  EXPECT_THAT(prompts.Render(Agent(), "unknown", {}, talk),
              FailsWith(Code::kNotFound, HasSubstr("unknown")));
}

}  // namespace
}  // namespace perdure::testing
