#include "index/text/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "index/text/language.h"
#include "index/text/marks.h"
#include "index/text/words.h"
#include "index/text/xapian_adapter.h"

namespace perdure {
namespace {

// In the order of Language.
constexpr std::array<const char*, kLanguageCount> kStemmerNames = {
    "english", "french", "german",  "spanish",   "italian",  "portuguese", "dutch",
    "swedish", "danish", "finnish", "hungarian", "romanian", "turkish"};

std::uint64_t Fnv1a64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string MakeTerm(char prefix, std::string_view text) {
  if (text.size() + 1 <= kTermBytesMax) return fmt::format("{}{}", prefix, text);
  std::size_t kept = kTermBytesMax - 1 - 16;
  while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) --kept;
  return fmt::format("{}{}{:016x}", prefix, text.substr(0, kept), Fnv1a64(text));
}

enum class Script { kLatin, kCyrillic, kArabic, kOther };

// By the first letter beyond ASCII digits; only what decides about a stemmer.
Script ScriptOf(std::string_view word) {
  for (const char c : word) {
    if (c >= 'a' && c <= 'z') return Script::kLatin;
    if (c < '0' || c > '9') break;
  }
  for (const char32_t c : DecodeUtf8(word)) {
    if (c >= '0' && c <= '9') continue;
    if (c < 0x0250 || (c >= 0x1E00 && c < 0x1F00)) return Script::kLatin;
    if (c >= 0x0400 && c < 0x0530) return Script::kCyrillic;
    if (c >= 0x0600 && c < 0x0780) return Script::kArabic;
    return Script::kOther;
  }
  return Script::kOther;
}

// The stems of a word: a few forms that say the same. `exact` keeps the word's accents.
struct WordForms {
  std::vector<std::string> exact;
  std::vector<std::string> folded;
};

class FormMaker {
 public:
  explicit FormMaker(Language language) : language_(language) {}

  WordForms Make(const std::string& word) {
    if (word.size() + 1 > kTermBytesMax) return {{MakeTerm('Z', word)}, {}};
    WordForms forms;
    switch (ScriptOf(word)) {
      case Script::kLatin:
        AddLatin(word, forms.exact);
        break;
      case Script::kCyrillic:
        forms.exact.push_back(MakeTerm('Z', Use(russian_, "russian").Stem(word)));
        return forms;
      case Script::kArabic:
        forms.exact.push_back(MakeTerm('Z', Use(arabic_, "arabic").Stem(word)));
        return forms;
      case Script::kOther:
        forms.exact.push_back(MakeTerm('Z', word));
        break;
    }
    const std::string plain = FoldAccents(word);
    if (plain == word || plain.empty()) return forms;
    ScriptOf(plain) == Script::kLatin ? AddLatin(plain, forms.folded)
                                      : forms.folded.push_back(MakeTerm('Z', plain));
    return forms;
  }

 private:
  static const Stemmer& Use(std::optional<Stemmer>& stemmer, const char* name) {
    if (!stemmer) stemmer.emplace(name);
    return *stemmer;
  }

  void AddLatin(const std::string& word, std::vector<std::string>& forms) {
    forms.push_back(MakeTerm('Z', Use(english_, "english").Stem(word)));
    if (language_ == Language::kEnglish) return;
    const auto* name = kStemmerNames[static_cast<std::size_t>(language_)];
    std::string form = MakeTerm('Z', Use(national_, name).Stem(word));
    if (form != forms.front()) forms.push_back(std::move(form));
  }

  Language language_;
  std::optional<Stemmer> english_;
  std::optional<Stemmer> national_;
  std::optional<Stemmer> russian_;
  std::optional<Stemmer> arabic_;
};

LanguageGuess GuessLanguage(const std::vector<Token>& tokens) {
  LanguageGuess guess;
  for (const auto& token : tokens) {
    if (token.kind == TokenKind::kWord) guess.Add(StopWordLanguages(token.text));
  }
  return guess;
}

class DocumentTermBuilder {
 public:
  explicit DocumentTermBuilder(Language language) : forms_(language) {}

  void Add(const Token& token) {
    switch (token.kind) {
      case TokenKind::kWord:
        AddWord(token.text);
        if (!IsStopWord(StopWordLanguages(token.text), Language::kEnglish)) ++length_;
        break;
      case TokenKind::kPart:
        AddWord(token.text);
        break;
      case TokenKind::kUnspaced:
        AddUnspaced(token.text);
        break;
      case TokenKind::kSymbol:
        ++counts_[MakeTerm('G', token.text)];
        ++length_;
        break;
      case TokenKind::kCompound:
      case TokenKind::kExact:
        ++counts_[MakeTerm('X', token.text)];
        break;
    }
  }

  void Mark(std::string_view mark) { counts_.emplace(mark, 1); }

  DocumentTerms Build() && {
    DocumentTerms document;
    document.length = std::max<std::uint32_t>(length_, 1);
    document.terms.reserve(counts_.size());
    for (auto& [term, count] : counts_) document.terms.push_back({term, count});
    std::ranges::sort(document.terms, {}, &DocumentTerm::term);
    return document;
  }

 private:
  void AddWord(const std::string& word) {
    WordForms forms = forms_.Make(word);
    auto& all = forms.exact;
    for (auto& form : forms.folded) {
      if (std::ranges::find(all, form) == all.end()) all.push_back(std::move(form));
    }
    for (auto& form : all) ++counts_[std::move(form)];
  }

  void AddUnspaced(std::string_view run) {
    const auto characters = Characters(run);
    for (std::size_t i = 0; i < characters.size(); ++i) {
      ++counts_[MakeTerm('G', characters[i])];
      if (i + 1 == characters.size()) break;
      ++counts_[MakeTerm('G', std::string(characters[i]) + std::string(characters[i + 1]))];
    }
    length_ += static_cast<std::uint32_t>(std::max<std::size_t>(characters.size() - 1, 1));
  }

  FormMaker forms_;
  std::unordered_map<std::string, std::uint32_t> counts_;
  std::uint32_t length_ = 0;
};

// What a compound counts beside its parts: little in prose, as much as a word in an identifier.
constexpr double kCompoundWeight = 0.5;
constexpr double kExactWeight = 1.0;
constexpr double kPartWeight = 0.5;
// Of a word with accents, what is left for documents that write it without.
constexpr double kFoldedWeight = 1.0 / 3;

class QueryTermBuilder {
 public:
  explicit QueryTermBuilder(Language language) : forms_(language) {}

  void Add(const Token& token) {
    switch (token.kind) {
      case TokenKind::kWord:
        return AddWord(token.text, 1);
      case TokenKind::kPart:
        return AddWord(token.text, kPartWeight);
      case TokenKind::kUnspaced:
        return AddUnspaced(token.text);
      case TokenKind::kSymbol:
        return AddTerm(MakeTerm('G', token.text), 1);
      case TokenKind::kCompound:
        return AddTerm(MakeTerm('X', token.text), kCompoundWeight);
      case TokenKind::kExact:
        return AddTerm(MakeTerm('X', token.text), kExactWeight);
    }
  }

  std::vector<QueryTerm> Build() && { return std::move(terms_); }

 private:
  void AddTerm(std::string term, double weight) {
    const auto found = positions_.find(term);
    if (found != positions_.end()) {
      terms_[found->second].weight += weight;
    } else if (terms_.size() < kQueryTermsMax) {
      positions_.emplace(term, terms_.size());
      terms_.push_back({std::move(term), weight});
    }
  }

  void AddForms(const std::vector<std::string>& forms, double weight) {
    for (const auto& form : forms) AddTerm(form, weight / static_cast<double>(forms.size()));
  }

  void AddWord(const std::string& word, double weight) {
    const WordForms forms = forms_.Make(word);
    const double folded = forms.folded.empty() ? 0 : weight * kFoldedWeight;
    AddForms(forms.exact, weight - folded);
    AddForms(forms.folded, folded);
  }

  void AddUnspaced(std::string_view run) {
    const auto characters = Characters(run);
    if (characters.size() == 1) return AddTerm(MakeTerm('G', run), 1);
    for (std::size_t i = 0; i + 1 < characters.size(); ++i) {
      AddTerm(MakeTerm('G', std::string(characters[i]) + std::string(characters[i + 1])), 1);
    }
  }

  FormMaker forms_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<QueryTerm> terms_;
};

bool IsQueryStopWord(const Token& token, const LanguageGuess& guess) {
  if (token.kind != TokenKind::kWord) return false;
  const auto languages = StopWordLanguages(token.text);
  return IsStopWord(languages, Language::kEnglish) ||
         (guess.IsConfident() && IsStopWord(languages, guess.Best()));
}

}  // namespace

DocumentTerms TermsOfDocument(const DocumentText& document) {
  std::string whole;
  const auto append = [&whole](std::string_view part) {
    if (!part.empty()) whole.append(part).append("\n");
  };
  append(document.title);
  append(document.heading_path);
  for (const auto& label : document.labels) append(label);
  append(document.text);
  const auto tokens = Tokenize(whole);
  DocumentTermBuilder builder(GuessLanguage(tokens).Best());
  for (const auto& token : tokens) builder.Add(token);
  if (EndsWithQuestion(document.text)) builder.Mark(kAskingMark);
  if (SaysWhen(tokens)) builder.Mark(kTimeMark);
  return std::move(builder).Build();
}

std::vector<QueryTerm> TermsOfQuery(std::string_view query) {
  auto tokens = Tokenize(query);
  const auto guess = GuessLanguage(tokens);
  const auto is_stop_word = [&](const Token& token) { return IsQueryStopWord(token, guess); };
  if (!std::ranges::all_of(tokens, is_stop_word)) std::erase_if(tokens, is_stop_word);
  QueryTermBuilder builder(guess.Best());
  for (const auto& token : tokens) builder.Add(token);
  return std::move(builder).Build();
}

}  // namespace perdure
