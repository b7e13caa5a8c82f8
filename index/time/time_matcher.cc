#include "index/time/time_matcher.h"

#include <charconv>
#include <map>
#include <string>
#include <utility>

namespace perdure {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::size_t kNumberDigitsMax = 4;

// One part of a phrase: a token as it stands, or a slot ('n', 'u', ...).
struct Part {
  std::string literal;
  char slot = 0;
};

struct Phrase {
  std::vector<Part> parts;
  const TimePhrase* meaning = nullptr;
};

struct Word {
  TimeWordTokens tokens;
  const TimeWord* meaning = nullptr;
};

std::vector<Part> PartsOf(std::string_view text) {
  std::vector<Part> parts;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const TimeWordTokens literals(text.substr(0, open));
    for (const std::string& literal : literals.texts()) parts.push_back({literal, 0});
    if (open == std::string_view::npos) break;
    parts.push_back({"", text[open + 1]});
    text.remove_prefix(open + 3);
  }
  return parts;
}

// The phrases and words by what they begin with.
struct Book {
  std::map<std::string, std::vector<Phrase>, std::less<>> by_literal;
  std::map<char, std::vector<Phrase>> by_slot;
  std::map<std::string, std::vector<Word>, std::less<>> words;

  Book() {
    for (const TimePhrase& phrase : TimePhrases()) {
      Phrase parsed{PartsOf(phrase.text), &phrase};
      const Part& head = parsed.parts.front();
      (head.slot == 0 ? by_literal[head.literal] : by_slot[head.slot]).push_back(parsed);
    }
    for (const TimeWord& word : TimeWords()) {
      const TimeWordTokens tokens(word.text);
      words[tokens.texts().front()].push_back({tokens, &word});
    }
  }
};

const Book& TheBook() {
  static const Book book;
  return book;
}

// What stands in a slot, and how many tokens it takes.
struct Value {
  int number = 0;
  std::size_t count = 0;
  bool weak = false;
};

int NumberOf(std::string_view digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Chinese numerals below 100: 三, 十二, 二十, 二十一.
Value NumeralAt(const TimeTokens& tokens, std::size_t first) {
  constexpr std::string_view kNumerals = "一二三四五六七八九";
  constexpr std::size_t kBytes = 3;  // each
  int ones = 0;
  int tens = 0;
  std::size_t i = first;
  for (; i < first + 3; ++i) {
    const std::string_view text = tokens.At(i);
    if (text == "十" && tens == 0) {
      tens = ones == 0 ? 1 : ones;
      ones = 0;
      continue;
    }
    if (ones != 0 || text.size() != kBytes) break;
    const std::size_t at = kNumerals.find(text);
    const bool is_two = text == "两" || text == "兩";
    if (!is_two && at == std::string_view::npos) break;
    ones = is_two ? 2 : static_cast<int>(at / kBytes) + 1;
  }
  return {10 * tens + ones, i - first};
}

Value DigitsAt(const TimeTokens& tokens, std::size_t i, std::size_t least, std::size_t most) {
  if (i >= tokens.size() || !tokens[i].is_number) return {};
  const std::string& text = tokens[i].text;
  if (text.size() < least || text.size() > most) return {};
  return {NumberOf(text), 1};
}

Value WordAt(const TimeTokens& tokens, std::size_t i, TimeSlot slot) {
  Value best;
  const auto known = TheBook().words.find(tokens.At(i));
  if (known == TheBook().words.end()) return best;
  for (const Word& word : known->second) {
    if (word.meaning->slot != slot) continue;
    const std::size_t count = word.tokens.MatchAt(tokens, i);
    if (count > best.count) best = {word.meaning->value, count, word.meaning->weak};
  }
  return best;
}

// A number with "st" or the like right behind it.
Value OrdinalAt(const TimeTokens& tokens, std::size_t i, int most) {
  Value value = DigitsAt(tokens, i, 1, 2);
  if (value.count == 0) value = NumeralAt(tokens, i);
  if (value.number < 1 || value.number > most) return {};
  for (const std::string_view ending : {"st", "nd", "rd", "th", "er", "e", "ème"}) {
    const TimeWordTokens tail(ending);
    const std::size_t next = i + value.count;
    if (next >= tokens.size() || tokens[next].begin != tokens[next - 1].end) break;
    if (tail.MatchAt(tokens, next) != 0) {
      ++value.count;
      break;
    }
  }
  return value;
}

Value ValueAt(const TimeTokens& tokens, std::size_t i, char slot) {
  switch (slot) {
    case 'n': {
      const Value digits = DigitsAt(tokens, i, 1, kNumberDigitsMax);
      if (digits.count != 0) return digits;
      const Value numeral = NumeralAt(tokens, i);
      return numeral.count != 0 ? numeral : WordAt(tokens, i, TimeSlot::kNumber);
    }
    case 'u':
      return WordAt(tokens, i, TimeSlot::kUnit);
    case 'w':
      return WordAt(tokens, i, TimeSlot::kWeekday);
    case 'm':
      return WordAt(tokens, i, TimeSlot::kMonth);
    case 'M':
      return OrdinalAt(tokens, i, 12);
    case 'd':
      return OrdinalAt(tokens, i, 31);
    case 'q': {
      const Value ordinal = OrdinalAt(tokens, i, 4);
      return ordinal.count != 0 ? ordinal : WordAt(tokens, i, TimeSlot::kQuarter);
    }
    default:
      return DigitsAt(tokens, i, 4, 4);
  }
}

struct Slots {
  int number = 0;
  TimeUnit unit = TimeUnit::kDay;
  int weekday = 0;
  int month = 0;
  int day = 0;
  int year = 0;
  int quarter = 0;
  bool has_year = false;
  bool weak = false;

  void Put(char slot, const Value& value) {
    if (slot == 'n') number = value.number;
    if (slot == 'u') unit = static_cast<TimeUnit>(value.number);
    if (slot == 'w') weekday = value.number;
    if (slot == 'm' || slot == 'M') month = value.number;
    if (slot == 'd') day = value.number;
    if (slot == 'q') quarter = value.number;
    if (slot == 'y') year = value.number, has_year = true;
    weak |= value.weak;
  }
};

// How many tokens the phrase takes at `first`; 0 when it is not there.
std::size_t Fill(const Phrase& phrase, const TimeTokens& tokens, std::size_t first, Slots& slots) {
  std::size_t at = first;
  for (const Part& part : phrase.parts) {
    if (part.slot == 0) {
      if (tokens.At(at) != part.literal) return 0;
      ++at;
      continue;
    }
    const Value value = ValueAt(tokens, at, part.slot);
    if (value.count == 0) return 0;
    slots.Put(part.slot, value);
    at += value.count;
  }
  return at - first;
}

// About so many days: of a couple, of a few. No one means days by "a few years".
struct Vague {
  int most = 0;
  int least = 0;
};
std::optional<Vague> VagueOf(const Slots& slots) {
  const bool few = slots.number == kFew;
  switch (slots.unit) {
    case TimeUnit::kDay:
      return few ? Vague{5, 2} : Vague{3, 1};
    case TimeUnit::kWeek:
      return few ? Vague{35, 14} : Vague{21, 7};
    case TimeUnit::kMonth:
      return few ? Vague{150, 60} : Vague{90, 30};
    default:
      return std::nullopt;
  }
}

constexpr int kBareYearMin = 1900;
constexpr int kBareYearMax = 2099;

class Reader {
 public:
  Reader(const TimePhrase& phrase, const Slots& slots, sys_days today)
      : phrase_(phrase), slots_(slots), today_(today) {}

  std::optional<TimeMatch> Read() const {
    TimeMatch match;
    match.confidence = phrase_.confidence;
    const auto span = SpanInto(match);
    if (!span) return std::nullopt;
    match.span = *span;
    match.is_date =
        phrase_.meaning == TimeMeaning::kDate || phrase_.meaning == TimeMeaning::kQuarter;
    // Alone, "may" is a word like others; "in May" is none.
    match.weak = slots_.weak && slots_.day == 0 && !slots_.has_year && phrase_.text == "{m}";
    return match;
  }

 private:
  std::optional<DaySpan> SpanInto(TimeMatch& match) const {
    switch (phrase_.meaning) {
      case TimeMeaning::kUnit:
        match.grain = phrase_.unit == TimeUnit::kDay ? TimeGrain::kDay : TimeGrain::kSpan;
        return UnitAround(Later(today_, phrase_.unit, phrase_.value), phrase_.unit);
      case TimeMeaning::kAgo:
        return Ago(match);
      case TimeMeaning::kAhead:
        if (slots_.number < 0) return std::nullopt;
        match.grain = TimeGrain::kDay;
        return UnitAround(Later(today_, slots_.unit, slots_.number), TimeUnit::kDay);
      case TimeMeaning::kPast:
        return Past();
      case TimeMeaning::kDate:
        return Date(match);
      case TimeMeaning::kQuarter:
        return QuarterOf(slots_.year, slots_.quarter, today_);
      case TimeMeaning::kHalf:
        return Half();
      default:
        return OfWeek(match);
    }
  }

  std::optional<DaySpan> Ago(TimeMatch& match) const {
    if (slots_.number >= 0) {
      match.grain = TimeGrain::kDay;
      return UnitAround(Later(today_, slots_.unit, -slots_.number), TimeUnit::kDay);
    }
    const auto vague = VagueOf(slots_);
    if (!vague) return std::nullopt;
    return DaySpan{today_ - days(vague->most), today_ - days(vague->least) + days(1)};
  }

  std::optional<DaySpan> Past() const {
    const int count = slots_.number != 0 ? slots_.number : phrase_.value;
    if (count > 0) return DaySpan{Later(today_, slots_.unit, -count), today_ + days(1)};
    Slots few = slots_;
    few.number = count;
    const auto vague = VagueOf(few);
    if (!vague) return std::nullopt;
    return DaySpan{today_ - days(vague->most), today_ + days(1)};
  }

  std::optional<DaySpan> Date(TimeMatch& match) const {
    if (slots_.has_year && slots_.year == 0) return std::nullopt;
    const bool year_alone = slots_.month == 0;
    if (year_alone && (slots_.year < kBareYearMin || slots_.year > kBareYearMax)) {
      return std::nullopt;
    }
    match.year = slots_.year;
    match.month = slots_.month;
    match.day = slots_.day;
    match.grain = year_alone        ? TimeGrain::kYear
                  : slots_.day == 0 ? TimeGrain::kMonth
                                    : TimeGrain::kDay;
    return SpanOf(slots_.year, slots_.month, slots_.day, today_);
  }

  std::optional<DaySpan> Half() const {
    const DaySpan year = UnitAround(today_, TimeUnit::kYear);
    const sys_days middle = Later(year.from, TimeUnit::kMonth, 6);
    return phrase_.value == 1 ? DaySpan{year.from, middle} : DaySpan{middle, year.until};
  }

  std::optional<DaySpan> OfWeek(TimeMatch& match) const {
    if (phrase_.meaning == TimeMeaning::kWeekend) {
      constexpr int kSaturday = 5;
      const sys_days monday = UnitAround(today_, TimeUnit::kWeek).from;
      const sys_days saturday =
          phrase_.value == 0 ? monday + days(kSaturday) : LatestWeekday(today_, kSaturday, false);
      return DaySpan{saturday, saturday + days(2)};
    }
    match.grain = TimeGrain::kDay;
    if (phrase_.meaning == TimeMeaning::kWeekdayOfWeek) {
      const sys_days monday = UnitAround(today_ + days(7 * phrase_.value), TimeUnit::kWeek).from;
      return UnitAround(monday + days(slots_.weekday), TimeUnit::kDay);
    }
    const bool with_today = phrase_.meaning == TimeMeaning::kWeekday;
    return UnitAround(LatestWeekday(today_, slots_.weekday, with_today), TimeUnit::kDay);
  }

  const TimePhrase& phrase_;
  const Slots& slots_;
  sys_days today_;
};

void TryAll(const std::vector<Phrase>& phrases, const TimeTokens& tokens, std::size_t first,
            sys_days today, std::optional<TimeMatch>& best) {
  for (const Phrase& phrase : phrases) {
    Slots slots;
    const std::size_t count = Fill(phrase, tokens, first, slots);
    const bool is_better =
        !best || count > best->count || (count == best->count && best->is_nothing());
    if (count == 0 || !is_better) continue;
    best = Reader(*phrase.meaning, slots, today).Read().value_or(TimeMatch());
    best->first = first;
    best->count = count;
  }
}

}  // namespace

TimeWordTokens::TimeWordTokens(std::string_view words) {
  const TimeTokens tokens(words);
  for (std::size_t i = 0; i < tokens.size(); ++i) texts_.push_back(tokens[i].text);
}

std::size_t TimeWordTokens::MatchAt(const TimeTokens& tokens, std::size_t first) const {
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (tokens.At(first + i) != texts_[i]) return 0;
  }
  return texts_.size();
}

std::vector<TimeMatch> MatchTimes(const TimeTokens& tokens, sys_days today) {
  const Book& book = TheBook();
  std::vector<TimeMatch> matches;
  for (std::size_t i = 0; i < tokens.size();) {
    std::optional<TimeMatch> best;
    const auto literal = book.by_literal.find(tokens.At(i));
    if (literal != book.by_literal.end()) TryAll(literal->second, tokens, i, today, best);
    for (const auto& [slot, phrases] : book.by_slot) {
      if (ValueAt(tokens, i, slot).count != 0) TryAll(phrases, tokens, i, today, best);
    }
    i += best ? best->count : 1;
    if (best) matches.push_back(*std::move(best));
  }
  return matches;
}

}  // namespace perdure
