// What reviewers, auditors and operators do: the log and its proofs, rollback, erasure, compaction.
#include <gmock/gmock.h>

#include <string>

#include "engine/base/hash.h"
#include "engine/proof/tree_head.h"
#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Hash HashOf(const Json& base64) {
  Hash hash{};
  const auto bytes = Base64Decode(base64.get<std::string>());
  EXPECT_TRUE(bytes && bytes->size() == hash.size());
  if (bytes && bytes->size() == hash.size()) std::copy(bytes->begin(), bytes->end(), hash.begin());
  return hash;
}

std::vector<Hash> HashesOf(const Json& list) {
  std::vector<Hash> hashes;
  for (const Json& hash : list) hashes.push_back(HashOf(hash));
  return hashes;
}

TEST(LogQuery, AsksByMemoryActorEventAndTime) {
  Api api;
  const std::string a = api.Store("a");
  api.engine().clock().Advance(60'000'000);
  const std::string since = FormatTime(api.engine().clock().Now());
  const std::string b = api.Store("b", {}, Reviewer());
  api.Must("memory_archive", {{"id", a}});
  const auto count = [&](Json query) {
    return api.Must("log_query", query, Auditor())["entries"].size();
  };
  EXPECT_EQ(count({{"memory", a}}), 2);
  EXPECT_EQ(count({{"memory", b}}), 1);
  EXPECT_EQ(count({{"event", "MemoryArchived"}}), 1);
  EXPECT_EQ(count({{"actor", Reviewer().principal_id}}), 1);
  EXPECT_EQ(count({{"from", since}}), 2);
  EXPECT_EQ(count({{"until", since}, {"memory", a}}), 1);
  EXPECT_THAT(api.Call("log_query", {{"event", "MemoryImagined"}}, Auditor()),
              FailsAt(Code::kInvalidArgument, "event"));
  EXPECT_THAT(api.Call("log_query", {{"actor", "me"}}, Auditor()),
              FailsAt(Code::kInvalidArgument, "actor"));
}

TEST(LogQuery, PagesThroughEverything) {
  Api api;
  for (int i = 0; i < 10; ++i) api.Store(std::to_string(i));
  Seq expected = api.engine()->Visible(kMainSpace).seq;
  Json page = api.Must("log_query", {{"limit", 3}}, Auditor());
  for (int guard = 0; guard < 20; ++guard) {
    for (const Json& line : page["entries"]) EXPECT_EQ(line["seq"], expected--);
    if (!page.contains("next_before")) break;
    page = api.Must("log_query", {{"limit", 3}, {"before", page["next_before"]}}, Auditor());
  }
  EXPECT_EQ(expected, 0);
}

TEST(LogEntry, IsChainedToTheOneBefore) {
  Api api;
  const Json stored = api.Must("memory_store", {{"text", "a"}});
  api.Store("b");
  const Seq seq = stored["seq"];
  const Json entry = api.Must("log_entry", {{"seq", seq}}, Auditor());
  const Json next = api.Must("log_entry", {{"seq", seq + 1}}, Auditor());
  EXPECT_EQ(entry["entry"]["event"], "MemoryStored");
  EXPECT_EQ(entry["entry"]["payload"], "kept");
  EXPECT_EQ(next["prev_hash"], entry["hash"]);
  const auto bytes = Base64Decode(entry["bytes"].get<std::string>());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(HexEncode(AsBytes(Sha256(*bytes))), entry["hash"]);
  EXPECT_THAT(api.Call("log_entry", {{"seq", 999}}, Auditor()), FailsAt(Code::kNotFound, "seq"));
}

TEST(LogProof, ProvesInclusionAndConsistencyUnderASignedHead) {
  Api api;
  for (int i = 0; i < 20; ++i) api.Store(std::to_string(i));
  const Json old = api.Must("log_proof", {{"size", 7}}, Auditor());
  const Json proof = api.Must("log_proof", {{"seq", 5}, {"old_size", 7}}, Auditor());
  const auto head = OpenTreeHead(proof["tree_head"].get<std::string>(), "perdure/main",
                                 api.engine()->KeysOf(kMainSpace).signing.public_key);
  ASSERT_THAT(head, IsOk());
  EXPECT_EQ(head->size, api.engine()->Visible(kMainSpace).seq);
  EXPECT_EQ(AsBytes(head->root), AsBytes(HashOf(proof["root"])));
  const Json& inclusion = proof["inclusion"];
  const auto entry = Base64Decode(inclusion["entry"].get<std::string>());
  ASSERT_TRUE(entry);
  EXPECT_TRUE(
      VerifyInclusion(4, head->size, LeafHash(*entry), HashesOf(inclusion["path"]), head->root));
  EXPECT_FALSE(VerifyInclusion(4, head->size, LeafHash(*entry + "x"), HashesOf(inclusion["path"]),
                               head->root));
  EXPECT_TRUE(VerifyConsistency(7, head->size, HashOf(old["root"]), head->root,
                                HashesOf(proof["consistency"]["path"])));
  EXPECT_THAT(api.Call("log_proof", {{"size", 999}}, Auditor()),
              FailsAt(Code::kInvalidArgument, "size"));
  EXPECT_THAT(api.Call("log_proof", {{"seq", 9}, {"size", 8}}, Auditor()),
              FailsAt(Code::kInvalidArgument, "seq"));
}

TEST(ScopeRollback, TakesAScopeBackAndCanItselfBeUndone) {
  Api api;
  const std::string kept = api.Store("kept", {{"scope", "a"}});
  const std::string elsewhere = api.Store("elsewhere", {{"scope", "b"}});
  api.Must("snapshot_create", {{"name", "good"}}, Reviewer());
  api.Must("memory_edit", {{"id", kept}, {"text", "spoilt"}});
  api.Must("memory_edit", {{"id", elsewhere}, {"text", "changed too"}});
  const std::string since = api.Store("since", {{"scope", "a"}});
  const Json rollback = api.Must("scope_rollback", {{"scope", "a"}, {"to", "good"}}, Reviewer());
  EXPECT_EQ(rollback["changed"], 2);
  EXPECT_EQ(api.Get(kept)["text"], "kept");
  EXPECT_EQ(api.Get(since)["state"], "archived");
  EXPECT_EQ(api.Get(elsewhere)["text"], "changed too");
  api.Must("scope_rollback", {{"scope", "a"}, {"to", rollback["undo_to"]}}, Reviewer());
  EXPECT_EQ(api.Get(kept)["text"], "spoilt");
  EXPECT_EQ(api.Get(since)["state"], "live");
}

TEST(ScopeRollback, OfOneMemoryAUserOrEverything) {
  Api api;
  const std::string ann = api.Store("ann", {{"scope", ";user=ann"}});
  const std::string bob = api.Store("bob", {{"scope", ";user=bob"}});
  const Seq good = api.engine()->Visible(kMainSpace).seq;
  const auto spoil = [&] {
    for (const std::string& id : {ann, bob}) api.Must("memory_edit", {{"id", id}, {"append", "!"}});
  };
  spoil();
  api.Must("scope_rollback", {{"scope", ";user=ann"}, {"to", good}}, Reviewer());
  EXPECT_EQ(api.Get(ann)["text"], "ann");
  EXPECT_EQ(api.Get(bob)["text"], "bob!");
  api.Must("scope_rollback", {{"id", bob}, {"to", good}}, Reviewer());
  EXPECT_EQ(api.Get(bob)["text"], "bob");
  spoil();
  EXPECT_EQ(api.Must("scope_rollback", {{"scope", "/"}, {"to", good}}, Reviewer())["changed"], 2);
  EXPECT_EQ(api.Get(ann)["text"], "ann");
  EXPECT_THAT(api.Call("scope_rollback", {{"to", good}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "scope"));
  EXPECT_THAT(api.Call("scope_rollback", {{"scope", "a"}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "to"));
}

TEST(Snapshots, HaveNamesThatAsOfCanMean) {
  Api api;
  const Json stored = api.Must("memory_store", {{"text", "a"}});
  api.Must("snapshot_create", {{"name", "now"}}, Reviewer());
  api.Must("snapshot_create", {{"name", "past"}, {"at", stored["seq"]}}, Reviewer());
  const Json list = api.Must("snapshot_list", {}, Auditor());
  ASSERT_EQ(list["snapshots"].size(), 2);
  EXPECT_EQ(list["snapshots"][1]["name"], "past");
  EXPECT_EQ(list["snapshots"][1]["at"], stored["record_time"]);
  for (const char* name : {"1234", "2024-05-01", "2024-05-01T08:30:00Z"}) {
    EXPECT_THAT(api.Call("snapshot_create", {{"name", name}}, Reviewer()),
                FailsAt(Code::kInvalidArgument, "name"));
  }
  EXPECT_THAT(api.Call("snapshot_create", {{"name", "now"}}, Reviewer()),
              FailsWith(Code::kConflict, HasSubstr("now")));
}

TEST(MemoryErase, LeavesAReceiptAndNoText) {
  Api api;
  const Json stored = api.Must("memory_store", {{"text", "a secret phrase"}, {"title", "Secret"}});
  const std::string id = stored["id"];
  const std::string control = api.Store("a harmless phrase");
  api.Must("memory_edit", {{"id", id}, {"append", ", again"}});
  const Seq before = api.engine()->Visible(kMainSpace).seq;
  const Json root = api.Must("log_proof", {{"size", before}}, Auditor())["root"];
  EXPECT_THAT(api.Call("memory_erase", {{"id", id}}, Reviewer()),
              FailsWith(Code::kForbidden, HasSubstr("role")));
  const Json erased = api.Must("memory_erase", {{"id", id}, {"reason", "asked to"}}, Operator());
  EXPECT_EQ(erased["erased"], Json({id}));
  ASSERT_EQ(erased["receipts"].size(), 1);
  const Json receipt = api.Must("log_entry", {{"seq", erased["receipts"][0]}}, Auditor());
  EXPECT_EQ(receipt["entry"]["event"], "ErasureCompleted");
  EXPECT_EQ(receipt["entry"]["cause"], erased["seq"]);
  for (const Json& more : {Json::object(), Json{{"as_of", stored["seq"]}}, Json{{"version", 1}}}) {
    Json call = more;
    call["ids"] = {id};
    EXPECT_THAT(api.Call("memory_get", call),
                FailsWith(Code::kErased, HasSubstr("erased at seq " + erased["seq"].dump())));
  }
  EXPECT_THAT(api.Must("memory_search", {{"query", "secret phrase"}}).dump(), Not(HasSubstr(id)));
  EXPECT_THAT(api.Must("memory_history", {{"id", id}}).dump(), Not(HasSubstr("Secret")));
  EXPECT_EQ(api.Get(control)["text"], "a harmless phrase");
  EXPECT_EQ(api.Must("log_proof", {{"size", before}}, Auditor())["root"], root);
}

TEST(Compact, SaysWhatIsLostAndRefusesThePastAfterwards) {
  Api api;
  const Json first = api.Must("memory_store", {{"text", "one"}});
  const std::string id = first["id"];
  api.Must("memory_edit", {{"id", id}, {"text", "two"}});
  const Json last = api.Must("memory_edit", {{"id", id}, {"text", "three"}});
  const Json dry =
      api.Must("compact", {{"before", last["record_time"]}, {"dry_run", true}}, Operator());
  EXPECT_EQ(dry["versions_superseded"], 2) << "as of the horizon itself, the third holds";
  EXPECT_THAT(dry["lost"].dump(), HasSubstr(last["record_time"].get<std::string>()));
  EXPECT_EQ(api.Get(id, {{"as_of", first["seq"]}})["text"], "one");
  const Json done = api.Must("compact", {{"before", last["record_time"]}}, Operator());
  EXPECT_EQ(done["horizon"], last["record_time"]);
  const auto past = api.Call("memory_get", {{"ids", {id}}, {"as_of", first["seq"]}});
  EXPECT_THAT(past, FailsWith(Code::kCompacted, HasSubstr(last["record_time"].get<std::string>())));
  EXPECT_EQ(api.Get(id)["text"], "three");
  EXPECT_EQ(api.Must("status", {}, Auditor())["horizon"], last["record_time"]);
}

TEST(Compact, WithPayloadsSaysHowManyTextsGoAndAnswersForThemAfterwards) {
  Api api;
  const std::string id = api.Must("memory_store", {{"text", "one"}})["id"];
  api.Must("memory_edit", {{"id", id}, {"text", "two"}});
  const Json last = api.Must("memory_edit", {{"id", id}, {"text", "three"}});
  const Json arguments = {{"before", last["record_time"]}, {"payloads", true}};
  Json dry = arguments;
  dry["dry_run"] = true;
  EXPECT_EQ(api.Must("compact", dry, Operator())["payloads_dropped"], 1)
      << "the first still carries the title";
  EXPECT_THAT(api.Must("memory_diff", {{"id", id}, {"from", 2}, {"to", 3}}).dump(),
              HasSubstr("two"));
  const Json done = api.Must("compact", arguments, Operator());
  EXPECT_EQ(done["payloads_dropped"], 1);
  EXPECT_THAT(done["lost"].dump(), HasSubstr("1 texts"));
  EXPECT_THAT(api.Call("memory_diff", {{"id", id}, {"from", 2}, {"to", 3}}),
              FailsWith(Code::kCompacted, HasSubstr("version 2")));
  const Json versions = api.Must("memory_history", {{"id", id}})["versions"];
  EXPECT_FALSE(versions[0].contains("compacted"));
  EXPECT_EQ(versions[1]["compacted"], true);
  EXPECT_EQ(api.Get(id)["text"], "three");
}

TEST(DryRun, IsKeptOnRequestAndFoundInTheLog) {
  Api api;
  const std::string id = api.Store("a");
  const Json dry = {{"id", id}, {"append", "b"}, {"dry_run", true}};
  EXPECT_FALSE(api.Must("memory_edit", dry).contains("kept_seq"));
  Json kept = dry;
  kept["keep"] = true;
  const Json answer = api.Must("memory_edit", kept);
  EXPECT_EQ(answer["dry_run"], true);
  EXPECT_FALSE(answer.contains("seq"));
  const Json entries = api.Must("log_query", {{"event", "DryRunKept"}}, Auditor())["entries"];
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["seq"], answer["kept_seq"]);
  EXPECT_EQ(entries[0]["memory"], id);
  EXPECT_EQ(api.Get(id)["text"], "a");
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}, {"append", "b"}, {"keep", true}}),
              FailsAt(Code::kInvalidArgument, "keep"));
}

TEST(Status, ShowsWhatTheScrubFoundToWhomItConcerns) {
  Api api;
  EXPECT_FALSE(api.Must("status", {}, Auditor()).contains("scrub"));
  ScrubStatus scrub{.entries = 7, .findings = 2, .passes = 1, .last_pass = 1'700'000'000'000'000};
  scrub.problems = {{"main", "Entry 3 is missing."}, {"team-a", "Entry 4 is missing."}};
  api.SetScrub(scrub);
  const Json seen = api.Must("status", {}, Auditor())["scrub"];
  EXPECT_EQ(seen["findings"], 2);
  EXPECT_EQ(seen["problems"].size(), 1u);
  EXPECT_EQ(seen["problems"][0]["problem"], "Entry 3 is missing.");
  EXPECT_EQ(api.Must("status", {}, Operator())["scrub"]["problems"].size(), 2u);
}

TEST(Status, TellsHowTheStoreStands) {
  Api api;
  api.Store("a");
  const Json status = api.Must("status", {}, Auditor());
  EXPECT_EQ(status["memories"], 1);
  EXPECT_EQ(status["takes_writes"], true);
  EXPECT_EQ(status["seq"], api.engine()->Visible(kMainSpace).seq);
  EXPECT_EQ(status["tree_size"], status["seq"]);
  EXPECT_EQ(status["index"]["stand_in"], true);
  EXPECT_EQ(status["index"]["stand_in_reason"], "the tests use none");
}

}  // namespace
}  // namespace perdure::testing
