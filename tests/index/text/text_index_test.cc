#include "index/text/text_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using ::testing::SizeIs;
using testing::TempDir;

bool Everything(std::uint64_t) { return true; }

class TextIndexTest : public ::testing::Test {
 protected:
  TextIndexTest() { Reopen(); }

  void Reopen() {
    index_.reset();
    index_ = TextIndex::Open(directory_.path()).value();
  }

  void Add(std::uint64_t chunk, std::string_view text) {
    const TextDocument document{chunk, TermsOfDocument({"", "", {}, text})};
    ASSERT_THAT(index_->Add({&document, 1}), IsOk());
  }
  void Retire(std::uint64_t chunk) { ASSERT_THAT(index_->Retire({&chunk, 1}), IsOk()); }
  void Remove(std::uint64_t chunk) { ASSERT_THAT(index_->Remove({&chunk, 1}), IsOk()); }
  void Commit(std::uint64_t cursor) { ASSERT_THAT(index_->Commit(cursor), IsOk()); }

  std::vector<TextHit> Hits(std::string_view query, bool include_past = false) {
    return index_->Search(TermsOfQuery(query), 10, include_past, Everything).value();
  }
  std::vector<std::uint64_t> Find(std::string_view query, bool include_past = false) {
    std::vector<std::uint64_t> chunks;
    for (const auto& hit : Hits(query, include_past)) chunks.push_back(hit.chunk);
    return chunks;
  }

  TempDir directory_;
  std::unique_ptr<TextIndex> index_;
};

TEST_F(TextIndexTest, AChunkIsFoundWhenAddReturned) {
  Add(7, "the quick brown fox");
  EXPECT_THAT(Find("foxes"), ElementsAre(7));
  EXPECT_THAT(Find("wolf"), IsEmpty());
  EXPECT_THAT(Find(""), IsEmpty());
}

TEST_F(TextIndexTest, AChunkIsFoundAfterCommitAndAfterOpen) {
  Add(0, "the quick brown fox");
  Commit(12);
  EXPECT_THAT(Find("fox"), ElementsAre(0));
  Add(1, "not committed fox");
  Reopen();
  EXPECT_THAT(Find("fox"), ElementsAre(0));
  EXPECT_EQ(index_->cursor(), 12U);
  EXPECT_EQ(index_->Stats().current, 1U);
}

TEST_F(TextIndexTest, ASealedPartIsSearchedUntilAndAfterItIsFlushed) {
  Add(1, "fox one");
  ASSERT_TRUE(index_->Seal(5));
  Add(2, "fox two");
  EXPECT_FALSE(index_->Seal(6));
  EXPECT_EQ(index_->cursor(), 0U);
  EXPECT_THAT(Find("fox"), ElementsAre(1, 2));
  ASSERT_THAT(index_->Flush(), IsOk());
  EXPECT_EQ(index_->cursor(), 5U);
  EXPECT_THAT(Find("fox"), ElementsAre(1, 2));
  EXPECT_TRUE(index_->Seal(6));
  ASSERT_THAT(index_->Flush(), IsOk());
  EXPECT_EQ(index_->cursor(), 6U);
  EXPECT_THAT(Find("fox"), ElementsAre(1, 2));
}

TEST_F(TextIndexTest, TheCursorMovesWithoutDocumentsToo) {
  Commit(99);
  Reopen();
  EXPECT_EQ(index_->cursor(), 99U);
}

TEST_F(TextIndexTest, PostingsAreThoseOfEveryLayerForEachWordOfTheQuery) {
  Add(1, "fox fox");
  Add(2, "fox hen");
  Commit(1);
  Add(3, "hen");
  Retire(2);
  const auto query = TermsOfQuery("hen fox");
  const auto postings = [&](std::size_t max, bool include_past) {
    const auto found = index_->Postings(query, max, include_past);
    std::vector<std::vector<std::pair<ChunkNumber, std::uint32_t>>> terms;
    if (!found || !*found) return terms;
    for (auto& term : (*found)->terms) {
      auto& pairs = terms.emplace_back();
      for (const Posting& posting : term) pairs.emplace_back(posting.chunk, posting.count);
      std::ranges::sort(pairs);
    }
    return terms;
  };
  using Pairs = std::vector<std::pair<ChunkNumber, std::uint32_t>>;
  EXPECT_THAT(postings(10, false), ElementsAre(Pairs{{3, 1}}, Pairs{{1, 2}}));
  EXPECT_THAT(postings(10, true), ElementsAre(Pairs{{2, 1}, {3, 1}}, Pairs{{1, 2}, {2, 1}}));
  EXPECT_THAT(postings(1, true), IsEmpty());
}

// Whatever layer holds the chunk when it is retired, removed or replaced.
class TextIndexLayers : public TextIndexTest, public ::testing::WithParamInterface<int> {
 protected:
  void Settle() {
    if (GetParam() == 1) {
      ASSERT_TRUE(index_->Seal(1));
    }
    if (GetParam() == 2) Commit(1);
  }
  void ExpectStaysSo(std::string_view query, bool past, const std::vector<std::uint64_t>& chunks) {
    EXPECT_EQ(Find(query, past), chunks);
    Commit(2);
    EXPECT_EQ(Find(query, past), chunks) << "after commit";
    Reopen();
    EXPECT_EQ(Find(query, past), chunks) << "after open";
  }
};

TEST_P(TextIndexLayers, ARetiredChunkIsFoundInThePastOnly) {
  Add(1, "old fox");
  Add(2, "new fox");
  Settle();
  EXPECT_THAT(Find("fox"), ElementsAre(1, 2));
  Retire(1);
  Retire(1);   // again
  Retire(17);  // unknown
  EXPECT_THAT(Find("fox", true), ElementsAre(1, 2));
  EXPECT_EQ(index_->Stats().past, 1U);
  ExpectStaysSo("fox", false, {2});
  EXPECT_THAT(Find("fox", true), ElementsAre(1, 2));
}

TEST_P(TextIndexLayers, ARemovedChunkIsNeverFound) {
  Add(1, "red fox");
  Add(2, "blue fox");
  Add(3, "past fox");
  Retire(3);
  Settle();
  EXPECT_THAT(Find("fox", true), SizeIs(3));
  Remove(1);
  Remove(3);
  Remove(99);  // unknown
  EXPECT_EQ(index_->Stats().past, 0U);
  ExpectStaysSo("fox", true, {2});
}

TEST_P(TextIndexLayers, AChunkAddedAgainIsReplaced) {
  Add(1, "red fox");
  Add(2, "gray hen");
  Retire(2);
  Settle();
  Add(1, "blue wolf");
  Add(2, "white swan");
  EXPECT_THAT(Find("fox hen", true), IsEmpty());
  EXPECT_EQ(index_->Stats().current, 2U);
  ExpectStaysSo("wolf swan", false, {1, 2});
  EXPECT_THAT(Find("fox hen", true), IsEmpty());
}

TEST_P(TextIndexLayers, AChunkRemovedAndAddedAgainIsFoundOnce) {
  Add(1, "red fox");
  Settle();
  Remove(1);
  Add(1, "red fox");
  ExpectStaysSo("fox", true, {1});
  EXPECT_EQ(index_->Stats().current, 1U);
}

INSTANTIATE_TEST_SUITE_P(InMemorySealedOnDisk, TextIndexLayers, ::testing::Values(0, 1, 2));

TEST_F(TextIndexTest, TheFilterDecidesAndTheLimitHolds) {
  for (std::uint64_t chunk = 0; chunk < 20; ++chunk) Add(chunk, "fox");
  const auto find = [&](std::size_t limit) {
    std::vector<std::uint64_t> chunks;
    const auto odd = [](std::uint64_t chunk) { return chunk % 2 == 1; };
    const auto hits = index_->Search(TermsOfQuery("fox"), limit, false, odd).value();
    for (const auto& hit : hits) chunks.push_back(hit.chunk);
    return chunks;
  };
  EXPECT_THAT(find(0), IsEmpty());
  EXPECT_THAT(find(3), ElementsAre(1, 3, 5));  // equal scores come by chunk number
  EXPECT_THAT(find(10), SizeIs(10));
  EXPECT_THAT(find(11), SizeIs(10));
}

TEST_F(TextIndexTest, CoverageIsTheShareOfTheQueryThatAChunkHolds) {
  Add(1, "fox fox fox");
  Add(2, "fox wolf");
  Add(3, "nothing");
  const auto hits = Hits("fox wolf");
  ASSERT_THAT(hits, SizeIs(2));
  EXPECT_EQ(hits[0].chunk, 2U);
  EXPECT_NEAR(hits[0].coverage, 1, 1e-9);
  const double fox = std::log(1 + (3 - 2 + .5) / 2.5);
  const double wolf = std::log(1 + (3 - 1 + .5) / 1.5);
  EXPECT_NEAR(hits[1].coverage, fox / (fox + wolf), 1e-9);
  EXPECT_NEAR(Hits("fox absent")[0].coverage, fox / (fox + std::log(1 + 3.5 / .5)), 1e-9);
  EXPECT_NEAR(Hits("fox wolf absent")[0].words, 2. / 3, 1e-9);
  EXPECT_NEAR(Hits("fox wolf absent")[1].words, 1. / 3, 1e-9);
}

TEST_F(TextIndexTest, ChunksWithTooFewOfTheWordsAreLeftOut) {
  Add(1, "fox fox fox");
  Add(2, "fox wolf");
  Add(3, "fox wolf bear");
  const auto chunks = [this](double least_words) {
    std::vector<std::uint64_t> found;
    const auto hits =
        index_->Search(TermsOfQuery("fox wolf bear hare"), 10, false, Everything, least_words);
    for (const TextHit& hit : hits.value()) found.push_back(hit.chunk);
    std::ranges::sort(found);
    return found;
  };
  EXPECT_THAT(chunks(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(chunks(.5), ElementsAre(2, 3));
  EXPECT_THAT(chunks(.51), ElementsAre(3));
  EXPECT_THAT(chunks(.76), ElementsAre());
}

TEST_F(TextIndexTest, ChunkNumbersAndTermsHaveMaxima) {
  for (const std::uint64_t chunk : {kChunkNumberMax - 1, kChunkNumberMax, kChunkNumberMax + 1}) {
    const TextDocument document{chunk, TermsOfDocument({"", "", {}, "fox"})};
    EXPECT_EQ(index_->Add({&document, 1}).has_value(), chunk <= kChunkNumberMax) << chunk;
  }
  Commit(1);
  EXPECT_THAT(Find("fox"), ElementsAre(kChunkNumberMax - 1, kChunkNumberMax));
  Remove(kChunkNumberMax - 1);
  Remove(kChunkNumberMax);
  for (const std::size_t size : {kTermBytesMax - 1, kTermBytesMax, kTermBytesMax + 1}) {
    const TextDocument document{1, {{{std::string(size, 'x'), 1}}, 1}};
    EXPECT_EQ(index_->Add({&document, 1}).has_value(), size <= kTermBytesMax) << size;
  }
  const TextDocument nameless{1, {{{"", 1}}, 1}};
  EXPECT_THAT(index_->Add({&nameless, 1}), FailsWith(Code::kTooLarge, _));
}

TEST_F(TextIndexTest, TheMostZerosThatATermCanHoldAreStored) {
  const TextDocument document{1, {{{std::string(kTermBytesMax, '\0'), 1}}, 1}};
  ASSERT_THAT(index_->Add({&document, 1}), IsOk());
  Commit(1);
  const std::vector<QueryTerm> query = {{std::string(kTermBytesMax, '\0'), 1}};
  EXPECT_THAT(index_->Search(query, 10, false, Everything).value(), SizeIs(1));
}

TEST_F(TextIndexTest, ADamagedDatabaseIsDiscardedAndSaysWhy) {
  Add(1, "fox");
  Commit(3);
  index_.reset();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
    if (entry.path().filename() == "iamglass") {
      std::ofstream(entry.path(), std::ios::trunc) << "not a database";
    }
  }
  Reopen();
  EXPECT_THAT(index_->discarded(), Not(IsEmpty()));
  EXPECT_EQ(index_->cursor(), 0U);
  EXPECT_THAT(Find("fox"), IsEmpty());
  Add(1, "fox");
  Commit(3);
  Reopen();
  EXPECT_THAT(index_->discarded(), IsEmpty());
  EXPECT_THAT(Find("fox"), ElementsAre(1));
}

TEST_F(TextIndexTest, AFlippedBitInItsFilesIsSeenBeforeXapianReadsThem) {
  for (std::uint64_t chunk = 1; chunk < 40; ++chunk)
    Add(chunk, "fox number " + std::to_string(chunk));
  Commit(3);
  index_.reset();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
    if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
  }
  ASSERT_GE(files.size(), 4U);
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    for (const std::size_t at : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
      const TempDir copy;
      std::filesystem::copy(directory_.path(), copy / "text",
                            std::filesystem::copy_options::recursive);
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 8);
      const auto relative = std::filesystem::relative(path, directory_.path());
      std::ofstream(std::filesystem::path(copy / "text") / relative, std::ios::binary) << flipped;
      const auto index = TextIndex::Open(copy / "text").value();
      EXPECT_EQ(index->cursor(), 0U) << relative << " " << at;
      EXPECT_TRUE(!index->discarded().empty() || relative == "current") << relative;
    }
  }
  Reopen();
  EXPECT_THAT(index_->discarded(), IsEmpty());
  EXPECT_THAT(Find("fox"), SizeIs(10));
}

TEST_F(TextIndexTest, ACommitCutShortBeforeItsChecksumsIsNoDamage) {
  Add(1, "fox");
  Commit(3);
  index_.reset();
  std::size_t removed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    if (!entry.path().filename().string().starts_with("sums.")) continue;
    removed += std::filesystem::remove(entry.path()) ? 1 : 0;
  }
  ASSERT_EQ(removed, 1U);
  Reopen();
  EXPECT_THAT(index_->discarded(), IsEmpty());
  EXPECT_THAT(Find("fox"), ElementsAre(1));
}

TEST_F(TextIndexTest, WithoutItsFilesTheIndexIsEmpty) {
  Add(1, "fox");
  Commit(3);
  index_.reset();
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    std::filesystem::remove_all(entry.path());
  }
  Reopen();
  EXPECT_EQ(index_->cursor(), 0U);
  EXPECT_EQ(index_->Stats().current, 0U);
}

// All bytes of the directory's files, and what any of them inflate to: Xapian deflates term lists.
std::string AllBytes(const std::string& directory) {
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    all += bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      char inflated[8192];
      z_stream stream = {};
      if (inflateInit2(&stream, -15) != Z_OK) continue;
      stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + at);
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size() - at, 8192));
      stream.next_out = reinterpret_cast<Bytef*>(inflated);
      stream.avail_out = sizeof inflated;
      inflate(&stream, Z_SYNC_FLUSH);
      const std::size_t size = sizeof inflated - stream.avail_out;
      if (size >= 8) all.append(inflated, size).append("\n");
      inflateEnd(&stream);
    }
  }
  return all;
}

std::string Story(std::string_view name) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::string(name) + "word" + std::to_string(i) + " ";
  return text;
}

TEST_F(TextIndexTest, AfterCompactNoFileHoldsATermOfARemovedChunk) {
  Add(1, "keptsecret " + Story("kept"));
  Add(2, "erasedsecret " + Story("erased"));
  Add(3, "pastsecret " + Story("past"));
  Retire(3);
  Commit(1);
  Add(4, "latesecret");  // stays in memory meanwhile
  std::string bytes = AllBytes(directory_.path());
  for (const auto* secret : {"keptsecret", "erasedsecret", "pastsecret"}) {
    EXPECT_NE(bytes.find(secret), std::string::npos) << secret;
  }
  Remove(2);
  Remove(3);
  Commit(2);
  ASSERT_THAT(index_->Compact(), IsOk());
  bytes = AllBytes(directory_.path());
  EXPECT_NE(bytes.find("keptsecret"), std::string::npos);
  EXPECT_NE(bytes.find("keptword55"), std::string::npos);
  for (const auto* secret : {"erasedsecret", "erasedword", "pastsecret", "pastword"}) {
    EXPECT_EQ(bytes.find(secret), std::string::npos) << secret;
  }
  EXPECT_EQ(index_->cursor(), 2U);
  EXPECT_THAT(Find("keptsecret latesecret"), ElementsAre(4, 1));
  Commit(3);
  ASSERT_THAT(index_->Compact(), IsOk());  // again, and from an index that was opened
  Reopen();
  EXPECT_EQ(index_->cursor(), 3U);
  EXPECT_THAT(Find("keptsecret latesecret"), ElementsAre(4, 1));
}

}  // namespace
}  // namespace perdure
