#include <gtest/gtest.h>

#include "engine/base/limits.h"
#include "engine/places/places.h"
#include "engine/read/links.h"

namespace perdure {
namespace {

using ::testing::_;
using testing::At;
using testing::ExpectReplays;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::NoteAt;
using testing::TestEngine;
using testing::With;

std::vector<std::string> TypesAt(TestEngine& engine, const Uuid& id, const ReadAt& at = {},
                                 const Principal& principal = With(kAgent)) {
  const auto links = ReadLinks(*engine->Read(principal, at), id);
  EXPECT_THAT(links, IsOk());
  std::vector<std::string> types;
  for (const LinkInfo& link : *links) types.push_back(link.type);
  return types;
}

using Types = std::vector<std::string>;

TEST(Link, IsReadFromBothEndsAndAsOfBeforeItsRemoval) {
  TestEngine engine;
  const Uuid a = engine.Store(NoteAt("acme", "a"));
  const Uuid b = engine.Store(NoteAt("acme/web", "b"));
  ASSERT_THAT(engine.Do(AddLink{a, b, "supports"}), IsOk());
  ASSERT_THAT(engine.Do(AddLink{b, a, "supports"}), IsOk());
  EXPECT_EQ(TypesAt(engine, a), (Types{"supports", "supports"}));
  EXPECT_EQ(TypesAt(engine, b), (Types{"supports", "supports"}));
  EXPECT_THAT(engine.Do(AddLink{a, b, "Supports "}), FailsWith(Code::kConflict, _));
  const Micros then = engine->Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(RemoveLink{a, b, "supports"}), IsOk());
  EXPECT_EQ(TypesAt(engine, a), (Types{"supports"}));
  EXPECT_EQ(TypesAt(engine, b, {.time = then}).size(), 2u);
  EXPECT_THAT(engine.Do(RemoveLink{a, b, "supports"}), FailsWith(Code::kNotFound, _));
  EXPECT_THAT(engine.Do(AddLink{a, a, "supports"}), FailsWith(Code::kInvalidArgument, _));
  EXPECT_THAT(engine.Do(AddLink{a, b, ""}), FailsWith(Code::kInvalidArgument, _));
  ExpectReplays(engine);
}

TEST(Link, LeadsNowhereThatTheCallerMayNotSee) {
  TestEngine engine;
  const Uuid a = engine.Store(NoteAt("acme", "a"));
  const Uuid b = engine.Store(NoteAt("acme/web", "b"));
  const Uuid other = engine.Store(NoteAt("other", "c"));
  ASSERT_THAT(engine.Do(AddLink{a, b, "part_of"}), IsOk());
  const Principal web = With(kAgent, At("acme/web"));
  EXPECT_EQ(TypesAt(engine, b, {}, web), Types{});
  EXPECT_EQ(TypesAt(engine, b), Types{"part_of"});
  EXPECT_THAT(engine.Do(AddLink{b, a, "about"}, {}, web), FailsWith(Code::kNotFound, _));
  EXPECT_THAT(engine.Do(AddLink{a, other, "about"}),
              FailsWith(Code::kForbidden, HasSubstr("cross_scope")));
  EXPECT_THAT(engine.Do(AddLink{a, other, "about"}, {.cross_scope = true}), IsOk());
  ASSERT_THAT(engine.Do(MoveState{b, Transition::kForget, {}}), IsOk());
  EXPECT_EQ(TypesAt(engine, a), Types{"about"});
}

TEST(Link, GoesWithEitherOfItsEndsWhenItIsErased) {
  for (const bool from : {true, false}) {
    TestEngine engine;
    const Uuid a = engine.Store(NoteAt("acme", "a"));
    const Uuid b = engine.Store(NoteAt("acme", "b"));
    ASSERT_THAT(engine.Do(AddLink{a, b, "about"}), IsOk());
    ASSERT_THAT(engine->Erase(With(kOperator), {{from ? a : b}}, {}), IsOk());
    EXPECT_EQ(TypesAt(engine, from ? b : a), Types{});
    ExpectReplays(engine);
  }
}

TEST(Link, IsNotOneTooManyAtAMemory) {
  TestEngine engine;
  const Uuid hub = engine.Store(NoteAt("", "hub"));
  const Uuid leaf = engine.Store(NoteAt("", "leaf"));
  std::vector<WriteCall> calls;
  for (std::size_t i = 0; i < limits::kLinksMax - 1; ++i) {
    calls.push_back({AddLink{hub, leaf, "type " + std::to_string(i)}, {}});
  }
  for (const auto& done : engine->WriteAll(With(kAgent), std::move(calls))) {
    ASSERT_THAT(done, IsOk());
  }
  EXPECT_THAT(engine.Do(AddLink{hub, leaf, "the last"}), IsOk());
  EXPECT_THAT(engine.Do(AddLink{hub, leaf, "one more"}), FailsWith(Code::kTooLarge, _));
}

}  // namespace
}  // namespace perdure
