// What a search is asked and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "engine/read/description.h"
#include "engine/read/read_view.h"
#include "index/time/time_reading.h"
#include "schema/entry_generated.h"

namespace perdure {

enum class SearchMode {
  kFusion,  // by words and by meaning
  kStrict,  // by words alone, half of which must be there
};

struct SearchRequest {
  std::string query;       // 1..limits::kQueryBytesMax bytes; no syntax, every string is a query
  std::size_t limit = 10;  // 1..limits::kSearchLimitMax
  ListFilter filter;       // filter.scope is matched as of the time, the caller's own scope now
  DescriptionFilter described;
  ReadAt at;
  SearchMode mode = SearchMode::kFusion;
  // 0..1: hits of a lower relevance are left out, and nothing is relevant when none is left.
  std::optional<float> min_relevance;
  bool prefer_recent = false;  // of what matches about as well, the newest first
  bool diverse = false;        // what says the same as a better hit moves down
  bool nearest_miss = false;   // the best of what min_relevance leaves out, when nothing is left
  bool explain = false;
  std::optional<Micros> now;    // what "yesterday" in the query counts from; absent: the clock
  bool use_time_range = false;  // only what happened in the range that the query speaks of
};

enum class ArmStatus {
  kOk,
  kLagging,  // answered from what it has, which does not reach the watermark
  kLoading,  // not ready since the start or a rebuild: answered without this arm
  kFailed,   // answered without this arm; the note says why
  kStandIn,  // answered, but knows words only by their letters: no model
};
std::string_view ArmStatusName(ArmStatus status);  // "ok", "lagging", ...

struct SearchArm {
  std::string name;  // "lexical" or "semantic"
  ArmStatus status = ArmStatus::kOk;
  std::string note;     // what a reader should know, or empty
  Seq indexed_seq = 0;  // every entry up to here is searchable in this arm
};

// One term of the sum by which hits are ordered (fusion.h).
struct ScorePart {
  std::string_view name;
  float value = 0;
};

struct SearchExplanation {
  std::size_t lexical_rank = 0;   // 1 is best; 0: not among the arm's candidates
  float lexical_score = 0;        // BM25 over its maximum for this query, 0..1
  std::size_t semantic_rank = 0;  // as above
  float cosine = 0;               // of the best chunk, -1..1
  float coverage = 0;             // of the query's words, weighted by rarity, 0..1
  float prior = 0;                // what the kind of memory adds
  std::vector<ScorePart> parts;   // that are not 0
};

struct SearchHit {
  Uuid id;
  Memory memory;        // its text is left out
  std::string preview;  // of the best chunk, cut at a grapheme
  float score = 0;      // 0..1, absolute: it means the same for every query (fusion.h)
  float relevance = 0;  // 0..1: how likely it is about what is asked (relevance.h)
  std::optional<SearchExplanation> explanation;  // when asked for
};

struct SearchTimings {
  double wait_ms = 0;  // for the indexes to reach the watermark
  double embed_ms = 0;
  double lexical_ms = 0;
  double semantic_ms = 0;
  double read_ms = 0;  // of the final hits
  double total_ms = 0;
};

struct SearchAnswer {
  std::vector<SearchHit> hits;  // best first
  bool nothing_relevant = false;
  float relevance = 0;  // of the most relevant hit that was looked at
  std::optional<SearchHit> nearest_miss;
  std::vector<SearchArm> arms;  // lexical, semantic
  Seq indexed_seq = 0;          // the least of the arms that answered
  Micros as_of = 0;
  Micros valid_at = 0;
  std::optional<TimeReading> time_range;  // that the query speaks of, when it is sure enough
  SearchTimings timings;
};

}  // namespace perdure
