#include "index/embed/feature_hasher.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "index/embed/bert_words.h"

namespace perdure {
namespace {

constexpr std::size_t kDimensions = 384;
constexpr std::size_t kGramMin = 3;
constexpr std::size_t kGramMax = 5;
constexpr std::size_t kCharactersPerToken = 6;
constexpr std::uint8_t kVersion = 1;  // of the method: changes whenever a vector does

std::uint64_t HashFeature(char kind, std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = (0xcbf29ce484222325 ^ static_cast<unsigned char>(kind)) * kPrime;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

void Add(char kind, std::string_view text, float weight, std::span<float> row) {
  const std::uint64_t hash = HashFeature(kind, text);
  row[(hash >> 32) * kDimensions >> 32] += (hash & 1) != 0 ? weight : -weight;
}

// Where each character begins, and the end. `text` is well-formed UTF-8.
std::vector<std::size_t> CharacterStarts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) starts.push_back(at);
  }
  starts.push_back(text.size());
  return starts;
}

void AddGrams(std::string_view word, std::span<float> row) {
  const std::string marked = "<" + std::string(word) + ">";
  const std::vector<std::size_t> starts = CharacterStarts(marked);
  const std::size_t characters = starts.size() - 1;
  std::size_t grams = 0;
  for (std::size_t size = kGramMin; size <= kGramMax && size <= characters; ++size) {
    grams += characters - size + 1;
  }
  const float weight = 1.0F / std::sqrt(static_cast<float>(grams));
  for (std::size_t size = kGramMin; size <= kGramMax; ++size) {
    for (std::size_t first = 0; first + size <= characters; ++first) {
      const std::size_t begin = starts[first];
      Add('g', std::string_view(marked).substr(begin, starts[first + size] - begin), weight, row);
    }
  }
}

void Normalize(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += double{value} * value;
  if (squares == 0) return;
  const double length = std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(value / length);
}

}  // namespace

FeatureHasher::FeatureHasher()
    : info_{.name = "feature-hashing-384",
            .dimensions = kDimensions,
            .weights_hash = {kVersion},
            .stand_in = true} {}

Result<std::vector<float>> FeatureHasher::Embed(std::span<const std::string_view> texts) const {
  std::vector<float> rows(texts.size() * kDimensions);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::span<float> row = std::span(rows).subspan(i * kDimensions, kDimensions);
    BertWordReader words(texts[i]);
    while (const auto word = words.Next()) {
      Add('w', word->text, 1.0F, row);
      AddGrams(word->text, row);
    }
    Normalize(row);
  }
  return rows;
}

std::size_t FeatureHasher::CountTokens(std::string_view text) const {
  std::size_t count = 0;
  BertWordReader words(text);
  while (const auto word = words.Next()) {
    count += (word->characters + kCharactersPerToken - 1) / kCharactersPerToken;
  }
  return count;
}

}  // namespace perdure
