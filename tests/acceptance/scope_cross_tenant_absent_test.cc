// scope.cross_tenant_absent: what is the best possible match under A is absent from the same
// question under B. A finds it.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kSecret = "The launch code of the heliotrope engine is seventeen";

// What B may not learn, however it asks; `b` has a memory of its own to be found.
void ExpectAbsent(AcceptanceHouse& house, const Caller& a, const Caller& b) {
  const std::string id = house.Store(a, kSecret, {{"title", "heliotrope"}, {"tags", {"code"}}});
  Claimed(house, a, Fact("engine", "launch code", "heliotrope seventeen"));
  const std::string own = house.Store(b, "Tea is served at four, with an engine of its own");
  house.Settle();

  EXPECT_THAT(house.Find(a, kSecret), Contains(id));
  EXPECT_THAT(house.Probe(a, id, kSecret), HasSubstr("heliotrope"));
  EXPECT_THAT(Standing(house, a, "engine", "launch code"), ElementsAre("heliotrope seventeen"));
  EXPECT_THAT(house.Find(b, "tea engine"), Contains(own));

  EXPECT_THAT(house.Find(b, kSecret), Not(Contains(id)));
  EXPECT_THAT(house.Find(b, kSecret, {{"as_of", house.Get(a, id)["record_time"]}}),
              Not(Contains(id)));
  EXPECT_THAT(house.Probe(b, id, kSecret), Not(HasSubstr("heliotrope")));
  EXPECT_THAT(Standing(house, b, "engine", "launch code"), IsEmpty());
  EXPECT_THAT(house.Must(b, "memory_list", {{"limit", 1000}}).dump(), Not(HasSubstr(id)));
}

TEST(CrossTenantMatch, IsAbsentFromAnotherScope) {
  AcceptanceHouse house;
  ExpectAbsent(house, house.Agent("acme"), house.Agent("beta"));
}

TEST(CrossTenantMatch, IsAbsentFromAnotherUserOfTheSameContainer) {
  AcceptanceHouse house;
  ExpectAbsent(house, house.Agent("acme;user=alice"), house.Agent("acme;user=bob"));
}

TEST(CrossTenantMatch, IsAbsentFromAnotherSpace) {
  AcceptanceHouse house;
  ExpectAbsent(house, house.Agent(), house.As(Caller::kAgent, "", "tenant"));
}

}  // namespace
}  // namespace perdure::testing
