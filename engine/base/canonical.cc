#include "engine/base/canonical.h"

#include <fmt/format.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <algorithm>
#include <memory>

#include "engine/base/bytes.h"

namespace perdure {
namespace {

constexpr UChar32 kBrailleBlank = 0x2800;  // shows nothing, but is neither space nor ignorable
constexpr UChar32 kAsciiEnd = 0x80;

Status Checked(UErrorCode status) {
  if (U_SUCCESS(status)) return {};
  return Fail(Code::kInternal, fmt::format("ICU failed: {}.", u_errorName(status)));
}

// ICU's own data, which any thread may read.
struct Icu {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* fold = icu::Normalizer2::getNFKCCasefoldInstance(status);
  const icu::Normalizer2* decompose = icu::Normalizer2::getNFDInstance(status);
  std::unique_ptr<USpoofChecker, decltype(&uspoof_close)> spoof{uspoof_open(&status),
                                                                &uspoof_close};
};

// One space, one dash, and none of what shows nothing.
icu::UnicodeString PlainSpacing(const icu::UnicodeString& text) {
  icu::UnicodeString plain;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    const UChar32 c = text.char32At(i);
    if (u_isUWhiteSpace(c) || c == kBrailleBlank) {
      plain.append(u' ');
    } else if (u_hasBinaryProperty(c, UCHAR_DASH)) {
      plain.append(u'-');
    } else if (const auto type = u_charType(c); type != U_CONTROL_CHAR && type != U_FORMAT_CHAR) {
      plain.append(c);
    }
  }
  return plain;
}

// UTS #39 section 4, for the characters outside ASCII: the prototypes of decomposed text.
icu::UnicodeString Prototypes(const icu::UnicodeString& decomposed, const USpoofChecker* spoof,
                              UErrorCode& status) {
  icu::UnicodeString result;
  for (std::int32_t i = 0; i < decomposed.length();) {
    const std::int32_t begin = i;
    const bool is_ascii = decomposed[begin] < kAsciiEnd;
    while (i < decomposed.length() && (decomposed[i] < kAsciiEnd) == is_ascii) ++i;
    const icu::UnicodeString run = decomposed.tempSubStringBetween(begin, i);
    icu::UnicodeString prototype;
    if (!is_ascii) uspoof_getSkeletonUnicodeString(spoof, 0, run, prototype, &status);
    result.append(is_ascii ? run : prototype);
  }
  return result;
}

// Trims, and makes runs of spaces and of dashes one.
std::string Collapsed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c == ' ' || c == '-') && result.ends_with(c)) continue;
    if (c == ' ' && result.empty()) continue;
    result.push_back(c);
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

// What the whole procedure does to ASCII.
std::string CanonicalAscii(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  for (const char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      folded.push_back(' ');
    } else if (c > ' ' && c < 0x7f) {
      folded.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
    }
  }
  return Collapsed(folded);
}

Result<icu::UnicodeString> Folded(const icu::UnicodeString& text, const Icu& icu) {
  UErrorCode status = icu.status;
  icu::UnicodeString folded;
  RETURN_IF_ERROR(Checked(status));
  folded = PlainSpacing(icu.fold->normalize(text, status));
  folded = Prototypes(icu.decompose->normalize(folded, status), icu.spoof.get(), status);
  folded = PlainSpacing(icu.fold->normalize(folded, status));
  RETURN_IF_ERROR(Checked(status));
  return folded;
}

}  // namespace

Result<std::string> Canonical(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; })) {
    return CanonicalAscii(text);
  }
  if (const auto offset = FirstInvalidUtf8(text)) {
    return Fail(Code::kInvalidArgument, fmt::format("The text is not UTF-8 at byte {}.", *offset));
  }
  static const Icu icu;
  const auto utf16 = icu::UnicodeString::fromUTF8({text.data(), static_cast<int>(text.size())});
  ASSIGN_OR_RETURN(const icu::UnicodeString folded, Folded(utf16, icu));
  std::string utf8;
  folded.toUTF8String(utf8);
  return Collapsed(utf8);
}

}  // namespace perdure
