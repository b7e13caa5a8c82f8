#include <gmock/gmock.h>

#include <string>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MemoryStore, AnswersWithIdVersionAndPlaceInTheLog) {
  Api api;
  const Json stored = api.Must("memory_store", {{"text", "We deploy on Fridays."}});
  EXPECT_TRUE(ParseUuid(stored["id"].get<std::string>()));
  EXPECT_EQ(stored["version"], 1);
  EXPECT_EQ(stored["created"], true);
  EXPECT_EQ(stored["not_applied"], Json::array());
  EXPECT_GT(stored["seq"], 0);
  EXPECT_THAT(ParseTime(stored["record_time"].get<std::string>(), "record_time"), IsOk());
}

TEST(MemoryStore, GivesBackEveryArgument) {
  Api api;
  const Json arguments = {{"text", "Turn it off and on."},
                          {"title", "Router"},
                          {"tags", {"home", "network"}},
                          {"kind", "episode"},
                          {"type", "advice"},
                          {"theme", "house"},
                          {"scope", "family/home;user=ann"},
                          {"source", "chat.txt"},
                          {"conversation", "c1"},
                          {"position", -3},
                          {"speaker", "Bob"},
                          {"session", "s2"},
                          {"metadata", {{"a", {1, 2.5, nullptr}}, {"b", {{"c", "d"}}}}},
                          {"authorship", "reference"},
                          {"importance", 0.8},
                          {"reference_time", "2023-01-02T03:04:05.000000Z"},
                          {"valid_from", "2023-01-01T00:00:00.000000Z"},
                          {"valid_until", "2033-01-01T00:00:00.000000Z"},
                          {"expires_at", "2043-01-01T00:00:00.000000Z"}};
  const std::string id = api.Must("memory_store", arguments)["id"];
  const Json memory = api.Get(id);
  for (const auto& [name, value] : arguments.items()) EXPECT_EQ(memory[name], value) << name;
  EXPECT_EQ(memory["trust"], "inferred");
  EXPECT_EQ(memory["state"], "live");
  EXPECT_EQ(memory["origin"], "test/1");
}

TEST(MemoryStore, KeepsTheSameNoteOnce) {
  Api api;
  const Json first = api.Must("memory_store", {{"text", "Tea at four"}, {"title", "Tea"}});
  const Json again = api.Must("memory_store", {{"text", "Tea at four"}, {"title", "Tea"}});
  EXPECT_EQ(again["id"], first["id"]);
  EXPECT_EQ(again["created"], false);
  EXPECT_EQ(again["version"], 1);
  const Json other = api.Must("memory_store", {{"text", "Tea at five"}, {"title", "Tea"}});
  EXPECT_NE(other["id"], first["id"]);
  EXPECT_EQ(api.Must("memory_list", {})["total"], 2);
}

TEST(MemoryStore, NamesWhatARepeatedStoreLeavesAlone) {
  Api api;
  const Json first = api.Must("memory_store", {{"text", "Tea"}, {"speaker", "Ann"}});
  const Json again =
      api.Must("memory_store", {{"text", "Tea"}, {"speaker", "Bob"}, {"tags", {"drink"}}});
  EXPECT_EQ(again["created"], false);
  EXPECT_EQ(again["version"], 2);
  EXPECT_EQ(again["not_applied"], Json({"speaker"}));
  const Json memory = api.Get(first["id"]);
  EXPECT_EQ(memory["speaker"], "Ann");
  EXPECT_EQ(memory["tags"], Json({"drink"}));
}

TEST(MemoryStore, KeepsTextsByteForByte) {
  Api api;
  std::string large;
  while (large.size() < 1024 * 1024)
    large += "\xF0\x9F\xA6\x8A line " + std::to_string(large.size()) + "\r\n";
  const std::string texts[] = {std::string("a\0b\0", 4),
                               "\xEF\xBB\xBF"
                               "begins with a byte order mark",
                               "mixed\r\nline\nends\r",
                               "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\xAE"
                               "abc\xE2\x80\xAC",
                               "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
                               " ",
                               large};
  for (const std::string& text : texts) {
    const std::string id = api.Store(text);
    EXPECT_EQ(api.Get(id)["text"].get<std::string>(), text) << text.substr(0, 20);
  }
}

TEST(MemoryStore, RefusesWhatIsWrongAndNamesIt) {
  Api api;
  EXPECT_THAT(api.Call("memory_store", {}), FailsAt(Code::kInvalidArgument, "text"));
  EXPECT_THAT(api.Call("memory_store", {{"text", ""}}), FailsAt(Code::kInvalidArgument, "text"));
  EXPECT_THAT(api.Call("memory_store", {{"text", "a"}, {"tgas", {"b"}}}),
              FailsAt(Code::kInvalidArgument, "tgas"));
  EXPECT_THAT(api.Call("memory_store", {{"text", "a"}, {"importance", 2}}),
              FailsAt(Code::kInvalidArgument, "importance"));
  EXPECT_THAT(api.Call("memory_store", {{"text", "a"}, {"kind", "image"}}),
              FailsAt(Code::kInvalidArgument, "kind"));
  EXPECT_THAT(api.Call("memory_store", {{"text", "a"}, {"reference_time", "yesterday"}}),
              FailsAt(Code::kInvalidArgument, "reference_time"));
  EXPECT_THAT(
      api.Call("memory_store",
               {{"text", "a"}, {"valid_from", "2024-02-01"}, {"valid_until", "2024-01-01"}}),
      FailsAt(Code::kInvalidArgument, "valid_until"));
  EXPECT_THAT(api.Call("memory_store", {{"text", "a"}, {"scope", "acme/*"}}),
              FailsAt(Code::kInvalidArgument, "scope"));
  EXPECT_THAT(api.Call("memory_store", {{"text", std::string(2 * 1024 * 1024 + 1, 'a')}}),
              FailsAt(Code::kTooLarge, "text"));
  EXPECT_EQ(api.Must("memory_list", {})["total"], 0);
  EXPECT_NE(api.Store(std::string(2 * 1024 * 1024, 'a')), "");
}

TEST(MemoryStore, ReadsArgumentsForgivingly) {
  Api api;
  const std::string id = api.Must("memory_store", {{"text", "a"},
                                                   {"title", ""},
                                                   {"tags", "[\"x\",\"y\"]"},
                                                   {"metadata", "{\"k\":1}"},
                                                   {"importance", "0.25"},
                                                   {"position", 4.0},
                                                   {"theme", nullptr}})["id"];
  const Json memory = api.Get(id);
  EXPECT_EQ(memory["tags"], Json({"x", "y"}));
  EXPECT_EQ(memory["metadata"], Json({{"k", 1}}));
  EXPECT_EQ(memory["importance"], 0.25);
  EXPECT_EQ(memory["position"], 4);
  EXPECT_FALSE(memory.contains("theme"));
}

TEST(MemoryStoreMany, StoresAllOrNone) {
  Api api;
  const Json good = {{{"text", "one"}}, {{"text", "two"}}, {{"text", "one"}}};
  const Json stored = api.Must("memory_store_many", {{"memories", good}});
  ASSERT_EQ(stored["results"].size(), 3);
  EXPECT_EQ(stored["results"][0]["id"], stored["results"][2]["id"]);
  EXPECT_EQ(stored["results"][2]["created"], false);
  const Json bad = {{{"text", "three"}},
                    {{"text", "four"}, {"importance", 0.5}, {"scope", "a//b"}}};
  EXPECT_THAT(api.Call("memory_store_many", {{"memories", bad}}),
              FailsAt(Code::kInvalidArgument, "memories[1].scope"));
  const Json expired = {{{"text", "three"}}, {{"text", "four"}, {"expires_at", "2001-01-01"}}};
  EXPECT_THAT(api.Call("memory_store_many", {{"memories", expired}}),
              FailsAt(Code::kInvalidArgument, "memories[1].expires_at"));
  EXPECT_EQ(api.Must("memory_list", {})["total"], 2);
}

TEST(MemoryStoreMany, PartialStoresWhatItCanAndSaysWhatItCannot) {
  Api api;
  const Json call = {
      {"partial", true},
      {"idempotency_key", "k"},
      {"memories",
       {{{"text", "one"}}, {{"text", "two"}, {"expires_at", "2001-01-01"}}, {{"text", "three"}}}}};
  const Json stored = api.Must("memory_store_many", call);
  ASSERT_EQ(stored["results"].size(), 3);
  EXPECT_EQ(stored["results"][0]["created"], true);
  EXPECT_EQ(stored["results"][1]["error"]["field"], "memories[1].expires_at");
  EXPECT_EQ(stored["results"][2]["created"], true);
  EXPECT_EQ(stored["seq"], stored["results"][2]["seq"]);
  const Json again = api.Must("memory_store_many", call);
  EXPECT_EQ(again["results"][0], stored["results"][0]);
  EXPECT_EQ(again["results"][2], stored["results"][2]);
  Json other = call;
  other["memories"][2]["text"] = "four";
  const Json refused = api.Must("memory_store_many", other);
  EXPECT_EQ(refused["results"][0]["error"]["code"], "idempotency_mismatch");
}

TEST(MemoryStoreMany, TakesAThousandAndNotOneMore) {
  Api api;
  Json memories = Json::array();
  for (int i = 0; i < 1000; ++i) memories.push_back({{"text", "memory " + std::to_string(i)}});
  EXPECT_EQ(api.Must("memory_store_many", {{"memories", memories}})["results"].size(), 1000);
  memories.push_back({{"text", "one too many"}});
  EXPECT_THAT(api.Call("memory_store_many", {{"memories", memories}}),
              FailsAt(Code::kTooLarge, "memories"));
}

}  // namespace
}  // namespace perdure::testing
