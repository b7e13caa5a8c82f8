#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

// The part of a verdict, or of an error, that tests look at.
Json VerdictOf(const Json& body, bool ok) {
  Json verdict = {{"outcome", ok ? body.value("outcome", "stored") : "refused"}};
  for (const char* name : {"id", "rule"}) {
    if (body.contains(name) && (ok || name == std::string_view("rule"))) verdict[name] = body[name];
  }
  return verdict;
}

Json Verdict(const Said& said) { return VerdictOf(said.body, said.ok); }

}  // namespace

Json Fact(const std::string& subject, const std::string& predicate, const std::string& object,
          Json more) {
  more.update({{"subject", subject}, {"predicate", predicate}, {"object", object}});
  return more;
}

Json Quoted(const std::string& quote, const std::string& source, int days) {
  const std::string time = FormatTime(FakeClock().Now() + days * kDay);
  return {{"evidence", {{"quote", quote}, {"source", source}, {"reference_time", time}}}};
}

Json Claim(AcceptanceHouse& house, const Caller& caller, const Json& fact) {
  return Verdict(house.Ask(caller, "fact_assert", fact));
}

Json ClaimAll(AcceptanceHouse& house, const Caller& caller, const Json& facts) {
  const Json answer = house.Must(caller, "fact_assert_many", {{"facts", facts}, {"partial", true}});
  Json verdicts = Json::array();
  for (const Json& result : answer.value("results", Json::array())) {
    verdicts.push_back(VerdictOf(result, true));
  }
  return verdicts;
}

Json Propose(AcceptanceHouse& house, const Caller& caller, Json draft) {
  if (draft.contains("subject")) draft["kind"] = "fact";
  return Verdict(house.Ask(caller, "candidate_propose", draft));
}

std::string Claimed(AcceptanceHouse& house, const Caller& caller, const Json& fact) {
  const Json verdict = Claim(house, caller, fact);
  EXPECT_TRUE(verdict["outcome"] == "stored" || verdict["outcome"] == "changed") << verdict;
  return verdict.value("id", std::string());
}

std::vector<std::string> Standing(AcceptanceHouse& house, const Caller& caller,
                                  const std::string& subject, const std::string& predicate) {
  std::vector<std::string> objects;
  const Json answer =
      house.Must(caller, "fact_about", {{"subject", subject}, {"predicate", predicate}});
  for (const Json& fact : answer.value("facts", Json::array())) objects.push_back(fact["object"]);
  return objects;
}

void Reject(AcceptanceHouse& house, const std::string& id) {
  house.Must(house.Reviewer(), "memory_forget", {{"id", id}, {"refuse", true}});
}

Rejections RejectionsOf(AcceptanceHouse& house) {
  Rejections rejections;
  const Json answer = house.Must(house.Reviewer(), "suppression_list", Json::object());
  for (const Json& rejected : answer.value("suppressions", Json::array())) {
    ++rejections.in_force;
    rejections.refused += rejected["refused"].get<std::uint64_t>();
  }
  return rejections;
}

}  // namespace perdure::testing
