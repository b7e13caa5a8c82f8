#include "tools/bench/texts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

namespace perdure::bench {
namespace {

constexpr std::size_t kRanks = 50'000;
constexpr std::string_view kConsonants = "bdfghjklmnprstvz";
constexpr std::string_view kVowels = "aeiou";

constexpr std::array<const char*, 64> kFewWords = {
    "river",   "engine", "signal", "garden", "letter",  "budget",  "window",   "planet",
    "market",  "silver", "bridge", "doctor", "coffee",  "travel",  "summer",   "winter",
    "ticket",  "camera", "kernel", "thread", "release", "branch",  "commit",   "review",
    "server",  "client", "memory", "record", "version", "backup",  "island",   "forest",
    "copper",  "violin", "orange", "purple", "castle",  "harbor",  "engineer", "teacher",
    "prefers", "wrote",  "moved",  "asked",  "decided", "learned", "found",    "closed",
    "opened",  "before", "after",  "during", "between", "project", "meeting",  "deadline",
    "station", "valley", "mirror", "pencil", "rocket",  "system",  "library",  "quarter"};

// The word of a rank: two syllables for the common ones, three for the others, neighbours in rank
// being no neighbours in the alphabet.
std::string WordOf(std::size_t rank) {
  constexpr std::size_t kSyllables = kConsonants.size() * kVowels.size();
  constexpr std::size_t kShortWords = 3'000;
  constexpr std::size_t kStride = 7'919;  // has no factor in common with the number of words
  std::size_t rest = rank * kStride % (kSyllables * kSyllables);
  const std::size_t syllables = rank < kShortWords ? 2 : 3;
  if (syllables == 3) rest += rank / (kSyllables * kSyllables) * kSyllables * kSyllables;
  std::string word;
  for (std::size_t i = 0; i < syllables; ++i, rest /= kSyllables) {
    word += kConsonants[rest % kSyllables / kVowels.size()];
    word += kVowels[rest % kVowels.size()];
  }
  return word;
}

// Draws words by rank, from one table of sums.
class Zipf {
 public:
  Zipf() {
    double sum = 0;
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      sums_.push_back(sum += 1 / static_cast<double>(rank + 1));
      words_.push_back(WordOf(rank));
    }
  }
  const std::string& Draw(std::mt19937_64& generator) const {
    const double share = static_cast<double>(generator() >> 11) / static_cast<double>(1ULL << 53);
    const auto place = std::ranges::upper_bound(sums_, share * sums_.back());
    return words_[std::min(kRanks - 1, static_cast<std::size_t>(place - sums_.begin()))];
  }

 private:
  std::vector<double> sums_;
  std::vector<std::string> words_;
};

std::string Draw(std::mt19937_64& generator, Vocabulary vocabulary) {
  static const Zipf zipf;
  if (vocabulary == Vocabulary::kZipf) return zipf.Draw(generator);
  return kFewWords[generator() % kFewWords.size()];
}

}  // namespace

NoteDraft MakeNote(std::uint64_t n, std::size_t words, Vocabulary vocabulary) {
  std::mt19937_64 generator(n);
  NoteDraft draft;
  draft.title = "Note " + std::to_string(n);
  for (std::size_t i = 0; i < words; ++i) {
    draft.text += Draw(generator, vocabulary);
    if (vocabulary == Vocabulary::kEveryWord && i % 16 == 7) {
      draft.text += " w" + std::to_string(generator() % kRanks);
    }
    draft.text += i % 12 == 11 ? ". " : " ";
  }
  draft.tags = {kFewWords[n % kFewWords.size()]};
  return draft;
}

std::string MakeQuery(std::mt19937_64& generator, std::size_t notes, std::size_t words,
                      Vocabulary vocabulary) {
  std::istringstream text(MakeNote(generator() % notes, words, vocabulary).text);
  const std::vector<std::string> all{std::istream_iterator<std::string>(text), {}};
  std::string query;
  for (std::size_t left = 2 + generator() % 7; left > 0; --left) {
    query += all[generator() % all.size()] + " ";
  }
  return query;
}

}  // namespace perdure::bench
