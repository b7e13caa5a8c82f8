// A guess at the language of a text by its stop words, good enough to choose a stemmer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure {

enum class Language : std::uint8_t {
  kEnglish,
  kFrench,
  kGerman,
  kSpanish,
  kItalian,
  kPortuguese,
  kDutch,
  kSwedish,
  kDanish,
  kFinnish,
  kHungarian,
  kRomanian,
  kTurkish,
};
inline constexpr std::size_t kLanguageCount = 13;

// Bit n is set if the word (NFKC, case-folded) is a stop word of Language n.
std::uint32_t StopWordLanguages(std::string_view word);

inline bool IsStopWord(std::uint32_t languages, Language language) {
  return (languages >> static_cast<unsigned>(language) & 1U) != 0;
}

// Counts stop words. Deterministic; ties and texts without evidence are English.
class LanguageGuess {
 public:
  void Add(std::uint32_t stop_word_languages);
  Language Best() const;
  // Whether two words or more speak for Best().
  bool IsConfident() const { return hits_[static_cast<std::size_t>(Best())] >= 2; }

 private:
  std::size_t hits_[kLanguageCount] = {};
  std::size_t words_ = 0;
};

}  // namespace perdure
