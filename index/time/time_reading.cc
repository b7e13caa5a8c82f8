#include "index/time/time_reading.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "index/time/time_matcher.h"

namespace perdure {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr double kFadeDays = 7;
constexpr double kNextMonth = .5;
constexpr double kAfterPreposition = .7;
constexpr double kDoubtful = .4;
constexpr double kLinked = .8;  // a range says that its ends are times

sys_days DayNumbered(std::uint32_t day) { return sys_days(days(day)); }

Micros MicrosOf(sys_days day) {
  return std::chrono::duration_cast<std::chrono::microseconds>(day.time_since_epoch()).count();
}

// The words that make ranges, as tokens, built once.
struct Links {
  using Row = std::pair<TimeWordTokens, TimeLink>;
  std::vector<Row> before;
  std::vector<Row> after;
  std::vector<TimeWordTokens> joiners;
  std::vector<TimeWordTokens> joiners_and;
  std::vector<TimeWordTokens> articles;
  std::vector<TimeWordTokens> prepositions;

  Links() {
    for (const auto& [text, link] : TimeLinksBefore())
      before.emplace_back(TimeWordTokens(text), link);
    for (const auto& [text, link] : TimeLinksAfter())
      after.emplace_back(TimeWordTokens(text), link);
    for (const auto text : TimeJoiners()) joiners.emplace_back(text);
    for (const auto text : TimeJoinersAnd()) joiners_and.emplace_back(text);
    for (const auto text : TimeArticles()) articles.emplace_back(text);
    for (const auto text : TimePrepositions()) prepositions.emplace_back(text);
  }
};

const Links& TheLinks() {
  static const Links links;
  return links;
}

// What stands before or after a time, and how many tokens lie from there to the time.
struct Linked {
  TimeLink link = TimeLink::kSince;
  std::size_t count = 0;
};

// Makes readings of matches, with the words around them.
class Composer {
 public:
  Composer(const TimeTokens& tokens, sys_days today) : tokens_(tokens), today_(today) {}

  std::vector<TimeReading> Compose() {
    matches_ = MatchTimes(tokens_, today_);
    for (TimeMatch& match : matches_) Believe(match);
    for (std::size_t i = 1; i < matches_.size(); ++i) Doubt(matches_[i - 1], matches_[i]);
    std::vector<TimeReading> readings;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      if (matches_[i].is_nothing()) continue;
      const bool joined = i + 1 < matches_.size() && Join(i, readings);
      if (joined) {
        ++i;
        continue;
      }
      if (auto reading = Alone(matches_[i])) readings.push_back(*std::move(reading));
    }
    return readings;
  }

 private:
  // A month or a year alone, after a preposition.
  void Believe(TimeMatch& match) const {
    if (match.day != 0 || (match.month != 0) == (match.year != 0)) return;
    constexpr std::size_t kTokensMax = 3;
    for (std::size_t back = 1; back <= std::min(match.first, kTokensMax); ++back) {
      if (!AreWords(match.first - back, match.first, TheLinks().prepositions)) continue;
      match.weak = false;
      match.confidence = std::max(match.confidence, kAfterPreposition);
    }
  }

  // "The last week of May 2023", "last weekend before 3 May": not counted from now.
  static void Doubt(TimeMatch& match, const TimeMatch& next) {
    constexpr std::size_t kTokensBetweenMax = 2;
    const bool is_near = next.first - (match.first + match.count) <= kTokensBetweenMax;
    if (!match.is_date && next.is_date && is_near) {
      match.confidence = std::min(match.confidence, kDoubtful);
    }
  }

  // Whether tokens [first, last) are one of `words`, and articles.
  bool AreWords(std::size_t first, std::size_t last,
                const std::vector<TimeWordTokens>& words) const {
    for (const TimeWordTokens& word : words) {
      const std::size_t count = word.MatchAt(tokens_, first);
      if (count != 0 && first + count <= last && AreArticles(first + count, last)) return true;
    }
    return false;
  }

  bool AreArticles(std::size_t first, std::size_t last) const {
    if (first == last) return true;
    for (const TimeWordTokens& article : TheLinks().articles) {
      const std::size_t count = article.MatchAt(tokens_, first);
      if (count != 0 && first + count <= last) return first + count == last;
    }
    return false;
  }

  std::optional<Linked> Before(const TimeMatch& match) const {
    constexpr std::size_t kTokensMax = 5;  // of a link and an article
    std::optional<Linked> found;
    for (std::size_t back = 1; back <= std::min(match.first, kTokensMax); ++back) {
      const std::size_t first = match.first - back;
      for (const auto& [words, link] : TheLinks().before) {
        const std::size_t count = words.MatchAt(tokens_, first);
        if (count == 0 || count > back || !AreArticles(first + count, match.first)) continue;
        found = Linked{link, back};
      }
    }
    return found;
  }

  std::optional<Linked> After(const TimeMatch& match) const {
    std::optional<Linked> found;
    for (const auto& [words, link] : TheLinks().after) {
      const std::size_t count = words.MatchAt(tokens_, match.first + match.count);
      if (count != 0 && (!found || count > found->count)) found = Linked{link, count};
    }
    return found;
  }

  // A range from one time to the next.
  bool Join(std::size_t i, std::vector<TimeReading>& readings) const {
    TimeMatch a = matches_[i];
    const TimeMatch& b = matches_[i + 1];
    if (b.is_nothing()) return false;
    const std::size_t gap = a.first + a.count;
    const auto opener = Before(a);
    const bool opens =
        opener && (opener->link == TimeLink::kOpens || opener->link == TimeLink::kSince ||
                   opener->link == TimeLink::kBetween);
    const bool is_to = AreWords(gap, b.first, TheLinks().joiners);
    const bool is_and = opens && opener->link == TimeLink::kBetween &&
                        AreWords(gap, b.first, TheLinks().joiners_and);
    if (!is_to && !is_and) return false;
    // "From March to May 2023": both are of that year.
    if (a.any_year() && b.year != 0) {
      const auto span = SpanOf(b.year, a.month, a.day, today_);
      if (!span) return false;
      a.span = *span;
    }
    if (b.span.until <= a.span.from) return false;
    const std::size_t first = opens ? a.first - opener->count : a.first;
    if (!opens && (a.weak || b.weak)) return false;
    const double least = std::min(a.confidence, b.confidence);
    Put(readings, {a.span.from, b.span.until}, opens ? std::max(least, kLinked) : least, first,
        b.first + b.count - first);
    if (!readings.empty()) {
      readings.back().any_year = a.any_year() && b.any_year();
      readings.back().is_date = a.is_date || b.is_date;
    }
    return true;
  }

  std::optional<TimeReading> Alone(const TimeMatch& match) const {
    std::vector<TimeReading> made;
    const auto before = Before(match);
    const auto after = After(match);
    const bool links = before && before->link < TimeLink::kOpens;
    if (links || after) {
      const Linked& linked = links ? *before : *after;
      const std::size_t first = links ? match.first - linked.count : match.first;
      Put(made, Open(match.span, linked.link), std::max(match.confidence, kLinked), first,
          match.count + linked.count);
    } else if (!match.weak) {
      Put(made, match.span, match.confidence, match.first, match.count);
    }
    if (made.empty()) return std::nullopt;
    TimeReading& reading = made.front();
    reading.named_from = MicrosOf(match.span.from);
    reading.named_until = MicrosOf(match.span.until);
    reading.grain = match.grain;
    reading.any_year = match.any_year();
    reading.is_date = match.is_date;
    return reading;
  }

  DaySpan Open(const DaySpan& span, TimeLink link) const {
    const sys_days begin = DayOf(kTimeMin);
    const sys_days end = std::max(today_ + days(1), span.until);
    if (link == TimeLink::kSince) return {span.from, end};
    if (link == TimeLink::kAfter) return {span.until, std::max(end, span.until + days(1))};
    return {begin, link == TimeLink::kBefore ? span.from : span.until};
  }

  // Leaves out what lies beyond the times that there are.
  void Put(std::vector<TimeReading>& readings, const DaySpan& span, double confidence,
           std::size_t first, std::size_t count) const {
    if (span.from < DayOf(kTimeMin) || span.until > DayOf(kTimeMax) + days(1)) return;
    TimeReading reading;
    reading.from = MicrosOf(span.from);
    reading.until = MicrosOf(span.until);
    reading.named_from = reading.from;
    reading.named_until = reading.until;
    reading.confidence = confidence;
    reading.words = tokens_.WordsOf(first, count);
    readings.push_back(std::move(reading));
  }

  const TimeTokens& tokens_;
  sys_days today_;
  std::vector<TimeMatch> matches_;
};

double FitOfDate(const TimeReading& reading, sys_days day) {
  const std::chrono::year_month_day asked(DayOf(reading.named_from));
  const std::chrono::year_month_day then(day);
  const auto year = reading.any_year ? then.year() : asked.year();
  if (reading.grain == TimeGrain::kYear) return then.year() == year ? 1 : 0;
  if (reading.grain == TimeGrain::kMonth) {
    const auto months = (then.year() / then.month() - year / asked.month()).count();
    if (months == 0) return 1;
    return months == 1 ? kNextMonth : 0;
  }
  const auto date = year / asked.month() / asked.day();
  if (!date.ok()) return 0;
  const auto apart = static_cast<double>((day - sys_days(date)).count());
  return std::exp(-std::abs(apart) / kFadeDays);
}

double FitOfSpan(const TimeReading& reading, sys_days day) {
  sys_days from = DayOf(reading.named_from);
  sys_days last = DayOf(reading.named_until - 1);
  if (reading.any_year) {
    const int moved = static_cast<int>(std::chrono::year_month_day(day).year()) -
                      static_cast<int>(std::chrono::year_month_day(from).year());
    from = Later(from, TimeUnit::kYear, moved);
    last = Later(last, TimeUnit::kYear, moved);
  }
  const days apart = day < from ? from - day : day > last ? day - last : days(0);
  return std::exp(-static_cast<double>(apart.count()) / kFadeDays);
}

}  // namespace

std::vector<TimeReading> ReadTimes(std::string_view query, Micros now) {
  const TimeTokens tokens(query);
  std::vector<TimeReading> readings = Composer(tokens, DayOf(now)).Compose();
  // A number may be a year where nothing else speaks of time.
  const auto is_number = [](const TimeReading& reading) {
    return reading.grain == TimeGrain::kYear && reading.confidence < kTimeConfidenceMin;
  };
  if (!std::ranges::all_of(readings, is_number)) std::erase_if(readings, is_number);
  return readings;
}

const TimeReading* TimeRangeOf(std::span<const TimeReading> readings) {
  const auto sure = std::ranges::find_if(readings, [](const TimeReading& reading) {
    return reading.confidence >= kTimeConfidenceMin;
  });
  return sure == readings.end() ? nullptr : &*sure;
}

double TimeFit(std::span<const TimeReading> readings, std::uint32_t day) {
  double fit = 0;
  const bool has_date = std::ranges::any_of(readings, &TimeReading::is_date);
  for (const TimeReading& reading : readings) {
    if (has_date && !reading.is_date) continue;
    const bool is_span = reading.grain == TimeGrain::kSpan;
    fit = std::max(
        fit, is_span ? FitOfSpan(reading, DayNumbered(day)) : FitOfDate(reading, DayNumbered(day)));
  }
  return fit;
}

}  // namespace perdure
