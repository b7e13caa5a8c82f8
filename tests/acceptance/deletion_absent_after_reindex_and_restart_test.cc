// deletion.absent_after_reindex_and_restart: a memory is deleted; after all background work, a
// reindex, a restart and in an export every probe is empty, and the log records it. A sibling of
// the same batch comes back.
#include <sstream>

#include "acceptance/facts.h"
#include "engine/transfer/export.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Deletion : public ::testing::Test {
 protected:
  Deletion() {
    const Json stored = house_.Must(
        agent_, "memory_store_many",
        {{"memories",
          {{{"text", "The marzipan is in the left drawer"}, {"title", "marzipan"}, {"theme", "m"}},
           {{"text", "The nougat is in the right drawer"}, {"title", "nougat"}}}}});
    gone_ = stored["results"][0]["id"];
    sibling_ = stored["results"][1]["id"];
    house_.Must(agent_, "memory_edit", {{"id", gone_}, {"append", ", or was: marzipan"}});
    house_.Settle();
    EXPECT_THAT(Probes(), HasSubstr("marzipan"));
  }
  // Everything that an agent can learn, of both.
  std::string Probes() {
    return house_.Probe(agent_, gone_, "marzipan in the left drawer") +
           house_.Probe(agent_, sibling_, "nougat in the right drawer");
  }
  void ExpectAbsent(const std::string& after) {
    EXPECT_THAT(Probes(), Not(HasSubstr("marzipan"))) << after;
    EXPECT_THAT(house_.Find(agent_, "marzipan drawer"), Not(Contains(gone_))) << after;
    EXPECT_THAT(Probes(), HasSubstr("nougat")) << after;
    EXPECT_THAT(house_.Find(agent_, "marzipan drawer"), Contains(sibling_)) << after;
  }
  void ExpectAbsentAfterAllPasses() {
    ExpectAbsent("the call itself");
    house_.Settle();
    ExpectAbsent("background work");
    ASSERT_THAT(house_.search().Rebuild(kMainSpace), IsOk());
    house_.Settle();
    ExpectAbsent("a reindex");
    house_.Restart();
    ExpectAbsent("a restart");
    house_.RebuildFromLog();
    ExpectAbsent("a rebuild from the log");
  }

  AcceptanceHouse house_;
  const Caller agent_ = house_.Agent();
  std::string gone_;
  std::string sibling_;
};

TEST_F(Deletion, ByErasureIsForGoodAndRecorded) {
  house_.Must(house_.Operator(), "memory_erase", {{"id", gone_}});
  ExpectAbsentAfterAllPasses();
  std::ostringstream file;
  ASSERT_THAT(WriteExport(*house_.engine(), kMainSpace, file), IsOk());
  EXPECT_THAT(file.str(), Not(HasSubstr("marzipan")));
  EXPECT_THAT(file.str(), HasSubstr("nougat"));
  for (const char* event : {"MemoryErased", "ErasureCompleted"}) {
    const Json entries = house_.Log(event);
    ASSERT_EQ(entries.size(), 1u) << event;
  }
  EXPECT_EQ(house_.Log("MemoryErased")[0]["memory"], gone_);
  // Whoever may see everything sees no more.
  for (const Json& then : {Json(3), house_.Log("MemoryStored")[0]["seq"]}) {
    const Said said =
        house_.Ask(house_.Operator(), "memory_get", {{"ids", {gone_}}, {"as_of", then.dump()}});
    EXPECT_FALSE(said.ok);
    EXPECT_THAT(said.all, Not(HasSubstr("marzipan")));
  }
}

TEST_F(Deletion, ByForgettingIsFromEveryDefaultReadAndRecorded) {
  house_.Must(agent_, "memory_forget", {{"id", gone_}});
  ExpectAbsentAfterAllPasses();
  const Json entries = house_.Log("MemoryForgotten");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["memory"], gone_);
  // It is hidden, not destroyed: a reviewer can undo it.
  house_.Must(house_.Reviewer(), "memory_restore", {{"id", gone_}});
  EXPECT_THAT(house_.Find(agent_, "marzipan drawer"), Contains(gone_));
}

}  // namespace
}  // namespace perdure::testing
