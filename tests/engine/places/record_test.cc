#include <gtest/gtest.h>

#include "engine/places/places.h"

namespace perdure {
namespace {

using ::testing::_;
using testing::ExpectReplays;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

NoteDraft Record(std::string text) {
  NoteDraft draft = Note(std::move(text));
  draft.is_record = true;
  return draft;
}

TEST(Record, IsRewrittenByNobody) {
  TestEngine engine;
  const Uuid id = engine.Store(Record("as it was said"));
  EXPECT_TRUE(engine.Get(id)->record.is_record);
  const auto refused = FailsWith(Code::kConflict, HasSubstr("record"));
  EXPECT_THAT(engine.Do(EditMemory{id, WholeText{"otherwise"}}), refused);
  DescribeMemory title{.id = id};
  title.title = "otherwise";
  EXPECT_THAT(engine.Do(title), refused);
  EXPECT_THAT(engine.Do(DescribeMemory{.id = id, .clear = {"metadata"}}), refused);
  DescribeMemory tags{.id = id};
  tags.tags = {"filed"};
  EXPECT_THAT(engine.Do(tags), IsOk());
  EXPECT_THAT(engine.Do(RevertMemory{id, 1, {}}), refused);
  EXPECT_EQ(engine.Get(id)->text, "as it was said");
}

TEST(Record, IsCorrectedByANewMemoryThatSupersedesIt) {
  TestEngine engine;
  const Uuid id = engine.Store(Record("at noon"));
  NoteDraft correction = Record("at one");
  correction.supersedes = id;
  const auto stored = engine.Do(StoreMemories{{correction}});
  ASSERT_THAT(stored, IsOk());
  const Uuid by = stored->memories[0].id;
  EXPECT_EQ(stored->memories[0].superseded, std::vector<Uuid>{id});
  const auto old = engine.Get(id);
  EXPECT_EQ(old->record.state, fb::MemoryState::superseded);
  EXPECT_EQ(FromIdPtr(old->record.successor), by);
  EXPECT_EQ(FromIdPtr(engine.Get(by)->record.predecessor), id);
  correction.text = "at two";
  EXPECT_THAT(engine.Do(StoreMemories{{correction}}), FailsWith(Code::kConflict, _));
  ExpectReplays(engine);
}

TEST(MemoryClass, IsOpenedByAReviewerAlone) {
  TestEngine engine;
  NoteDraft mail = Note("hello");
  mail.memory_class = fb::MemoryClass::communication;
  const Uuid id = engine.Store(mail);
  DescribeMemory open{.id = id};
  open.memory_class = fb::MemoryClass::document;
  EXPECT_THAT(engine.Do(open, {}, With(kAgent)), FailsWith(Code::kForbidden, _));
  EXPECT_THAT(engine.Do(open, {}, With(kReviewer)), IsOk());
  EXPECT_EQ(engine.Get(id)->record.memory_class, fb::MemoryClass::document);
}

TEST(Describe, CrossesFromOneUserToAnotherOnlyWhenThatIsMeant) {
  TestEngine engine;
  const Uuid id = engine.Store(testing::NoteAt(";user=ann", "one"));
  DescribeMemory move{.id = id};
  move.scope = testing::At(";user=bob");
  EXPECT_THAT(engine.Do(move), FailsWith(Code::kForbidden, HasSubstr("cross_scope")));
  EXPECT_THAT(engine.Do(move, {.cross_scope = true}), IsOk());
}

}  // namespace
}  // namespace perdure
