#include "index/embed/bert_words.h"

#include <utf8proc.h>

#include <algorithm>

namespace perdure {
namespace {

constexpr std::int32_t kEndOfText = -1;
constexpr std::int32_t kReplacementCharacter = 0xFFFD;

bool IsAsciiPunctuation(std::int32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

bool IsPunctuation(std::int32_t c) {
  if (c < 0x80) return IsAsciiPunctuation(c);
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

// The blocks that BERT calls Chinese: no kana, no Hangul.
bool IsChinese(std::int32_t c) {
  static constexpr std::pair<std::int32_t, std::int32_t> kBlocks[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
      {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return std::ranges::any_of(
      kBlocks, [c](const auto& block) { return c >= block.first && c <= block.second; });
}

}  // namespace

std::optional<BertWord> BertWordReader::Next() {
  word_.clear();
  characters_ = 0;
  while (true) {
    const Symbol symbol = pending_ ? *pending_ : Read();
    pending_.reset();
    switch (symbol.kind) {
      case Kind::kEnd:
        if (characters_ == 0) return std::nullopt;
        return BertWord{word_, characters_};
      case Kind::kSpace:
        if (characters_ == 0) break;
        return BertWord{word_, characters_};
      case Kind::kAlone:
        if (characters_ != 0) {
          pending_ = symbol;
        } else {
          Append(symbol.character);
        }
        return BertWord{word_, characters_};
      case Kind::kLetter:
        if (characters_ <= kWordCharactersMax) Append(symbol.character);
        break;
    }
  }
}

BertWordReader::Symbol BertWordReader::Read() {
  while (true) {
    if (decomposed_at_ < decomposed_count_) {
      const std::int32_t part = decomposed_[decomposed_at_++];
      if (utf8proc_category(part) == UTF8PROC_CATEGORY_MN) continue;
      const std::int32_t lower = utf8proc_tolower(part);
      return {decomposed_alone_ || IsPunctuation(lower) ? Kind::kAlone : Kind::kLetter, lower};
    }
    const std::int32_t c = ReadCharacter();
    if (c == kEndOfText) return {Kind::kEnd, 0};
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return {Kind::kSpace, c};
    if (c < 0x80) {
      if (c < ' ' || c == 0x7F) continue;
      if (c >= 'A' && c <= 'Z') return {Kind::kLetter, c + ('a' - 'A')};
      return {IsAsciiPunctuation(c) ? Kind::kAlone : Kind::kLetter, c};
    }
    switch (utf8proc_category(c)) {
      case UTF8PROC_CATEGORY_CC:
      case UTF8PROC_CATEGORY_CF:
      case UTF8PROC_CATEGORY_CN:
      case UTF8PROC_CATEGORY_CO:
      case UTF8PROC_CATEGORY_CS:
        continue;
      case UTF8PROC_CATEGORY_ZS:
      case UTF8PROC_CATEGORY_ZL:
      case UTF8PROC_CATEGORY_ZP:
        return {Kind::kSpace, c};
      default:
        if (c != kReplacementCharacter) Decompose(c);
    }
  }
}

std::int32_t BertWordReader::ReadCharacter() {
  while (!text_.empty()) {
    const auto first = static_cast<unsigned char>(text_.front());
    if (first < 0x80) {
      text_.remove_prefix(1);
      return first;
    }
    utf8proc_int32_t c = 0;
    const auto bytes =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text_.data()),
                         static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text_.size(), 4)), &c);
    text_.remove_prefix(bytes > 0 ? static_cast<std::size_t>(bytes) : 1);
    if (bytes > 0) return c;
  }
  return kEndOfText;
}

void BertWordReader::Decompose(std::int32_t character) {
  int last_class = 0;
  const auto count = utf8proc_decompose_char(character, decomposed_.data(),
                                             static_cast<utf8proc_ssize_t>(decomposed_.size()),
                                             UTF8PROC_DECOMPOSE, &last_class);
  decomposed_at_ = 0;
  decomposed_count_ = count > 0 ? std::min(static_cast<std::size_t>(count), decomposed_.size()) : 0;
  decomposed_alone_ = IsChinese(character);
}

void BertWordReader::Append(std::int32_t character) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto count = utf8proc_encode_char(character, bytes.data());
  word_.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count));
  ++characters_;
}

}  // namespace perdure
