// deletion.absent_from_shared_copies: a copy that was shared or exported before the deletion does
// not bring it back. The other scope keeps what was its own.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "acceptance/facts.h"
#include "engine/transfer/adopt.h"
#include "engine/transfer/tombstones.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr const char* kText = "The marzipan recipe of the bakery needs twelve eggs";

class Copies : public ::testing::Test {
 protected:
  std::string Export(AcceptanceHouse& house, const std::string& name) {
    const std::string file = files_ / name;
    std::ofstream out(file, std::ios::binary);
    EXPECT_THAT(WriteExport(*house.engine(), kMainSpace, out), IsOk());
    return file;
  }
  static Result<AdoptReport> Adopt(AcceptanceHouse& house, const std::string& file) {
    house.Close();
    auto report = AdoptExport(house.dir(), file, house.engine().clock(), house.engine().random());
    house.Open();
    return report;
  }

  TempDir files_;
  AcceptanceHouse house_;
  const Caller a_ = house_.Agent("a");
  const Caller b_ = house_.Agent("b");
  const std::string in_a_ = house_.Store(a_, kText);
  const std::string in_b_ = house_.Store(b_, kText);
};

TEST_F(Copies, MadeBeforeAnErasureAreNotTakenBackIntoTheSpace) {
  const std::string before = Export(house_, "before");
  house_.Must(house_.Operator(), "memory_erase", {{"id", in_a_}});
  EXPECT_THAT(Adopt(house_, before), FailsWith(Code::kConflict, ::testing::_));
  EXPECT_THAT(house_.Find(a_, kText), IsEmpty());
  EXPECT_EQ(house_.Ask(a_, "memory_get", {{"ids", {in_a_}}}).code, "erased");
  EXPECT_THAT(house_.Find(b_, kText), Contains(in_b_));
}

TEST_F(Copies, MadeAfterwardsHoldWhatIsTheOtherScopesAlone) {
  house_.Must(house_.Operator(), "memory_erase", {{"id", in_a_}});
  AcceptanceHouse copy(7);
  ASSERT_THAT(Adopt(copy, Export(house_, "after")), IsOk());
  EXPECT_EQ(copy.Ask(copy.Agent("a"), "memory_get", {{"ids", {in_a_}}}).code, "erased");
  EXPECT_THAT(copy.Find(copy.Agent("a"), kText), IsEmpty());
  EXPECT_THAT(copy.Find(copy.Agent("b"), kText), Contains(in_b_));
}

TEST_F(Copies, OfARejectionTravelWithTheExport) {
  Reject(house_, in_a_);
  AcceptanceHouse copy(7);
  ASSERT_THAT(Adopt(copy, Export(house_, "rejected")), IsOk());
  EXPECT_THAT(copy.Find(copy.Agent("a"), kText), IsEmpty());
  EXPECT_THAT(copy.Find(copy.Agent("b"), kText), Contains(in_b_));
  EXPECT_EQ(house_.Ask(a_, "memory_store", {{"text", kText}}).code, "refused");
}

TEST_F(Copies, ByMovingAreNone) {
  house_.Must(house_.Operator(), "memory_describe", {{"id", in_a_}, {"scope", "b/shared"}});
  EXPECT_THAT(house_.Find(a_, kText), IsEmpty());
  house_.Must(house_.Operator(), "memory_erase", {{"id", in_a_}});
  EXPECT_THAT(house_.Find(b_, kText), ::testing::ElementsAre(in_b_));
}

TEST_F(Copies, BroughtIntoAnotherStoreAreCleanedByATombstoneBundle) {
  const Seq since = house_.engine()->Visible(kMainSpace).seq;
  const std::string before = Export(house_, "before");
  house_.Must(house_.Operator(), "memory_erase", {{"id", in_a_}});
  std::stringstream bundle;
  ASSERT_THAT(WriteTombstones(*house_.engine(), kMainSpace, since, bundle), IsOk());
  AcceptanceHouse copy(7);
  ASSERT_THAT(Adopt(copy, before), IsOk());
  copy.Settle();
  EXPECT_THAT(copy.Find(copy.Agent("a"), kText), Contains(in_a_));  // it came with the copy
  const auto stones = ReadTombstones(bundle);
  ASSERT_THAT(stones, IsOk());
  const auto carried = CarryTombstones(*copy.engine(), *stones);
  ASSERT_THAT(carried, IsOk());
  EXPECT_EQ(carried->erased, 1u);
  copy.Settle();
  EXPECT_EQ(copy.Ask(copy.Agent("a"), "memory_get", {{"ids", {in_a_}}}).code, "erased");
  EXPECT_THAT(copy.Find(copy.Agent("a"), kText), IsEmpty());
  EXPECT_THAT(copy.Find(copy.Agent("b"), kText), Contains(in_b_));
}

}  // namespace
}  // namespace perdure::testing
