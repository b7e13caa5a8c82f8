#include <gtest/gtest.h>

#include <set>

#include "support/fact_life.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

std::set<fb::Event> EventsIn(TestEngine& engine, SpaceId space) {
  std::set<fb::Event> kinds;
  for (Seq seq = 1; seq <= engine->Visible(space).seq; ++seq) {
    kinds.insert((*ReadEntry(engine->Latest(), space, seq))->event_type());
  }
  return kinds;
}

TEST(Events, EveryKindIsProducedByACommand) {
  TestEngine engine;
  const Principal all = With(kAgent | kReviewer | kOperator);
  NoteDraft draft = Note("text");
  draft.scope = ScopePath{{"a"}, "", "", ""};
  const Uuid id = engine.Store(draft);
  engine.Store(draft);
  const Micros then = engine->Visible(kMainSpace).time;
  DescribeMemory described{.id = id};
  described.title = "title";
  for (Command command : std::initializer_list<Command>{
           EditMemory{id, AppendText{"more"}}, described, MoveState{id, Transition::kPin},
           MoveState{id, Transition::kUnpin}, MoveState{id, Transition::kArchive},
           MoveState{id, Transition::kRestore}, MoveState{id, Transition::kForget},
           MoveState{id, Transition::kRestore}, RevertMemory{id, 1, {}}, NameSnapshot{"name", {}},
           Rollback{{}, {}, then}}) {
    ASSERT_THAT(engine.Do(std::move(command)), IsOk());
  }
  EXPECT_FALSE(engine.Do(EditMemory{id, WholeText{""}}));
  ASSERT_THAT(engine->Erase(all, {{id}}, {}), IsOk());
  testing::FactLife(engine).Live();
  IssueToken token;
  token.roles = kAgent;
  ASSERT_THAT(engine->Issue(all, token, {}), IsOk());
  const auto issued = engine->Issue(all, token, {});
  ASSERT_THAT(engine.Do(RevokeToken{engine->Authenticate(issued->first)->id}), IsOk());
  ASSERT_THAT(engine->AddSpace(all, "team-a", {}), IsOk());
  ASSERT_THAT(engine->Compact(all, {then, true}, {}), IsOk());
  EXPECT_THAT(engine.Do(StoreMemories{{draft}}, {.dry_run = true, .keep = true}), IsOk());
  const LogHead head = engine->Visible(kMainSpace);
  EXPECT_THAT(engine.Do(MarkRestored{head.seq, head.hash, 1}), IsOk());

  std::set<fb::Event> produced = EventsIn(engine, kMainSpace);
  produced.merge(EventsIn(engine, kSystemSpace));
  for (fb::Event kind : fb::EnumValuesEvent()) {
    if (kind == fb::Event::NONE) continue;
    EXPECT_TRUE(produced.contains(kind)) << fb::EnumNameEvent(kind) << " has no producer";
  }
}

TEST(Token, GivesItsPrincipalUntilItIsRevokedOrExpires) {
  TestEngine engine;
  IssueToken command;
  command.roles = kAgent;
  command.scope = "acme;user=alice";
  command.expires_at = engine.clock().Now() + 60'000'000;
  const auto issued = engine->Issue(With(kOperator), command, {});
  ASSERT_THAT(issued, IsOk());
  const std::string& token = issued->first;
  for (int round = 0; round < 2; ++round) {
    const auto principal = engine->Authenticate(token);
    ASSERT_THAT(principal, IsOk());
    EXPECT_EQ(principal->roles, kAgent);
    EXPECT_EQ(FormatScope(principal->scope), "acme;user=alice");
    engine.Reopen();
  }
  const auto refused = [&](const std::string& text, const char* why) {
    EXPECT_THAT(engine->Authenticate(text),
                testing::FailsWith(Code::kUnauthenticated, ::testing::HasSubstr(why)));
  };
  refused(token.substr(0, token.size() - 1), "not known");
  refused("", "not known");
  refused("perdure_", "not known");
  std::string forged = token;
  forged[12] = forged[12] == '0' ? '1' : '0';
  refused(forged, "not known");
  const Principal principal = *engine->Authenticate(token);
  engine.clock().Advance(61'000'000);
  refused(token, "expired");
  ASSERT_THAT(engine.Do(RevokeToken{principal.id}), IsOk());
  refused(token, "revoked");
  EXPECT_THAT(engine->Issue(With(kAgent), command, {}),
              testing::FailsWith(Code::kForbidden, ::testing::HasSubstr("operator")));
}

TEST(Token, OfANamelessClientWithoutLabelAndScopeIsKnown) {
  TestEngine engine;
  Principal nameless = With(kOperator);
  nameless.client.clear();
  IssueToken command;
  command.roles = kAgent;
  const auto issued = engine->Issue(nameless, command, {});
  ASSERT_THAT(issued, IsOk());
  EXPECT_THAT(engine->Authenticate(issued->first), IsOk());
  EXPECT_THAT(engine->Authenticate(issued->first + "x"),
              testing::FailsWith(Code::kUnauthenticated, ::testing::_));
}

TEST(Space, ATenantsOperatorReachesNothingOfTheHouse) {
  TestEngine engine;
  const auto space = engine->AddSpace(With(kOperator), "team-a", {});
  ASSERT_THAT(space, IsOk());
  Principal tenant = With(kOperator);
  tenant.space = space->id;
  const Principal narrowed = With(kOperator, {{"acme"}, "", "", ""});
  const Micros now = engine->Visible(kMainSpace).time;
  IssueToken elsewhere;
  elsewhere.roles = kAgent;
  elsewhere.space = kMainSpace;
  IssueToken inside = elsewhere;
  inside.scope = "acme/web";
  IssueToken wider = elsewhere;
  wider.scope = "other";
  const auto forbidden = testing::FailsWith(Code::kForbidden, ::testing::_);
  EXPECT_THAT(engine->Compact(tenant, {now, false}, {}), forbidden);
  EXPECT_THAT(engine->Compact(narrowed, {now, false}, {}), forbidden);
  EXPECT_THAT(engine->AddSpace(tenant, "team-b", {}), forbidden);
  EXPECT_THAT(engine->Issue(tenant, elsewhere, {}), forbidden);
  EXPECT_THAT(engine->Issue(narrowed, wider, {}), forbidden);
  EXPECT_THAT(engine->Issue(narrowed, inside, {}), IsOk());
  const auto main_token = engine->Issue(With(kOperator), elsewhere, {});
  ASSERT_THAT(main_token, IsOk());
  const Uuid id = engine->Authenticate(main_token->first)->id;
  EXPECT_THAT(engine->Write(tenant, RevokeToken{id}, {}), forbidden);
  EXPECT_THAT(engine->Compact(With(kOperator), {now, false}, {}), IsOk());
}

TEST(Space, HasALogOfItsOwn) {
  TestEngine engine;
  const auto space = engine->AddSpace(With(kOperator), "team-a", {});
  ASSERT_THAT(space, IsOk());
  Principal there = With(kAgent | kOperator);
  there.space = space->id;
  const auto stored = engine->Write(there, StoreMemories{{Note("text")}}, {});
  ASSERT_THAT(stored, IsOk());
  EXPECT_EQ(stored->seq, 1u);
  engine.Reopen();
  EXPECT_THAT(engine.Get(stored->memories[0].id, {}, there), IsOk());
  EXPECT_THAT(engine.Get(stored->memories[0].id),
              testing::FailsWith(Code::kNotFound, ::testing::_));
  EXPECT_THAT(engine->AddSpace(With(kOperator), "team-a", {}),
              testing::FailsWith(Code::kConflict, ::testing::_));
  EXPECT_THAT(engine->AddSpace(With(kOperator), "../x", {}),
              testing::FailsWith(Code::kInvalidArgument, ::testing::_));
}

}  // namespace
}  // namespace perdure
