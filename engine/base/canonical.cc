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

bool IsAscii(const icu::UnicodeString& text) {
  for (std::int32_t i = 0; i < text.length(); ++i) {
    if (text[i] >= kAsciiEnd) return false;
  }
  return true;
}

icu::UnicodeString SkeletonOf(UChar32 c, const USpoofChecker* spoof, UErrorCode& status) {
  icu::UnicodeString skeleton;
  uspoof_getSkeletonUnicodeString(spoof, 0, icu::UnicodeString(c), skeleton, &status);
  return skeleton;
}

// UTS #39 section 4, character by character of decomposed text, outside ASCII. Some letters look
// Latin in upper case only (Cyrillic K and M), and case is folded before: they count too.
icu::UnicodeString Prototypes(const icu::UnicodeString& decomposed, const USpoofChecker* spoof,
                              UErrorCode& status) {
  icu::UnicodeString result;
  for (std::int32_t i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1)) {
    const UChar32 c = decomposed.char32At(i);
    if (c < kAsciiEnd) {
      result.append(c);
      continue;
    }
    const icu::UnicodeString skeleton = SkeletonOf(c, spoof, status);
    const UChar32 upper = u_toupper(c);
    if (upper == c || IsAscii(skeleton)) {
      result.append(skeleton);
      continue;
    }
    const icu::UnicodeString upper_skeleton = SkeletonOf(upper, spoof, status);
    result.append(IsAscii(upper_skeleton) ? upper_skeleton : skeleton);
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

// A prototype, once folded, may have a prototype of its own: two rounds reach the end of all
// chains, the third sees that nothing changes.
Result<icu::UnicodeString> Folded(icu::UnicodeString text, const Icu& icu) {
  UErrorCode status = icu.status;
  RETURN_IF_ERROR(Checked(status));
  for (int round = 0; round < 3; ++round) {
    const icu::UnicodeString before = text;
    text = PlainSpacing(icu.fold->normalize(text, status));
    text = Prototypes(icu.decompose->normalize(text, status), icu.spoof.get(), status);
    text = PlainSpacing(icu.fold->normalize(text, status));
    RETURN_IF_ERROR(Checked(status));
    if (text == before) break;
  }
  return text;
}

}  // namespace

Result<std::string> Canonical(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; })) {
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
