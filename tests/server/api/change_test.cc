#include <gmock/gmock.h>

#include <string>
#include <thread>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;

TEST(MemoryEdit, ReplacesOnePassageAppendsOrWritesAnew) {
  Api api;
  const std::string id = api.Store("We deploy on Friday.");
  const Json edited =
      api.Must("memory_edit", {{"id", id}, {"old_text", "Friday"}, {"new_text", "Monday"}});
  EXPECT_EQ(edited["version"], 2);
  EXPECT_EQ(edited["changed"], true);
  api.Must("memory_edit", {{"id", id}, {"append", " At noon."}});
  EXPECT_EQ(api.Get(id)["text"], "We deploy on Monday. At noon.");
  api.Must("memory_edit", {{"id", id}, {"old_text", " At noon."}, {"new_text", ""}});
  EXPECT_EQ(api.Get(id)["text"], "We deploy on Monday.");
  api.Must("memory_edit", {{"id", id}, {"text", "a b a"}});
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}, {"old_text", "a"}, {"new_text", "c"}}),
              FailsAt(Code::kConflict, "old_text"));
  api.Must("memory_edit",
           {{"id", id}, {"old_text", "a"}, {"new_text", "c"}, {"replace_all", true}});
  EXPECT_EQ(api.Get(id)["text"], "c b c");
}

TEST(MemoryEdit, WantsExactlyOneKindOfChange) {
  Api api;
  const std::string id = api.Store("text");
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}}), FailsAt(Code::kInvalidArgument, "old_text"));
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}, {"append", "a"}, {"text", "b"}}),
              FailsAt(Code::kInvalidArgument, "old_text"));
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}, {"old_text", "text"}}),
              FailsAt(Code::kInvalidArgument, "new_text"));
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}, {"append", "a"}, {"replace_all", true}}),
              FailsAt(Code::kInvalidArgument, "replace_all"));
  EXPECT_EQ(api.Get(id)["version"], 1);
}

TEST(MemoryEdit, ConflictNamesTheCurrentVersion) {
  Api api;
  const std::string id = api.Store("0");
  for (int i = 1; i <= 6; ++i) api.Must("memory_edit", {{"id", id}, {"text", std::to_string(i)}});
  const auto edit = [&](const std::string& text) {
    return api.Call("memory_edit", {{"id", id}, {"text", text}, {"expected_version", 7}});
  };
  Result<Json> one = Fail(Code::kInternal, "not run");
  Result<Json> other = one;
  {
    const std::jthread first([&] { one = edit("from one"); });
    const std::jthread second([&] { other = edit("from the other"); });
  }
  ASSERT_NE(one.has_value(), other.has_value());
  const Result<Json>& won = one ? one : other;
  const Result<Json>& lost = one ? other : one;
  EXPECT_EQ((*won)["version"], 8);
  EXPECT_THAT(lost, FailsWith(Code::kConflict, HasSubstr("version 8")));
  EXPECT_EQ(DetailOf(lost.error(), "current_version"), "8");
  EXPECT_EQ(api.Get(id)["version"], 8);
}

TEST(MemoryDescribe, ChangesOnlyWhatIsPassed) {
  Api api;
  const std::string id = api.Store("text", {{"title", "old"},
                                            {"tags", {"a", "b"}},
                                            {"type", "decision"},
                                            {"theme", "t"},
                                            {"metadata", {{"k", {1, 2}}}},
                                            {"source", "s"},
                                            {"importance", 0.7},
                                            {"authorship", "reference"},
                                            {"scope", "acme"},
                                            {"expires_at", "2040-01-01T00:00:00.000000Z"},
                                            {"reference_time", "2020-01-01T00:00:00.000000Z"}});
  const Json before = api.Get(id);
  EXPECT_EQ(api.Must("memory_describe", {{"id", id}, {"title", "new"}})["version"], 2);
  Json after = api.Get(id);
  EXPECT_EQ(after["title"], "new");
  for (const char* name : {"title", "version", "updated_time", "record_time"}) {
    after[name] = before[name];
  }
  EXPECT_EQ(after, before);
}

TEST(MemoryDescribe, ClearsAndMovesOnRequest) {
  Api api;
  const std::string id = api.Store(
      "text", {{"title", "t"}, {"tags", {"a"}}, {"expires_at", "2040-01-01"}, {"theme", "x"}});
  api.Must("memory_describe",
           {{"id", id}, {"clear", {"title", "tags", "expires_at"}}, {"scope", "acme/site"}});
  const Json memory = api.Get(id);
  EXPECT_EQ(memory["title"], "");
  EXPECT_EQ(memory["tags"], Json::array());
  EXPECT_FALSE(memory.contains("expires_at"));
  EXPECT_EQ(memory["theme"], "x");
  EXPECT_EQ(memory["scope"], "acme/site");
  EXPECT_THAT(api.Call("memory_describe", {{"id", id}}), FailsAt(Code::kInvalidArgument, "title"));
  EXPECT_THAT(api.Call("memory_describe", {{"id", id}, {"title", "t"}, {"clear", {"title"}}}),
              FailsAt(Code::kInvalidArgument, "clear"));
  EXPECT_THAT(api.Call("memory_describe", {{"id", id}, {"clear", {"text"}}}),
              FailsAt(Code::kInvalidArgument, "clear[0]"));
}

TEST(MemoryRevert, GoesBackToAVersionOrATime) {
  Api api;
  const std::string id = api.Store("first", {{"tags", {"a"}}});
  const Json second = api.Must("memory_edit", {{"id", id}, {"text", "second"}});
  api.Must("memory_edit", {{"id", id}, {"text", "third"}});
  const Json reverted = api.Must("memory_revert", {{"id", id}, {"version", 1}});
  EXPECT_EQ(reverted["version"], 4);
  EXPECT_EQ(api.Get(id)["text"], "first");
  EXPECT_EQ(api.Must("memory_revert", {{"id", id}, {"as_of", second["record_time"]}})["version"],
            5);
  EXPECT_EQ(api.Get(id)["text"], "second");
  api.Must("memory_revert", {{"id", id}, {"as_of", second["seq"]}});
  EXPECT_EQ(api.Get(id)["text"], "second");
  EXPECT_THAT(api.Call("memory_revert", {{"id", id}}), FailsAt(Code::kInvalidArgument, "version"));
  EXPECT_THAT(api.Call("memory_revert", {{"id", id}, {"version", 99}}),
              FailsAt(Code::kNotFound, "version"));
}

TEST(States, ArchivedLeavesListsAndComesBack) {
  Api api;
  const std::string id = api.Store("text");
  EXPECT_EQ(api.Must("memory_archive", {{"id", id}, {"reason", "done"}})["changed"], true);
  EXPECT_EQ(api.Must("memory_archive", {{"id", id}})["changed"], false);
  EXPECT_EQ(api.Must("memory_list", {})["total"], 0);
  EXPECT_EQ(api.Must("memory_list", {{"filter", {{"state", "archived"}}}})["total"], 1);
  EXPECT_EQ(api.Get(id)["state"], "archived");
  api.Must("memory_restore", {{"id", id}});
  EXPECT_EQ(api.Must("memory_list", {})["total"], 1);
}

TEST(States, ForgottenIsHiddenFromAgentsAndUndoneByReviewers) {
  Api api;
  const std::string id = api.Store("text");
  const std::string other = api.Store("kept");
  api.Must("memory_forget", {{"id", id}});
  EXPECT_THAT(api.Call("memory_get", {{"ids", {id}}}), FailsWith(Code::kNotFound, HasSubstr(id)));
  EXPECT_THAT(api.Call("memory_restore", {{"id", id}}), FailsWith(Code::kNotFound, HasSubstr(id)));
  EXPECT_EQ(api.Get(other)["text"], "kept");
  EXPECT_EQ(api.Get(id, {}, Reviewer())["state"], "forgotten");
  api.Must("memory_restore", {{"id", id}}, Reviewer());
  EXPECT_EQ(api.Get(id)["text"], "text");
}

TEST(States, PinIsForReviewers) {
  Api api;
  const std::string id = api.Store("text");
  EXPECT_THAT(api.Call("memory_pin", {{"id", id}}), FailsWith(Code::kForbidden, HasSubstr("role")));
  EXPECT_EQ(api.Must("memory_pin", {{"id", id}}, Reviewer())["changed"], true);
  EXPECT_EQ(api.Get(id)["pinned"], true);
  EXPECT_EQ(api.Must("memory_list", {{"filter", {{"pinned", true}}}})["total"], 1);
  api.Must("memory_unpin", {{"id", id}}, Reviewer());
  EXPECT_EQ(api.Get(id)["pinned"], false);
}

TEST(Changes, TakeIdsInAnyForm) {
  Api api;
  const std::string id = api.Store("text");
  std::string bare = id;
  std::erase(bare, '-');
  std::string upper = bare;
  for (char& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const std::string& form : {bare, upper, "{" + id + "}", "urn:uuid:" + id, id.substr(0, 8)}) {
    EXPECT_EQ(api.Must("memory_edit", {{"id", form}, {"append", "+"}})["id"], id) << form;
  }
  EXPECT_THAT(api.Call("memory_edit", {{"id", "0190"}, {"append", "+"}}),
              FailsAt(Code::kInvalidArgument, "id"));
  EXPECT_THAT(api.Call("memory_edit", {{"id", "not-an-id"}, {"append", "+"}}),
              FailsAt(Code::kInvalidArgument, "id"));
}

TEST(Changes, OfWhatIsNotThereAreRefusedAndRecorded) {
  Api api;
  const std::string nobody = "01900000-0000-7000-8000-000000000001";
  EXPECT_THAT(api.Call("memory_edit", {{"id", nobody}, {"append", "+"}}),
              FailsWith(Code::kNotFound, HasSubstr(nobody)));
  const Json log = api.Must("log_query", {{"event", "WriteRefused"}}, Auditor());
  ASSERT_EQ(log["entries"].size(), 1);
  EXPECT_EQ(log["entries"][0]["memory"], nobody);
  EXPECT_EQ(log["entries"][0]["actor"], Agent().principal_id);
}

}  // namespace
}  // namespace perdure::testing
