// The texts that the bench fills stores with, and what it asks for: the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "engine/decide/command.h"

namespace perdure::bench {

enum class Vocabulary {
  // 50,000 words made of syllables; the word of rank r is drawn in proportion to 1 / r, as in
  // written language (Zipf, 1949); none is a stop word, not even the first, in nearly every text.
  kZipf,
  // 64 words, so that a text of 100 holds nearly all of them, and a rare one now and then: the
  // worst that can be searched.
  kEveryWord
};

// Note number `n`: of `words` words, different for every n.
NoteDraft MakeNote(std::uint64_t n, std::size_t words, Vocabulary vocabulary = Vocabulary::kZipf);

// Two to eight words of one of the first `notes` notes, as somebody half remembers it.
std::string MakeQuery(std::mt19937_64& generator, std::size_t notes, std::size_t words,
                      Vocabulary vocabulary);

}  // namespace perdure::bench
