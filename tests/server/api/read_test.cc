#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/base/front_limits.h"
#include "server/api/api.h"
#include "server/api/json.h"

namespace perdure::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MemoryGet, ShowsAModelTheBeginningOfALongText) {
  Api api;
  for (const int more : {-1, 0, 1}) {
    const std::size_t size = limits::kMirrorTextBytesMax + static_cast<std::size_t>(more);
    const std::string id = api.Store(std::string(size - 1, 'x') + "y");
    const Json answer = api.Must("memory_get", {{"ids", {id}}});
    EXPECT_EQ(answer["memories"][0]["text"].get<std::string>().size(), size);
    const std::string mirror = api.catalogue().Find("memory_get")->mirror(answer);
    EXPECT_EQ(mirror.contains("xy"), more <= 0) << size;
    EXPECT_EQ(mirror.contains("The text goes on"), more > 0) << size;
  }
}

TEST(MemoryGet, ReadsManyAndReportsThoseMissing) {
  Api api;
  const std::string a = api.Store("a");
  const std::string b = api.Store("b");
  const std::string nobody = "01900000-0000-7000-8000-000000000001";
  const Json got = api.Must("memory_get", {{"ids", {a, nobody, "zz", b}}});
  ASSERT_EQ(got["memories"].size(), 2);
  EXPECT_EQ(got["memories"][0]["text"], "a");
  EXPECT_EQ(got["memories"][1]["text"], "b");
  ASSERT_EQ(got["errors"].size(), 2);
  EXPECT_EQ(got["errors"][0]["id"], nobody);
  EXPECT_EQ(got["errors"][0]["code"], "not_found");
  EXPECT_EQ(got["errors"][1]["id"], "zz");
  EXPECT_EQ(got["errors"][1]["code"], "invalid_argument");
  EXPECT_THAT(api.Call("memory_get", {{"ids", {nobody}}}),
              FailsWith(Code::kNotFound, HasSubstr(nobody)));
  EXPECT_THAT(api.Call("memory_get", {}), FailsAt(Code::kInvalidArgument, "ids"));
  EXPECT_EQ(api.Must("memory_get", {{"ids", a}})["memories"].size(), 1);
  EXPECT_EQ(api.Must("memory_get", {{"id", a}})["memories"].size(), 1);
}

TEST(MemoryGet, AmbiguousPrefixListsItsCandidates) {
  Api api;  // whose clock stands still, so that ids share their beginning
  const std::string a = api.Store("a");
  const std::string b = api.Store("b");
  ASSERT_EQ(a.substr(0, 8), b.substr(0, 8));
  const auto got = api.Call("memory_get", {{"ids", {a.substr(0, 8)}}});
  EXPECT_THAT(got, FailsWith(Code::kAmbiguous, AllOf(HasSubstr(a), HasSubstr(b))));
  std::set<std::string> candidates;
  for (const auto& [name, value] : got.error().details) {
    if (name == "candidate") candidates.insert(value);
  }
  EXPECT_EQ(candidates, (std::set<std::string>{a, b}));
  // The same in a call for many, and in a write.
  const Json many = api.Must("memory_get", {{"ids", {a.substr(0, 8), b}}});
  EXPECT_EQ(many["errors"][0]["candidate"].size(), 2);
  EXPECT_THAT(api.Call("memory_edit", {{"id", a.substr(0, 8)}, {"append", "+"}}),
              FailsWith(Code::kAmbiguous, HasSubstr(b)));
}

TEST(MemoryGet, ReadsThePastByTimeSeqAndSnapshot) {
  Api api;
  const Json first = api.Must("memory_store", {{"text", "then"}});
  const std::string id = first["id"];
  api.Must("snapshot_create", {{"name", "before"}}, Reviewer());
  api.Must("memory_edit", {{"id", id}, {"text", "now"}});
  for (const Json& as_of :
       {first["record_time"], first["seq"], Json(first["seq"].dump()), Json("before")}) {
    EXPECT_EQ(api.Get(id, {{"as_of", as_of}})["text"], "then") << as_of;
  }
  EXPECT_EQ(api.Get(id)["text"], "now");
  EXPECT_EQ(api.Get(id, {{"as_of", "2999-01-01"}})["text"], "now");
  EXPECT_EQ(api.Get(id, {{"version", 1}})["text"], "then");
  EXPECT_THAT(api.Call("memory_get", {{"ids", {id}}, {"as_of", "2024-13-01"}}),
              AllOf(FailsAt(Code::kInvalidArgument, "as_of")));
  EXPECT_THAT(api.Call("memory_get", {{"ids", {id}}, {"as_of", "0"}}),
              FailsAt(Code::kInvalidArgument, "as_of"));
  EXPECT_THAT(api.Call("memory_get", {{"ids", {id}}, {"as_of", "2001-01-01"}}),
              FailsWith(Code::kNotFound, HasSubstr(id)));
}

TEST(MemoryGet, TellsWhetherAMemoryHoldsAtAValidTime) {
  Api api;
  const std::string id =
      api.Store("text", {{"valid_from", "2020-01-01"}, {"valid_until", "2021-01-01"}});
  EXPECT_EQ(api.Get(id, {{"valid_at", "2020-06-01"}})["valid"], true);
  EXPECT_EQ(api.Get(id, {{"valid_at", "2021-01-01"}})["valid"], false);
  EXPECT_EQ(api.Get(id)["valid"], false);
}

TEST(MemoryGet, CutsBetweenMemoriesAndGoesOnFromThere) {
  Api api;
  Json ids = Json::array();
  for (char c = 'a'; c < 'f'; ++c) ids.push_back(api.Store(std::string(100'000, c)));
  const std::string large = api.Store(std::string(1'000'000, 'z'));
  std::string read;
  for (Json rest = ids; !rest.empty();) {
    const Json got = api.Must("memory_get", {{"ids", rest}});
    EXPECT_LE(DumpJson(got).size(), limits::kAnswerBytesDefault + 4096);
    for (const Json& memory : got["memories"]) {
      EXPECT_EQ(memory["text"].get_ref<const std::string&>().size(), 100'000);
      read += memory["text"].get_ref<const std::string&>().front();
    }
    EXPECT_EQ(got["truncated"], got.contains("next_ids"));
    rest = got.value("next_ids", Json::array());
  }
  EXPECT_EQ(read, "abcde");
  // A single one is whole whatever its size.
  EXPECT_EQ(api.Get(large)["text"].get_ref<const std::string&>().size(), 1'000'000);
}

TEST(MemoryGet, ReadsALargeTextInPartsThatJoinToTheWhole) {
  Api api;
  std::string text;
  for (int i = 0; i < 200; ++i)
    text +=
        "a\xF0\x9F\xA6\x8A\xC3\xA9"
        "e\xCC\x81 ";
  const std::string id = api.Store(text);
  for (const int size : {4, 5, 7, 64, 100'000}) {
    std::string joined;
    std::size_t offset = 0;
    for (int guard = 0; guard < 5000; ++guard) {
      const Json part = api.Get(id, {{"offset", offset}, {"max_bytes", size}});
      EXPECT_EQ(part["offset"], offset);
      EXPECT_EQ(part["text_bytes"], text.size());
      EXPECT_LE(part["text"].get_ref<const std::string&>().size(), static_cast<std::size_t>(size));
      joined += part["text"].get_ref<const std::string&>();
      if (!part.contains("next_offset")) break;
      offset = part["next_offset"];
    }
    EXPECT_EQ(joined, text) << size;
  }
  // An offset inside a code point goes back to its beginning.
  EXPECT_EQ(api.Get(id, {{"offset", 3}})["offset"], 1);
  EXPECT_EQ(api.Get(id, {{"offset", 1'000'000}})["text"], "");
  EXPECT_THAT(api.Call("memory_get", {{"ids", {id, id}}, {"offset", 3}}),
              FailsAt(Code::kInvalidArgument, "offset"));
}

TEST(MemoryList, FiltersByEveryMember) {
  Api api;
  api.Store("one", {{"tags", {"a", "b"}},
                    {"type", "decision"},
                    {"theme", "t"},
                    {"kind", "episode"},
                    {"authorship", "reference"},
                    {"scope", "acme/site"}});
  api.engine().clock().Advance(3'600'000'000);
  api.Store("two", {{"tags", {"b"}}});
  const auto total = [&](const Json& filter, const std::string& scope = "") {
    return api.Must("memory_list", {{"filter", filter}, {"scope", scope}})["total"].get<int>();
  };
  const std::string between = FormatTime(api.engine().clock().Now() - 60'000'000);
  EXPECT_EQ(total(Json::object()), 2);
  EXPECT_EQ(total({{"tag", "a"}}), 1);
  EXPECT_EQ(total({{"tag", "b"}}), 2);
  EXPECT_EQ(total({{"tags", {"a", "b"}}}), 1);
  EXPECT_EQ(total({{"tags", "b"}}), 2);
  EXPECT_EQ(total({{"type", "decision"}}), 1);
  EXPECT_EQ(total({{"theme", "t"}}), 1);
  EXPECT_EQ(total({{"kind", "episode"}}), 1);
  EXPECT_EQ(total({{"authorship", "reference"}}), 1);
  EXPECT_EQ(total({{"pinned", false}}), 2);
  EXPECT_EQ(total({{"state", {"live", "archived"}}}), 2);
  EXPECT_EQ(total({{"state", "archived"}}), 0);
  EXPECT_EQ(total({{"created_from", between}}), 1);
  EXPECT_EQ(total({{"created_until", between}}), 1);
  EXPECT_EQ(total({{"updated_from", between}}), 1);
  EXPECT_EQ(total({{"updated_until", between}}), 1);
  EXPECT_EQ(total(Json::object(), "acme"), 1);
  EXPECT_EQ(total(Json::object(), "elsewhere"), 0);
}

TEST(MemoryList, RefusesUnknownFilterMembersByName) {
  Api api;
  EXPECT_THAT(api.Call("memory_list", {{"filter", {{"user_id", "ann"}}}}),
              FailsAt(Code::kInvalidArgument, "filter.user_id"));
  EXPECT_THAT(api.Call("memory_list", {{"filter", {{"state", "gone"}}}}),
              FailsAt(Code::kInvalidArgument, "filter.state[0]"));
  EXPECT_THAT(api.Call("memory_list", {{"filter", {{"created_from", "soon"}}}}),
              FailsAt(Code::kInvalidArgument, "filter.created_from"));
  EXPECT_THAT(
      api.Call("memory_list",
               {{"filter", {{"created_from", "2024-02-01"}, {"created_until", "2024-01-01"}}}}),
      FailsAt(Code::kInvalidArgument, "filter.created_until"));
  EXPECT_THAT(api.Call("memory_list", {{"limit", 1001}}), FailsAt(Code::kInvalidArgument, "limit"));
  EXPECT_EQ(api.Must("memory_list", {{"limit", 1000}})["total"], 0);
}

TEST(MemoryList, PagesStayStableUnderWrites) {
  Api api;
  std::set<std::string> stored;
  for (int i = 0; i < 23; ++i) stored.insert(api.Store("memory " + std::to_string(i)));
  std::vector<std::string> seen;
  Json page = api.Must("memory_list", {{"limit", 5}});
  const Json as_of = page["as_of"];
  for (int guard = 0; guard < 20; ++guard) {
    EXPECT_EQ(page["total"], 23);
    EXPECT_EQ(page["as_of"], as_of);
    for (const Json& memory : page["memories"]) seen.push_back(memory["id"]);
    if (!page.contains("cursor")) break;
    api.Store("while paging " + std::to_string(guard));
    page = api.Must("memory_list", {{"limit", 5}, {"cursor", page["cursor"]}});
  }
  EXPECT_EQ(seen.size(), 23);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), stored);
  EXPECT_THAT(api.Call("memory_list", {{"cursor", "no cursor"}}),
              FailsAt(Code::kInvalidArgument, "cursor"));
}

TEST(MemoryList, KeepsToItsByteBudget) {
  Api api;
  Json memories = Json::array();
  for (int i = 0; i < 600; ++i) {
    memories.push_back(
        {{"text", std::to_string(i)}, {"title", std::string(900, 't') + std::to_string(i)}});
  }
  api.Must("memory_store_many", {{"memories", memories}});
  std::set<std::string> seen;
  Json page = api.Must("memory_list", {{"limit", 1000}});
  for (int guard = 0; guard < 20; ++guard) {
    EXPECT_LE(DumpJson(page).size(), limits::kAnswerBytesDefault + 4096);
    for (const Json& memory : page["memories"]) seen.insert(memory["id"].get<std::string>());
    if (!page.contains("cursor")) break;
    page = api.Must("memory_list", {{"limit", 1000}, {"cursor", page["cursor"]}});
  }
  EXPECT_EQ(seen.size(), 600);
}

TEST(MemoryHistory, TellsVersionsAndWhoMadeThem) {
  Api api;
  const std::string id = api.Store("one", {{"title", "T"}});
  api.Must("memory_edit", {{"id", id}, {"text", "two!"}, {"reason", "it was wrong"}});
  api.Must("memory_archive", {{"id", id}});
  const Json history = api.Must("memory_history", {{"id", id}});
  ASSERT_EQ(history["versions"].size(), 2);
  EXPECT_EQ(history["versions"][0]["event"], "MemoryStored");
  EXPECT_EQ(history["versions"][1]["text_bytes"], 4);
  ASSERT_EQ(history["entries"].size(), 3);
  EXPECT_EQ(history["entries"][1]["reason"], "it was wrong");
  EXPECT_EQ(history["entries"][1]["actor"], Agent().principal_id);
  EXPECT_EQ(history["entries"][2]["event"], "MemoryArchived");
  EXPECT_EQ(history["truncated"], false);
}

TEST(MemoryHistory, PagesBackwards) {
  Api api;
  const std::string id = api.Store("0");
  for (int i = 1; i < 10; ++i) api.Must("memory_edit", {{"id", id}, {"text", std::to_string(i)}});
  std::vector<int> versions;
  Json page = api.Must("memory_history", {{"id", id}, {"limit", 4}});
  for (int guard = 0; guard < 10; ++guard) {
    std::vector<int> older;
    for (const Json& version : page["versions"]) older.push_back(version["version"]);
    versions.insert(versions.begin(), older.begin(), older.end());
    if (page["truncated"] == false) break;
    page = api.Must("memory_history", {{"id", id}, {"limit", 4}, {"before", page["next_before"]}});
  }
  EXPECT_EQ(versions, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(MemoryDiff, ShowsTextAndDescription) {
  Api api;
  const std::string id = api.Store("alpha\nbeta\ngamma\n", {{"title", "old"}});
  api.Must("memory_edit", {{"id", id}, {"old_text", "beta"}, {"new_text", "delta"}});
  api.Must("memory_describe", {{"id", id}, {"title", "new"}, {"tags", {"x"}}});
  const Json diff = api.Must("memory_diff", {{"id", id}, {"from", 1}, {"to", 3}});
  EXPECT_EQ(diff["unified"],
            "--- version 1\n+++ version 3\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+delta\n gamma\n");
  EXPECT_EQ(diff["words"], "@@ line 2 @@\n[-beta-]{+delta+}\n");
  EXPECT_EQ(diff["fields"], Json({{{"field", "title"}, {"from", "old"}, {"to", "new"}},
                                  {{"field", "tags"}, {"from", "[]"}, {"to", "[\"x\"]"}}}));
  // Backwards, and what the latest version changed.
  EXPECT_THAT(api.Must("memory_diff", {{"id", id}, {"from", 3}, {"to", 1}})["unified"],
              HasSubstr("-delta\n+beta\n"));
  const Json latest = api.Must("memory_diff", {{"id", id}, {"by", "line"}});
  EXPECT_EQ(latest["from"], 2);
  EXPECT_EQ(latest["text_changed"], false);
  EXPECT_EQ(latest["unified"], "");
  EXPECT_FALSE(latest.contains("words"));
  EXPECT_THAT(api.Call("memory_diff", {{"id", id}, {"from", 9}}),
              FailsAt(Code::kNotFound, "version"));
}

TEST(MemoryContents, CountsContainersThemesAndTypes) {
  Api api;
  api.Store("a", {{"scope", "acme/site"}, {"theme", "x"}, {"type", "decision"}});
  api.Store("b", {{"scope", "acme/site"}, {"theme", "y"}});
  api.Store("c");
  const Json contents = api.Must("memory_contents", {});
  EXPECT_EQ(contents["memories"], 3);
  EXPECT_EQ(contents["containers"],
            Json({{{"name", ""}, {"memories", 1}}, {{"name", "acme/site"}, {"memories", 2}}}));
  EXPECT_THAT(contents["themes"].dump(), HasSubstr(R"({"memories":1,"name":"x"})"));
  EXPECT_THAT(contents["types"].dump(), HasSubstr(R"({"memories":1,"name":"decision"})"));
}

}  // namespace
}  // namespace perdure::testing
