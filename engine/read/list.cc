#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "engine/decide/rules.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"
#include "engine/read/description.h"
#include "engine/read/read_view.h"

namespace perdure {
namespace {

using Labelled = std::set<std::pair<Uuid, Seq>>;  // memory and the label_seq that carries it

Result<Labelled> WithLabel(const StateReader& reader, SpaceId space, const ValueKey& key) {
  Labelled found;
  const std::string prefix = tables::ValuePrefix(space, key);
  RETURN_IF_ERROR(reader.Scan(
      Family::kRows, prefix, PrefixEnd(prefix), [&](std::string_view row, std::string_view) {
        row.remove_prefix(prefix.size());
        found.emplace(*UuidFromBytes(row.substr(0, 16)), ReadBigEndian(row.substr(16)));
        return true;
      }));
  return found;
}

bool Within(Micros time, const std::optional<Micros>& from, const std::optional<Micros>& until) {
  return (!from || *from <= time) && (!until || time < *until);
}

// The scope a filter allows, with the answer for each container remembered during one scan.
class ScopeMatcher {
 public:
  ScopeMatcher(const StateReader& reader, SpaceId space, const fb::ScopeRef& outer)
      : reader_(reader), space_(space), outer_(outer) {}

  Result<bool> Matches(const fb::ScopeRef& inner) {
    const fb::ScopeRef container(inner.container(), outer_.user(), outer_.agent(), outer_.run());
    const auto agrees = [](Seq out, Seq in) { return out == 0 || out == in; };
    if (!agrees(outer_.user(), inner.user()) || !agrees(outer_.agent(), inner.agent()) ||
        !agrees(outer_.run(), inner.run())) {
      return false;
    }
    const auto known = known_.find(inner.container());
    if (known != known_.end()) return known->second;
    ASSIGN_OR_RETURN(const bool inside, ScopeContains(reader_, space_, outer_, container));
    known_.emplace(inner.container(), inside);
    return inside;
  }

 private:
  const StateReader& reader_;
  SpaceId space_;
  fb::ScopeRef outer_;
  std::map<Seq, bool> known_;
};

// A live memory that is doubted is disputed, too.
bool IsInOneOf(const std::vector<fb::MemoryState>& states, const fb::MemoryRecordT& record) {
  const bool is_disputed =
      record.state == fb::MemoryState::live && record.dispute != fb::Dispute::none;
  return std::ranges::any_of(states, [&](fb::MemoryState state) {
    return state == record.state || (is_disputed && state == fb::MemoryState::disputed);
  });
}

bool MatchesNumbers(const ListFilter& filter, const fb::MemoryRecordT& record, Micros valid_at) {
  if (filter.states.empty()) {
    if (!IsShownByDefault(record, valid_at)) return false;
  } else if (!IsInOneOf(filter.states, record)) {
    return false;
  }
  const bool factual = filter.genres.empty() && record.genre == fb::Genre::factual;
  if (!factual && std::ranges::find(filter.genres, record.genre) == filter.genres.end()) {
    return false;
  }
  if (record.valid_from && valid_at < *record.valid_from) return false;
  if (record.valid_until && valid_at >= *record.valid_until) return false;
  if (filter.kind && record.kind != *filter.kind) return false;
  if (filter.pinned && record.pinned != *filter.pinned) return false;
  if (filter.authorship && record.authorship != *filter.authorship) return false;
  if (filter.memory_class && record.memory_class != *filter.memory_class) return false;
  return Within(record.created_time, filter.created_from, filter.created_until) &&
         Within(record.version_time, filter.updated_from, filter.updated_until);
}

std::string DigestOf(const ListFilter& filter, const DescriptionFilter& described, SpaceId space) {
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", space,
                  filter.scope ? FormatScope(*filter.scope) : "-", fmt::join(filter.tags, "\x1f"),
                  filter.type, filter.theme, filter.kind ? static_cast<int>(*filter.kind) : -1,
                  filter.pinned ? static_cast<int>(*filter.pinned) : -1,
                  filter.authorship ? static_cast<int>(*filter.authorship) : -1,
                  filter.created_from.value_or(kTimeMin), filter.created_until.value_or(kTimeMax),
                  filter.updated_from.value_or(kTimeMin), filter.updated_until.value_or(kTimeMax),
                  filter.scope_exact ? "exact" : "");
  if (filter.store) text += "|store " + *filter.store;
  if (filter.memory_class) text += fb::EnumNameMemoryClass(*filter.memory_class);
  for (fb::MemoryState state : filter.states) text += fb::EnumNameMemoryState(state);
  for (fb::Genre genre : filter.genres) text += fb::EnumNameGenre(genre);
  if (!described.admits_all()) {
    text += fmt::format("|{}|{}|{}|{}", described.happened_from.value_or(kTimeMin),
                        described.happened_until.value_or(kTimeMax), described.source,
                        described.metadata.text());
  }
  return std::string(AsBytes(Sha256(text)).substr(0, 8));
}

// cursor := record time(8) valid_at(8) last id(16) digest of space and filter(8), as base64url
struct Cursor {
  Micros as_of = 0;
  Micros valid_at = 0;
  Uuid last;
  std::string digest;

  std::string Encode() const {
    return Base64UrlEncode(Key()
                               .U64(static_cast<std::uint64_t>(as_of))
                               .U64(static_cast<std::uint64_t>(valid_at))
                               .Bytes(AsBytes(last))
                               .Bytes(digest)
                               .Take());
  }
};

Result<Cursor> ParseCursor(std::string_view text, const std::string& digest) {
  const auto bytes = Base64UrlDecode(text);
  if (!bytes || bytes->size() != 40) {
    return Fail(Code::kInvalidArgument,
                "This cursor was not made by this server. Leave it out to start from the "
                "beginning.",
                "cursor");
  }
  const std::string_view view = *bytes;
  Cursor cursor{static_cast<Micros>(ReadBigEndian(view.substr(0, 8))),
                static_cast<Micros>(ReadBigEndian(view.substr(8, 8))),
                *UuidFromBytes(view.substr(16, 16)), std::string(view.substr(32))};
  if (cursor.digest != digest) {
    return Fail(Code::kInvalidArgument,
                "This cursor belongs to another filter. Repeat the filter of the first page, or "
                "leave the cursor out.",
                "cursor");
  }
  return cursor;
}

// One scan of the space's records at the view's time, through every filter.
struct Scan {
  const ReadView& view;
  const ListFilter& filter;
  Micros valid_at = 0;
  bool is_past = true;  // records may have changed since the view's time
  const DescriptionFilter* described = nullptr;
  std::vector<Labelled> labels;
  Seq exactly = 0;  // the container, where the filter names it alone
  std::optional<Seq> store;
  std::optional<ScopeMatcher> scope_then;
  std::optional<ScopeMatcher> scope_now;

  Result<bool> Admits(const Uuid& id, const fb::MemoryRecordT& then) {
    if (!MatchesNumbers(filter, then, valid_at)) return false;
    for (const Labelled& label : labels) {
      if (!label.contains({id, then.label_seq})) return false;
    }
    if (filter.scope_exact && then.scope.container() != exactly) return false;
    if (store && then.store != *store) return false;
    if (scope_then) {
      ASSIGN_OR_RETURN(const bool inside, scope_then->Matches(then.scope));
      if (!inside) return false;
    }
    fb::MemoryRecordT now = then;
    if (is_past) {
      ASSIGN_OR_RETURN(const auto read,
                       view.now().Get(Family::kState, tables::Memory(view.space(), id)));
      if (!read) return false;
      ASSIGN_OR_RETURN(now, Unpack<fb::MemoryRecordT>(*read));
    }
    if (now.state == fb::MemoryState::erased) return false;
    if (scope_now) {
      ASSIGN_OR_RETURN(const bool inside, scope_now->Matches(now.scope));
      if (!inside) return false;
    }
    const auto hidden = [](fb::MemoryState state) {
      return state == fb::MemoryState::forgotten || state == fb::MemoryState::rejected ||
             state == fb::MemoryState::pending;
    };
    if ((hidden(then.state) || hidden(now.state)) &&
        !view.principal().Has(kReviewer | kAuditor | kOperator)) {
      return false;
    }
    return Describes(then);
  }

  // Last, since it reads a payload.
  Result<bool> Describes(const fb::MemoryRecordT& then) const {
    if (described == nullptr || described->admits_all()) return true;
    ASSIGN_OR_RETURN(const auto description,
                     ReadDescription(view.now(), view.space(), then.label_seq, then));
    return description && perdure::Matches(*described, *description);
  }

  // Calls `visit` with every admitted record, by id.
  template <typename Visit>
  Status Each(Visit&& visit) {
    const std::string prefix = tables::MemoryPrefix(view.space());
    Status failed;
    RETURN_IF_ERROR(view.then().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                     [&](std::string_view key, std::string_view value) {
                                       auto record = Unpack<fb::MemoryRecordT>(value);
                                       const Uuid id = *UuidFromBytes(key.substr(prefix.size()));
                                       Result<bool> admitted =
                                           record ? Admits(id, *record)
                                                  : Result<bool>(std::unexpected(record.error()));
                                       if (!admitted) {
                                         failed = std::unexpected(admitted.error());
                                         return false;
                                       }
                                       if (*admitted) visit(id, std::move(*record));
                                       return true;
                                     }));
    return failed;
  }

  // Fills labels and scopes; false when nothing can match.
  Result<bool> Prepare() {
    const SpaceId space = view.space();
    const Secret& secret = view.secret();
    const auto add = [&](std::string_view kind, std::string_view label) -> Status {
      if (label.empty()) return {};
      ASSIGN_OR_RETURN(labels.emplace_back(),
                       WithLabel(view.now(), space, LabelKey(secret, kind, label)));
      return {};
    };
    for (const std::string& tag : filter.tags) RETURN_IF_ERROR(add("tag", tag));
    RETURN_IF_ERROR(add("type", filter.type));
    RETURN_IF_ERROR(add("theme", filter.theme));
    ASSIGN_OR_RETURN(const auto asked, view.ResolveScope(filter.scope));
    ASSIGN_OR_RETURN(const auto own, view.ResolveScope(std::nullopt));
    if (!asked || !own) return false;
    exactly = asked->container();
    if (filter.store) {
      ASSIGN_OR_RETURN(store, FindStore(view.now(), space, secret, *filter.store));
      if (!store) return false;
    }
    if (filter.scope && !filter.scope->empty()) scope_then.emplace(view.then(), space, *asked);
    if (!view.principal().scope.empty()) scope_now.emplace(view.now(), space, *own);
    return true;
  }
};

// The records that a page is made of, and the count of all.
struct Matching {
  std::uint64_t total = 0;
  std::vector<std::pair<Uuid, fb::MemoryRecordT>> newest;  // first, at most `limit`
  bool has_more = false;
};

Result<Matching> Collect(Scan& scan, std::size_t limit, const std::optional<Uuid>& below) {
  Matching matching;
  ASSIGN_OR_RETURN(const bool possible, scan.Prepare());
  if (!possible) return matching;
  std::vector<std::pair<Uuid, fb::MemoryRecordT>> found;
  RETURN_IF_ERROR(scan.Each([&](const Uuid& id, fb::MemoryRecordT record) {
    ++matching.total;
    if (!below || id < *below) found.emplace_back(id, std::move(record));
  }));
  matching.has_more = found.size() > limit;
  for (std::size_t i = 0; i < std::min(limit, found.size()); ++i) {
    matching.newest.push_back(std::move(found[found.size() - 1 - i]));
  }
  return matching;
}

Status CheckLimit(std::size_t limit) {
  if (limit != 0 && limit <= limits::kListLimitMax) return {};
  return Fail(Code::kInvalidArgument,
              fmt::format("limit is {}; it must lie in 1..{}.", limit, limits::kListLimitMax),
              "limit");
}

}  // namespace

bool IsShownByDefault(const fb::MemoryRecordT& record, Micros at) {
  return record.state == fb::MemoryState::live && !record.shadowed &&
         (!record.expires_at || *record.expires_at > at);
}

// What the view itself knows: whether it is of the past.
struct ReadView::Visible : Scan {
  Visible(const ReadView& of, const ListFilter& by)
      : Scan{.view = of,
             .filter = by,
             .valid_at = of.in_.valid_at,
             .is_past = of.in_.as_of != of.in_.watermark} {}
};

Result<MemoryPage> ReadView::List(const ListFilter& filter, std::size_t limit,
                                  std::string_view cursor_text) const {
  RETURN_IF_ERROR(CheckLimit(limit));
  const std::string digest = DigestOf(filter, {}, in_.space);
  std::optional<Uuid> below;
  if (!cursor_text.empty()) {
    ASSIGN_OR_RETURN(const Cursor cursor, ParseCursor(cursor_text, digest));
    if (cursor.as_of != in_.as_of || cursor.valid_at != in_.valid_at) {
      Source source = in_;
      source.as_of = std::min(cursor.as_of, in_.watermark);
      source.valid_at = cursor.valid_at;
      return ReadView(std::move(source)).List(filter, limit, cursor_text);
    }
    below = cursor.last;
  }
  Visible visible(*this, filter);
  ASSIGN_OR_RETURN(Matching matching, Collect(visible, limit, below));
  MemoryPage page{.memories = {}, .total = matching.total, .cursor = {}};
  for (auto& [id, record] : matching.newest) {
    ASSIGN_OR_RETURN(Memory memory, Load(id, std::move(record), false));
    page.memories.push_back(std::move(memory));
  }
  if (matching.has_more) {
    page.cursor = Cursor{in_.as_of, in_.valid_at, page.memories.back().id, digest}.Encode();
  }
  return page;
}

Result<std::vector<ReadView::Place>> ReadView::Places() const {
  std::vector<Place> places;
  const ListFilter filter;
  Visible visible(*this, filter);
  ASSIGN_OR_RETURN(const bool possible, visible.Prepare());
  if (!possible) return places;
  std::map<std::array<Seq, 5>, std::uint64_t> counts;
  RETURN_IF_ERROR(visible.Each([&](const Uuid&, const fb::MemoryRecordT& record) {
    const fb::ScopeRef& scope = record.scope;
    ++counts[{scope.container(), scope.user(), scope.agent(), scope.run(), record.store}];
  }));
  for (const auto& [at, count] : counts) {
    places.push_back({fb::ScopeRef(at[0], at[1], at[2], at[3]), at[4], count});
  }
  return places;
}

Result<MemoryPage> ListDescribed(const ReadView& view, const ListFilter& filter,
                                 const DescriptionFilter& described, std::size_t limit,
                                 std::string_view cursor_text) {
  if (described.admits_all()) return view.List(filter, limit, cursor_text);
  RETURN_IF_ERROR(CheckLimit(limit));
  const std::string digest = DigestOf(filter, described, view.space());
  Scan scan{.view = view, .filter = filter, .valid_at = view.valid_at(), .described = &described};
  std::optional<Uuid> below;
  if (!cursor_text.empty()) {
    ASSIGN_OR_RETURN(const Cursor cursor, ParseCursor(cursor_text, digest));
    if (cursor.as_of != view.as_of()) {
      return Fail(Code::kInvalidArgument, "This cursor is of another time than this read.",
                  "cursor");
    }
    scan.valid_at = cursor.valid_at;
    below = cursor.last;
  }
  ASSIGN_OR_RETURN(const Matching matching, Collect(scan, limit, below));
  MemoryPage page{.memories = {}, .total = matching.total, .cursor = {}};
  for (const auto& [id, record] : matching.newest) {
    ASSIGN_OR_RETURN(Memory memory, view.Get(id));
    memory.text.clear();
    page.memories.push_back(std::move(memory));
  }
  if (matching.has_more) {
    page.cursor = Cursor{view.as_of(), scan.valid_at, page.memories.back().id, digest}.Encode();
  }
  return page;
}

Result<ReadView::Contents> ReadView::TableOfContents() const {
  Contents contents;
  const ListFilter filter;
  Visible visible(*this, filter);
  ASSIGN_OR_RETURN(const bool possible, visible.Prepare());
  if (!possible) return contents;
  std::map<Seq, std::uint64_t> containers;
  std::map<Seq, std::uint64_t> label_seqs;
  RETURN_IF_ERROR(visible.Each([&](const Uuid&, const fb::MemoryRecordT& record) {
    ++contents.memories;
    ++containers[record.scope.container()];
    ++label_seqs[record.label_seq];
  }));
  for (const auto& [node, count] : containers) {
    ASSIGN_OR_RETURN(const ScopePath path, NameScope(fb::ScopeRef(node, 0, 0, 0)));
    contents.containers.emplace_back(FormatScope(path), count);
  }
  std::map<std::string, std::uint64_t> themes;
  std::map<std::string, std::uint64_t> types;
  for (const auto& [seq, count] : label_seqs) {
    ASSIGN_OR_RETURN(const auto label, ReadPayload(now_, in_.space, seq));
    if (!label) continue;
    if ((*label)->theme()) themes[(*label)->theme()->str()] += count;
    if ((*label)->type()) types[(*label)->type()->str()] += count;
  }
  std::ranges::sort(contents.containers);
  contents.themes.assign(themes.begin(), themes.end());
  contents.types.assign(types.begin(), types.end());
  return contents;
}

}  // namespace perdure
