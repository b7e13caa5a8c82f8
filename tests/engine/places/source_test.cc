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

NoteDraft File(std::string text) {
  NoteDraft draft = Note(std::move(text));
  draft.store = "notes";
  draft.source = "notes/today.md";
  return draft;
}

TEST(Source, AloneChangesTheMemoriesOfItsStore) {
  TestEngine engine;
  const auto added = engine.Do(AddSource{"notes", "/notes", "{}"});
  ASSERT_THAT(added, IsOk());
  const WriteOptions own{.source = added->made};
  EXPECT_THAT(engine.Do(StoreMemories{{File("one")}}),
              FailsWith(Code::kConflict, HasSubstr("folder")));
  const auto stored = engine.Do(StoreMemories{{File("one")}}, own);
  ASSERT_THAT(stored, IsOk());
  const Uuid id = stored->memories[0].id;
  const auto memory = engine.Get(id);
  EXPECT_EQ(memory->store, "notes");
  EXPECT_FALSE(memory->editable);
  const EditMemory edit{id, WholeText{"two"}};
  EXPECT_THAT(engine.Do(edit), FailsWith(Code::kConflict, HasSubstr("notes/today.md")));
  EXPECT_THAT(engine.Do(edit, own, With(kAgent)), FailsWith(Code::kConflict, _));
  EXPECT_THAT(engine.Do(MoveState{id, Transition::kArchive, {}}), FailsWith(Code::kConflict, _));
  EXPECT_THAT(engine.Do(edit, own), IsOk());
  ASSERT_THAT(engine.Do(RemoveSource{added->made}), IsOk());
  EXPECT_THAT(engine.Do(RemoveSource{added->made}), FailsWith(Code::kNotFound, _));
  EXPECT_TRUE(engine.Get(id)->editable);
  EXPECT_THAT(engine.Do(EditMemory{id, WholeText{"three"}}), IsOk());
  ExpectReplays(engine);
}

TEST(Source, HasAStoreOfItsOwn) {
  TestEngine engine;
  EXPECT_THAT(engine.Do(AddSource{"default", "/x", ""}), FailsWith(Code::kInvalidArgument, _));
  EXPECT_THAT(engine.Do(AddSource{"notes", "", ""}), FailsWith(Code::kInvalidArgument, _));
  ASSERT_THAT(engine.Do(AddSource{"notes", "/x", ""}), IsOk());
  EXPECT_THAT(engine.Do(AddSource{"notes", "/y", ""}), FailsWith(Code::kConflict, _));
  EXPECT_THAT(engine.Do(AddSource{"more", "/y", ""}, {}, With(kReviewer)),
              FailsWith(Code::kForbidden, _));
}

TEST(Store, IsFilledMovedToAndListed) {
  TestEngine engine;
  NoteDraft draft = Note("one");
  draft.store = "ideas";
  const Uuid id = engine.Store(draft);
  const Uuid same_elsewhere = engine.Store(Note("one"));
  EXPECT_NE(id, same_elsewhere);
  ListFilter filter;
  filter.store = "ideas";
  EXPECT_EQ(engine->Read(With(kAgent))->List(filter, 10, "")->total, 1u);
  DescribeMemory move{.id = id};
  move.store = "default";
  ASSERT_THAT(engine.Do(move), IsOk());
  EXPECT_EQ(engine->Read(With(kAgent))->List(filter, 10, "")->total, 0u);
  filter.store = "nowhere";
  EXPECT_EQ(engine->Read(With(kAgent))->List(filter, 10, "")->total, 0u);
}

}  // namespace
}  // namespace perdure
