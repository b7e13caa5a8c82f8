// The words of all injection patterns: their trie, and a glance that spares most words the way
// down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/decide/glyph.h"
#include "injection_table_generated.h"

namespace perdure::injection {

// A way down the trie of all words.
class Walk {
 public:
  void Step(char byte) {
    if (node_ == nullptr) return;
    node_ = Child(node_, static_cast<std::uint8_t>(byte));
    if (node_ != nullptr) deepest_ = node_;
  }
  void Step(std::string_view bytes) {
    for (const char byte : bytes) Step(byte);
  }

  [[nodiscard]] bool IsLost() const { return node_ == nullptr; }
  // Of the words that are exactly what was walked.
  [[nodiscard]] std::span<const std::uint16_t> ExactSteps() const {
    if (node_ == nullptr) return {};
    return {kSteps + node_->exact, kSteps + node_->prefix};
  }
  // Of the prefixes that what was walked begins with.
  [[nodiscard]] std::span<const std::uint16_t> PrefixSteps() const {
    return {kSteps + deepest_->prefix, kSteps + (deepest_ + 1)->exact};
  }

 private:
  // The root has a hundred children, the others one or two.
  static const Node* Child(const Node* node, std::uint8_t label) {
    static constexpr auto kOfRoot = [] {
      std::array<std::uint16_t, 0x100> children{};
      for (std::uint16_t i = kNodes->children; i != (kNodes + 1)->children; ++i) {
        children[kNodes[i].label] = i;
      }
      return children;
    }();
    if (node == kNodes) return kOfRoot[label] == 0 ? nullptr : kNodes + kOfRoot[label];
    const Node* const end = kNodes + (node + 1)->children;
    for (const Node* child = kNodes + node->children; child != end; ++child) {
      if (child->label == label) return child;
    }
    return nullptr;
  }

  const Node* node_ = kNodes;
  const Node* deepest_ = kNodes;
};

// What the first three bytes of a word of ASCII are, in 5 bits each: for a glance at words that can
// be none of ours.
inline constexpr std::uint8_t kWordEnds = 0;
inline constexpr std::uint8_t kNotALetter = 27;      // digits and '_' look the same
inline constexpr std::uint8_t kNeedsReading = 0x80;  // no ASCII, an apostrophe, or shows nothing
inline constexpr std::size_t kGlanced = 3;

inline constexpr auto kGlances = [] {
  std::array<std::uint8_t, 0x100> glances{};
  glances.fill(kNeedsReading);
  for (unsigned char c = 0; c < 0x80; ++c) {
    const char low = LowerAscii(static_cast<char>(c));
    const GlyphKind kind = KindOfAscii(c);
    if (kind == GlyphKind::kBlank || kind == GlyphKind::kSymbol) glances[c] = kWordEnds;
    if (kind != GlyphKind::kLetter) continue;
    const bool is_letter = low >= 'a' && low <= 'z';
    glances[c] = is_letter ? static_cast<std::uint8_t>(low - 'a' + 1) : kNotALetter;
  }
  return glances;
}();

constexpr std::size_t Glanced(std::size_t before, std::uint8_t glance) {
  return before << 5U | glance;
}

// A set of such glances.
class Beginnings {
 public:
  [[nodiscard]] constexpr bool Has(std::size_t glanced) const {
    return (bits_[glanced / 64] >> (glanced % 64) & 1U) != 0;
  }
  // All words that go on from `node`, which is `depth` bytes deep.
  constexpr void AddFrom(const Node* node, std::size_t before, std::size_t depth) {
    if (depth == kGlanced) return Add(before);
    const std::size_t below = std::size_t{1} << (5 * (kGlanced - depth));
    const bool has_prefix = node->prefix != (node + 1)->exact;
    if (node->exact != node->prefix) Add(before * below);
    for (std::size_t i = 0; has_prefix && i < below; ++i) Add(before * below + i);
    for (std::size_t i = node->children; i != (node + 1)->children; ++i) {
      const std::uint8_t glance = kGlances[kNodes[i].label];
      if (glance == kNeedsReading || glance == kWordEnds) continue;
      AddFrom(kNodes + i, Glanced(before, glance), depth + 1);
    }
  }

 private:
  constexpr void Add(std::size_t glanced) {
    bits_[glanced / 64] |= std::uint64_t{1} << (glanced % 64);
  }
  std::array<std::uint64_t, (std::size_t{1} << (5 * kGlanced)) / 64> bits_{};
};

inline constexpr Beginnings kBeginnings = [] {
  Beginnings all;
  all.AddFrom(kNodes, 0, 0);
  return all;
}();

// Whether no word of a pattern begins as `text` does, which begins with a letter of ASCII, whatever
// follows its first three bytes.
constexpr bool CannotBegin(std::string_view text) {
  if (text.size() < kGlanced) return false;
  const std::uint8_t first = kGlances[static_cast<unsigned char>(text[0])];
  const std::uint8_t second = kGlances[static_cast<unsigned char>(text[1])];
  const std::uint8_t third = kGlances[static_cast<unsigned char>(text[2])];
  if (((first | second | third) & kNeedsReading) != 0) return false;
  const std::uint8_t last = second == kWordEnds ? kWordEnds : third;
  return !kBeginnings.Has(Glanced(Glanced(first, second), last));
}

}  // namespace perdure::injection
