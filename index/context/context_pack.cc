#include "index/context/context_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/bytes.h"
#include "engine/base/front_limits.h"
#include "engine/base/limits.h"
#include "index/context/context_entry.h"

namespace perdure {
namespace {

constexpr std::size_t kPinnedMax = 100;
constexpr std::size_t kFactsMax = 500;
constexpr std::size_t kOthersMax = 500;
constexpr std::size_t kHitsMax = 50;

struct Choice {
  Uuid id;
  ContextReason reason = ContextReason::kWorth;
  float score = 0;
};

float WorthOf(const fb::MemoryRecordT& record) {
  const float trust = record.trust == fb::Trust::verified   ? .2F
                      : record.trust == fb::Trust::verbatim ? .1F
                                                            : 0;
  return .6F * record.importance + .2F * record.confidence + trust;
}

class Assembler {
 public:
  Assembler(const ReadView& view, const ContextRequest& request) : view_(view), request_(request) {}

  Status Choose(SearchService* search) {
    ListFilter pinned{.scope = request_.scope};
    pinned.pinned = true;
    RETURN_IF_ERROR(AddListed(pinned, kPinnedMax, ContextReason::kPinned));
    if (!request_.query.empty()) return AddFound(*search);
    ListFilter facts{.scope = request_.scope};
    facts.kind = fb::MemoryKind::fact;
    RETURN_IF_ERROR(AddListed(facts, kFactsMax, ContextReason::kStandingFact));
    return AddListed({.scope = request_.scope}, kOthersMax, ContextReason::kWorth);
  }

  Status FindDisputes() {
    if (!view_.principal().Has(kReviewer | kAuditor | kOperator)) return {};
    ListFilter waiting{.scope = request_.scope};
    waiting.states = {fb::MemoryState::pending};
    ASSIGN_OR_RETURN(const MemoryPage page, view_.List(waiting, limits::kListLimitMax, ""));
    for (const Memory& memory : page.memories) {
      if (memory.record.predecessor) rivals_[FromId(*memory.record.predecessor)] = memory.id;
    }
    return {};
  }

  Status Fill() {
    for (const Choice& choice : chosen_) {
      auto memory = view_.Get(choice.id);
      if (!memory) {
        // Gone since it was listed.
        const Code code = memory.error().code;
        if (code == Code::kNotFound || code == Code::kErased || code == Code::kCompacted) continue;
        return std::unexpected(memory.error());
      }
      Put(choice, *std::move(memory));
    }
    return {};
  }

  ContextPack Take() {
    pack_.as_of = view_.as_of();
    return std::move(pack_);
  }

 private:
  Status AddListed(const ListFilter& filter, std::size_t limit, ContextReason reason) {
    ASSIGN_OR_RETURN(MemoryPage page, view_.List(filter, limit, ""));
    std::ranges::stable_sort(page.memories, std::ranges::greater(),
                             [](const Memory& memory) { return WorthOf(memory.record); });
    for (const Memory& memory : page.memories) {
      if (!known_.insert(memory.id).second) continue;
      chosen_.push_back({memory.id, reason, WorthOf(memory.record)});
    }
    return {};
  }

  Status AddFound(SearchService& search) {
    SearchRequest asked;
    asked.query = request_.query;
    asked.limit = kHitsMax;
    asked.filter.scope = request_.scope;
    asked.at = {.time = view_.as_of(), .valid_at = view_.valid_at()};
    ASSIGN_OR_RETURN(const SearchAnswer answer, search.Search(view_.principal(), asked));
    pack_.nothing_relevant = answer.nothing_relevant;
    const auto add = [&](bool facts) {
      for (const SearchHit& hit : answer.hits) {
        if ((hit.memory.record.kind == fb::MemoryKind::fact) != facts) continue;
        if (!known_.insert(hit.id).second) continue;
        const ContextReason reason = answer.nothing_relevant ? ContextReason::kNotRelevant
                                     : facts                 ? ContextReason::kStandingFact
                                                             : ContextReason::kRelevant;
        chosen_.push_back({hit.id, reason, hit.score});
      }
    };
    add(true);
    add(false);
    return {};
  }

  void Put(const Choice& choice, Memory memory) {
    ContextConsidered considered{choice.id, choice.reason, choice.score, {}, {}};
    const auto rival = rivals_.find(choice.id);
    if (rival != rivals_.end()) considered.disputed_by = rival->second;
    if (choice.reason != ContextReason::kNotRelevant) {
      ContextEntry entry = EntryOf(std::move(memory), choice.reason, considered.disputed_by);
      const std::size_t tokens = EstimateTokens(entry.head) + EstimateTokens(entry.content);
      considered.same_as = sayings_.SameAs(entry.memory);
      if (considered.same_as) {
        considered.reason = ContextReason::kDuplicate;
      } else if (pack_.tokens + tokens > request_.tokens) {
        considered.reason = ContextReason::kNoRoom;
      } else {
        sayings_.Add(entry.memory);
        pack_.tokens += tokens;
        pack_.entries.push_back(std::move(entry));
      }
    }
    pack_.considered.push_back(std::move(considered));
  }

  const ReadView& view_;
  const ContextRequest& request_;
  std::set<Uuid> known_;
  std::vector<Choice> chosen_;
  std::map<Uuid, Uuid> rivals_;  // by what they dispute
  Sayings sayings_;
  ContextPack pack_;
};

}  // namespace

std::string_view ContextReasonName(ContextReason reason) {
  switch (reason) {
    case ContextReason::kPinned:
      return "pinned";
    case ContextReason::kStandingFact:
      return "standing_fact";
    case ContextReason::kRelevant:
      return "relevant";
    case ContextReason::kWorth:
      return "worth";
    case ContextReason::kDuplicate:
      return "duplicate";
    case ContextReason::kNoRoom:
      return "no_room";
    case ContextReason::kNotRelevant:
      break;
  }
  return "not_relevant";
}

Result<ContextPack> AssembleContext(const Engine& engine, SearchService* search,
                                    const Principal& principal, const ContextRequest& request) {
  if (request.tokens < limits::kContextTokensMin || request.tokens > limits::kContextTokensMax) {
    return Fail(Code::kInvalidArgument,
                fmt::format("tokens is {}; it must lie in {}..{}.", request.tokens,
                            limits::kContextTokensMin, limits::kContextTokensMax),
                "tokens");
  }
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal, request.at));
  Assembler assembler(view, request);
  RETURN_IF_ERROR(assembler.Choose(search));
  RETURN_IF_ERROR(assembler.FindDisputes());
  RETURN_IF_ERROR(assembler.Fill());
  return assembler.Take();
}

}  // namespace perdure
