#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "engine/model/labels.h"
#include "index/search/searchable_engine.h"
#include "index/search/vector_cache.h"
#include "support/byte_scanner.h"

namespace perdure {
namespace {

using testing::ByteScanner;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::Note;
using testing::SearchableEngine;
using testing::With;

// What files may hold of a vector: floats in the index, 16-bit numbers in the cache.
std::vector<std::string> FormsOfVector(const testing::FakeEmbedder& embedder,
                                       const std::string& text) {
  const std::string_view view(text);
  const auto embedded = embedder.Embed(std::span(&view, 1));
  const std::vector<float> vector = RoundVector(*embedded);
  std::string floats(vector.size() * sizeof(float), '\0');
  std::memcpy(floats.data(), vector.data(), floats.size());
  std::string shorts;
  for (const float value : vector) {
    const auto number = static_cast<std::int16_t>(std::lround(value * 32767));
    shorts.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return {floats, shorts};
}

TEST(SearchErase, LeavesNeitherTermsNorVectorsNorLabelsInAnyFile) {
  SearchableEngine engine;
  NoteDraft secret = Note("zanzibar quixotic plans");
  secret.tags = {"confidential"};
  const Uuid gone = engine->Store(secret);
  ASSERT_THAT(engine->Do(EditMemory{gone, WholeText{"zanzibar quixotic plot"}}), IsOk());
  NoteDraft control = Note("harmless oatmeal recipe");
  control.tags = {"food"};
  const Uuid kept = engine->Store(control);
  for (int i = 0; i < 50; ++i) engine->Store(Note("filler number " + std::to_string(i)));
  ASSERT_TRUE(engine.Settle());
  engine.ReopenSearch();  // so that everything has been in files
  ASSERT_TRUE(engine.Settle());
  const testing::FakeEmbedder embedder(std::make_shared<testing::ModelControls>());
  const Secret& key = (*engine)->KeysOf(kMainSpace).secret;
  std::vector<std::string> needles = {"zanzibar", "quixot"};
  for (const char* text : {"zanzibar quixotic plans", "zanzibar quixotic plot"}) {
    for (auto& form : FormsOfVector(embedder, text)) needles.push_back(std::move(form));
  }
  needles.emplace_back(AsBytes(LabelKey(key, "tag", "confidential")));
  std::vector<std::string> controls = {"oatmeal"};
  for (auto& form : FormsOfVector(embedder, control.text)) controls.push_back(std::move(form));
  controls.emplace_back(AsBytes(LabelKey(key, "tag", "food")));
  {
    const ByteScanner scanner(engine.index_dir());
    for (const auto& needle : needles) EXPECT_THAT(scanner.FilesWith(needle), Not(IsEmpty()));
  }
  const std::uint64_t generation = engine.SpaceStatus().generation;
  ASSERT_THAT((*engine)->Erase(With(kOperator), {{gone}}, {}), IsOk());
  EXPECT_GT(engine.SpaceStatus().generation, generation);
  EXPECT_THAT(engine.FindBy({.query = "oatmeal", .limit = 1}), ElementsAre(kept));
  for (const bool open : {true, false}) {
    if (!open) engine.CloseSearch();
    const ByteScanner scanner(engine.index_dir());
    for (const auto& needle : needles) EXPECT_THAT(scanner.FilesWith(needle), IsEmpty());
    for (const auto& needle : controls) EXPECT_THAT(scanner.FilesWith(needle), Not(IsEmpty()));
  }
  engine.OpenSearch();
  EXPECT_THAT(engine.SpaceStatus().repairs, IsEmpty());
  const auto found = engine.Search({.query = "zanzibar quixotic"}, With(kAuditor));
  for (const SearchHit& hit : found->hits) {
    EXPECT_NE(hit.id, gone);
  }
  EXPECT_THAT(engine.FindBy({.query = "oatmeal", .limit = 1}), ElementsAre(kept));
}

// What a segment file's name ends with is a number that grows with each that is written.
std::uint64_t SegmentsWritten(const std::string& index_dir) {
  std::uint64_t greatest = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(index_dir)) {
    if (file.path().extension() != ".segment") continue;
    const std::string name = file.path().stem().string();
    greatest = std::max<std::uint64_t>(greatest, std::stoull(name.substr(17), nullptr, 16));
  }
  return greatest;
}

TEST(SearchErase, OfManyMemoriesTakesOneGenerationAndWritesASegmentOnce) {
  SearchableEngine engine;
  EraseMemories many;
  for (int i = 0; i < 40; ++i) {
    const Uuid id = engine->Store(Note("zanzibar plan number " + std::to_string(i)));
    if (i % 2 == 0) many.ids.push_back(id);
  }
  ASSERT_TRUE(engine.Settle());
  engine.ReopenSearch();
  ASSERT_TRUE(engine.Settle());
  const std::uint64_t generation = engine.SpaceStatus().generation;
  const std::uint64_t segments = SegmentsWritten(engine.index_dir());
  ASSERT_GT(segments, 0u);
  ASSERT_THAT((*engine)->Erase(With(kOperator), many, {}), IsOk());
  EXPECT_EQ(engine.SpaceStatus().generation, generation + 1);
  EXPECT_EQ(SegmentsWritten(engine.index_dir()), segments + 1);
  EXPECT_EQ(engine.SpaceStatus().vectors, 20u);
}

TEST(SearchErase, WithoutAReceiptLeavesTheFilesAtTheNextCheckpoint) {
  SearchableEngine engine;
  const Uuid gone = engine->Store(Note("zanzibar quixotic plans"));
  ASSERT_TRUE(engine.Settle());
  engine.ReopenSearch();
  ASSERT_TRUE(engine.Settle());
  const testing::FakeEmbedder embedder(std::make_shared<testing::ModelControls>());
  const auto forms = FormsOfVector(embedder, "zanzibar quixotic plans");
  for (const auto& form : forms) {
    EXPECT_THAT(ByteScanner(engine.index_dir()).FilesWith(form), Not(IsEmpty()));
  }
  // The entry alone: only the follower hears of it.
  ASSERT_THAT(engine->Do(EraseMemories{{gone}}, {}, With(kOperator)), IsOk());
  ASSERT_TRUE(engine.Settle());
  engine.CloseSearch();
  for (const auto& form : forms) {
    EXPECT_THAT(ByteScanner(engine.index_dir()).FilesWith(form), IsEmpty());
  }
}

TEST(SearchErase, OfWhatTheModelIsJustReadingLeavesNoVector) {
  SearchableEngine engine;
  engine->Store(Note("first"));
  ASSERT_TRUE(engine.Settle());
  engine.model().Hold();
  const Uuid gone = engine->Store(Note("zanzibar quixotic plans"));
  engine.model().AwaitCaller();
  ASSERT_THAT((*engine)->Erase(With(kOperator), {{gone}}, {}), IsOk());
  engine.model().Release();
  const Uuid kept = engine->Store(Note("harmless oatmeal recipe"));
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.SpaceStatus().vectors, 2u);
  engine.CloseSearch();
  const testing::FakeEmbedder embedder(std::make_shared<testing::ModelControls>());
  const ByteScanner scanner(engine.index_dir());
  for (const auto& form : FormsOfVector(embedder, "zanzibar quixotic plans")) {
    EXPECT_THAT(scanner.FilesWith(form), IsEmpty());
  }
  for (const auto& form : FormsOfVector(embedder, "harmless oatmeal recipe")) {
    EXPECT_THAT(scanner.FilesWith(form), Not(IsEmpty()));
  }
  engine.OpenSearch();
  EXPECT_THAT(engine.FindBy({.query = "oatmeal", .limit = 1}), ElementsAre(kept));
}

TEST(SearchErase, TakesTheCachesOfOtherModelsToo) {
  SearchableEngine engine;
  const Uuid gone = engine->Store(Note("zanzibar quixotic plans"));
  ASSERT_TRUE(engine.Settle());
  engine.CloseSearch();
  engine.UseModel("other");
  engine.OpenSearch();
  ASSERT_TRUE(engine.Settle());
  const testing::FakeEmbedder embedder(std::make_shared<testing::ModelControls>());
  const auto forms = FormsOfVector(embedder, "zanzibar quixotic plans");
  EXPECT_GE(ByteScanner(engine.index_dir()).FilesWith(forms[1]).size(), 2u);
  ASSERT_THAT((*engine)->Erase(With(kOperator), {{gone}}, {}), IsOk());
  engine.CloseSearch();
  EXPECT_THAT(ByteScanner(engine.index_dir()).FilesWith(forms[1]), IsEmpty());
}

TEST(SearchErase, IsFinishedByTheNextStartWhenTheProgramEndedAfterTheEntry) {
  SearchableEngine engine;
  const Uuid gone = engine->Store(Note("zanzibar quixotic plans"));
  const Uuid kept = engine->Store(Note("harmless oatmeal recipe"));
  ASSERT_TRUE(engine.Settle());
  engine.CloseSearch();
  ASSERT_THAT(engine->Do(EraseMemories{{gone}}, {}, With(kOperator)), IsOk());
  EXPECT_THAT(ByteScanner(engine.index_dir()).FilesWith("zanzibar"), Not(IsEmpty()));
  engine.OpenSearch();
  ASSERT_THAT((*engine)->ResumeErasures(), IsOk());
  EXPECT_THAT(ByteScanner(engine.index_dir()).FilesWith("zanzibar"), IsEmpty());
  EXPECT_THAT(engine.FindBy({.query = "oatmeal", .limit = 1}), ElementsAre(kept));
}

}  // namespace
}  // namespace perdure
