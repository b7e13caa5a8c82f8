// evidence.claim_resolves_to_source: every claim in an assembled context leads to a source record
// that survives. The context held at least one claim.
//
// A context is what an agent assembles: search, then the whole memories, then the facts about who
// is named. A claim's source is the memory that it quotes or was made from, or, of what was stored
// as it is, the entry of the log that brought it.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class Context : public ::testing::Test {
 protected:
  // Whether the entry that brought the memory stands in the log, with its proof.
  void ExpectEntryStands(const std::string& id) {
    const Json history = house_.Must(auditor_, "memory_history", {{"id", id}});
    const Json& first = history["entries"].front();
    EXPECT_EQ(first["event"], "MemoryStored");
    EXPECT_EQ(first["payload"], "kept");
    const Json proof = house_.Must(auditor_, "log_proof", {{"seq", first["seq"]}});
    EXPECT_EQ(proof["inclusion"]["seq"], first["seq"]);
  }
  // Follows one claim to what it rests on.
  void ExpectResolves(const std::string& id) {
    const Json claim = house_.Get(agent_, id);
    ASSERT_EQ(claim["id"], id);
    ExpectEntryStands(id);
    for (const Json& source : claim.value("derived_from", Json::array())) {
      EXPECT_EQ(house_.Get(agent_, source).value("state", ""), "live") << claim;
      ++sources_;
    }
    const Json evidence = claim.value("evidence", Json::object());
    if (!ParseUuid(evidence.value("source", ""))) return;
    const Json source = house_.Get(agent_, evidence["source"]);
    EXPECT_EQ(source.value("state", ""), "live") << claim;
    EXPECT_THAT(source.value("text", ""), HasSubstr(evidence["quote"].get<std::string>()));
    ++sources_;
  }
  std::vector<std::string> Assemble() {
    return house_.Find(agent_, "Alice drinks milk tea garden summary", {{"limit", 100}});
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
  const Caller auditor_ = house_.As(Caller::kAuditor);
  std::size_t sources_ = 0;
};

TEST_F(Context, HoldsClaimsThatLeadToASurvivingSource) {
  const std::string diary = house_.Store(agent_, "Alice: I drink oat milk. The garden is green.");
  const std::string letter = house_.Store(agent_, "Bob writes that Alice has a tea garden.");
  const std::string fact = Claimed(
      house_, agent_, Fact("Alice", "drinks", "oat milk", Quoted("I drink oat milk", diary)));
  const std::string other =
      Claimed(house_, agent_,
              Fact("Alice", "has", "a tea garden", Quoted("Alice has a tea garden", letter)));
  const std::string summary =
      house_.Store(agent_, "Summary: Alice, milk, garden", {{"derived_from", {diary, letter}}});
  const std::string of_letter =
      house_.Store(agent_, "Summary: the tea garden", {{"derived_from", {letter}}});

  std::vector<std::string> context = Assemble();
  ASSERT_THAT(context, SizeIs(6));
  for (const std::string& id : context) ExpectResolves(id);
  EXPECT_EQ(sources_, 5u);

  // With the letter gone, what rests on it alone is marked, and is a claim no more.
  house_.Must(house_.Operator(), "memory_erase", {{"id", letter}});
  context = Assemble();
  EXPECT_THAT(context, UnorderedElementsAre(diary, fact));
  sources_ = 0;
  for (const std::string& id : context) ExpectResolves(id);
  EXPECT_EQ(sources_, 1u);
  for (const std::string& id : {other, summary, of_letter}) {
    EXPECT_EQ(house_.Get(agent_, id)["state"], "disputed") << id;
  }
}

}  // namespace
}  // namespace perdure::testing
