// The index against a naive BM25 that looks at every document, whatever lies in memory or on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "index/text/text_index.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::TempDir;

struct OracleDocument {
  bool is_past = false;
  DocumentTerms terms;
};

// RETRIEVAL's document mode, written down as the formula stands.
class Oracle {
 public:
  std::map<std::uint64_t, OracleDocument> documents;

  std::vector<TextHit> Search(const std::vector<QueryTerm>& query, std::size_t limit,
                              bool include_past,
                              const std::function<bool(std::uint64_t)>& allowed) const {
    const auto [n, mean, deviation] = Lengths();
    const double k1 = mean >= 90 ? 2 : 1.2;
    const double b = deviation > .8 * mean ? 1 : .5;
    std::vector<double> idf;
    double most = 0;
    for (const auto& [term, weight] : query) {
      idf.push_back(Idf(term, n));
      most += idf.back() * weight * (k1 + 1);
    }
    std::vector<TextHit> hits;
    for (const auto& [chunk, document] : documents) {
      if ((document.is_past && !include_past) || !allowed(chunk)) continue;
      double score = 0;
      double covered = 0;
      for (std::size_t i = 0; i < query.size(); ++i) {
        const double count = Count(document, query[i].term);
        const double norm = document.terms.length / mean;
        const double share = idf[i] * query[i].weight * (k1 + 1);
        score += share * count / (count + k1 * (1 - b + b * norm));
        if (count > 0) covered += share;
      }
      if (score > 0) hits.push_back({chunk, score / most, covered / most});
    }
    std::ranges::sort(hits, [](const TextHit& a, const TextHit& c) {
      // Scores that differ by rounding alone are equal.
      return std::abs(a.score - c.score) > 1e-9 ? a.score > c.score : a.chunk < c.chunk;
    });
    hits.resize(std::min(hits.size(), limit));
    return hits;
  }

  // Of these chunks (ascending), as the index gives them: in their order.
  std::vector<TextHit> Score(const std::vector<QueryTerm>& query,
                             const std::vector<ChunkNumber>& chunks, bool include_past) const {
    auto hits = Search(query, documents.size(), include_past, [&](std::uint64_t chunk) {
      return std::ranges::binary_search(chunks, chunk);
    });
    std::ranges::sort(hits, {}, &TextHit::chunk);
    return hits;
  }

 private:
  std::tuple<double, double, double> Lengths() const {
    double n = 0;
    double total = 0;
    for (const auto& [chunk, document] : documents) {
      if (document.is_past) continue;
      ++n;
      total += document.terms.length;
    }
    const double mean = n == 0 ? 1 : total / n;
    double squares = 0;
    for (const auto& [chunk, document] : documents) {
      if (!document.is_past) squares += std::pow(document.terms.length - mean, 2);
    }
    return {n, mean, n == 0 ? 0 : std::sqrt(squares / n)};
  }

  static double Count(const OracleDocument& document, const std::string& term) {
    const auto& terms = document.terms.terms;
    const auto found = std::ranges::lower_bound(terms, term, {}, &DocumentTerm::term);
    return found != terms.end() && found->term == term ? found->count : 0;
  }

  double Idf(const std::string& term, double n) const {
    double with_term = 0;
    for (const auto& [chunk, document] : documents) {
      if (!document.is_past && Count(document, term) > 0) ++with_term;
    }
    return std::log(1 + (n - with_term + .5) / (with_term + .5));
  }
};

struct Scenario {
  std::string name;
  std::size_t length_max = 0;  // of a document, in words
  double long_share = 0;       // of documents ten times as long
  TextIndexOptions options = {};
};

class Words {
 public:
  explicit Words(std::uint32_t seed) : random_(seed) {}

  std::size_t Below(std::size_t end) { return random_() % end; }
  bool Chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }

  // Up to 40 numbers of a range, ascending, each once.
  std::vector<ChunkNumber> Some(std::uint64_t begin, std::uint64_t end) {
    std::set<ChunkNumber> some;
    for (std::size_t left = Below(41); left > 0; --left) {
      some.insert(static_cast<ChunkNumber>(begin + Below(end - begin)));
    }
    return {some.begin(), some.end()};
  }

  // Few words are frequent, many are rare.
  std::string Word() {
    const std::size_t rank = Below(1 + Below(1 + Below(200)));
    return "w" + std::to_string(rank);
  }
  std::string Text(std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += Word() + " ";
    return text;
  }

 private:
  std::mt19937 random_;
};

void ExpectSameHits(const std::vector<TextHit>& hits, const std::vector<TextHit>& expected) {
  ASSERT_EQ(hits.size(), expected.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    ASSERT_EQ(hits[i].chunk, expected[i].chunk) << "rank " << i;
    ASSERT_NEAR(hits[i].score, expected[i].score, 1e-9) << "rank " << i;
    ASSERT_NEAR(hits[i].coverage, expected[i].coverage, 1e-9) << "rank " << i;
  }
}

class TextIndexOracle : public ::testing::TestWithParam<Scenario> {};

TEST_P(TextIndexOracle, EveryAnswerIsThatOfANaiveScan) {
  const Scenario& scenario = GetParam();
  Words words(31);
  TempDir directory;
  auto index = TextIndex::Open(directory.path(), scenario.options).value();
  Oracle oracle;
  std::uint64_t next_chunk = 4000;  // across a window's border
  std::uint64_t cursor = 0;
  for (int step = 0; step < 2000; ++step) {
    const auto choice = words.Below(100);
    if (choice < 55) {
      const std::size_t factor = words.Chance(scenario.long_share) ? 10 : 1;
      const auto text = words.Text((1 + words.Below(scenario.length_max)) * factor);
      const TextDocument document{next_chunk, TermsOfDocument({"", "", {}, text})};
      next_chunk += 1 + (words.Chance(.02) ? 5000 : 0);
      oracle.documents[document.chunk] = {false, document.terms};
      ASSERT_THAT(index->Add({&document, 1}), IsOk());
    } else if (choice < 75 && !oracle.documents.empty()) {
      const auto victim =
          std::next(oracle.documents.begin(),
                    static_cast<std::ptrdiff_t>(words.Below(oracle.documents.size())));
      const std::uint64_t chunk = victim->first;
      if (words.Chance(.7)) {
        victim->second.is_past = true;
        ASSERT_THAT(index->Retire({&chunk, 1}), IsOk());
      } else {
        oracle.documents.erase(victim);
        ASSERT_THAT(index->Remove({&chunk, 1}), IsOk());
      }
    } else if (choice < 76) {
      static_cast<void>(index->Seal(++cursor));
    } else if (choice < 77) {
      ASSERT_THAT(index->Flush(), IsOk());
    } else if (choice == 77 && words.Chance(.2)) {
      ASSERT_THAT(index->Compact(), IsOk());
    } else if (choice == 78 && words.Chance(.2)) {
      ASSERT_THAT(index->Commit(++cursor), IsOk());
      index.reset();
      index = TextIndex::Open(directory.path(), scenario.options).value();
    } else if (choice == 79 && !oracle.documents.empty()) {
      // The number of a document that is there, or was, with another text.
      const TextDocument document{oracle.documents.begin()->first + words.Below(60),
                                  TermsOfDocument({"", "", {}, words.Text(5)})};
      oracle.documents[document.chunk] = {false, document.terms};
      ASSERT_THAT(index->Add({&document, 1}), IsOk());
    } else {
      const auto query = TermsOfQuery(words.Text(1 + words.Below(12)));
      const std::size_t limit = 1 + words.Below(words.Chance(.5) ? 5 : 300);
      const std::size_t modulus = 1 + words.Below(3);
      const auto allowed = [modulus](std::uint64_t chunk) { return chunk % modulus == 0; };
      const bool past = words.Chance(.5);
      const auto hits = index->Search(query, limit, past, allowed);
      ASSERT_THAT(hits, IsOk());
      ExpectSameHits(*hits, oracle.Search(query, limit, past, allowed));
      const auto some = words.Some(4000, next_chunk + 10);
      const auto scores = index->Score(query, some, past);
      ASSERT_THAT(scores, IsOk());
      ExpectSameHits(*scores, oracle.Score(query, some, past));
      if (HasFatalFailure()) FAIL() << "at step " << step;
    }
  }
  EXPECT_GT(oracle.documents.size(), 500U);
}

INSTANTIATE_TEST_SUITE_P(Lengths, TextIndexOracle,
                         ::testing::Values(Scenario{"short", 20, 0, {}},
                                           Scenario{"long", 200, 0, {}},
                                           Scenario{"uneven", 20, .1, {}},
                                           Scenario{"nothing_kept", 20, 0, {.list_max = 0}},
                                           Scenario{"some_kept", 20, 0, {.list_max = 20}}),
                         [](const auto& scenario) { return scenario.param.name; });

// The same log, followed with other commits, removals and crashes in between, gives equal bits.
TEST(TextIndexRebuild, TheSameLogGivesTheSameAnswersHoweverItWasCommitted) {
  struct Step {
    enum { kAdd, kRetire, kRemove } kind;
    TextDocument document;
  };
  Words words(5);
  std::vector<Step> log;
  for (std::uint64_t chunk = 0; chunk < 1500; ++chunk) {
    log.push_back(
        {Step::kAdd, {chunk, TermsOfDocument({"", "", {}, words.Text(5 + words.Below(60))})}});
    if (words.Chance(.2)) log.push_back({Step::kRetire, {words.Below(chunk + 1), {}}});
    if (words.Chance(.1)) log.push_back({Step::kRemove, {words.Below(chunk + 1), {}}});
  }
  const auto follow = [&](TextIndex& index, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const auto& [kind, document] = log[i];
      const Status done = kind == Step::kAdd      ? index.Add({&document, 1})
                          : kind == Step::kRetire ? index.Retire({&document.chunk, 1})
                                                  : index.Remove({&document.chunk, 1});
      ASSERT_THAT(done, IsOk());
    }
  };

  TempDir in_memory_directory;
  const auto in_memory = TextIndex::Open(in_memory_directory.path()).value();
  follow(*in_memory, 0, log.size());

  TempDir directory;
  auto index = TextIndex::Open(directory.path()).value();
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t to = std::min(log.size(), at + 1 + words.Below(300));
    follow(*index, at, to);
    if (words.Chance(.1)) {
      ASSERT_THAT(index->Compact(), IsOk());
    }
    if (words.Chance(.5)) {
      ASSERT_THAT(index->Commit(to), IsOk());
    }
    at = to;
    if (words.Chance(.3)) {  // a crash: what was not committed is followed again
      index.reset();
      index = TextIndex::Open(directory.path()).value();
      at = index->cursor();
    }
  }
  EXPECT_EQ(index->Stats().current, in_memory->Stats().current);
  EXPECT_EQ(index->Stats().past, in_memory->Stats().past);
  const auto everything = [](std::uint64_t) { return true; };
  std::size_t hits = 0;
  for (int i = 0; i < 300; ++i) {
    const auto query = TermsOfQuery(words.Text(1 + words.Below(8)));
    for (const bool past : {false, true}) {
      const auto expected = in_memory->Search(query, 50, past, everything).value();
      ASSERT_EQ(index->Search(query, 50, past, everything).value(), expected);
      hits += expected.size();
    }
  }
  EXPECT_GT(hits, 1000U);
}

}  // namespace
}  // namespace perdure
