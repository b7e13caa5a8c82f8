#include "server/api/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "engine/base/hash.h"
#include "server/api/json.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

static_assert(Caller::kAgent == kAgent && Caller::kReviewer == kReviewer &&
              Caller::kAuditor == kAuditor && Caller::kOperator == kOperator);

// What the client calls its session may be any text; an entry holds a number.
std::uint64_t SessionNumber(std::string_view session) {
  if (session.empty()) return 0;
  const Hash hash = Sha256(session);
  return ReadBigEndian(AsBytes(hash).substr(0, 8));
}

std::optional<Seq> ParseSeq(std::string_view text) {
  Seq seq = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), seq);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return seq;
}

Status ReadTimes(const Json& filter, ListFilter& read) {
  ASSIGN_OR_RETURN(read.created_from, TimeOf(filter, "created_from", "filter.created_from"));
  ASSIGN_OR_RETURN(read.created_until, TimeOf(filter, "created_until", "filter.created_until"));
  ASSIGN_OR_RETURN(read.updated_from, TimeOf(filter, "updated_from", "filter.updated_from"));
  ASSIGN_OR_RETURN(read.updated_until, TimeOf(filter, "updated_until", "filter.updated_until"));
  const auto check = [](const auto& from, const auto& until, const char* field) -> Status {
    if (!from || !until || *from < *until) return {};
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" must lie after its beginning, but {} is not after {}", field,
                            FormatTime(*until), FormatTime(*from)),
                field);
  };
  RETURN_IF_ERROR(check(read.created_from, read.created_until, "filter.created_until"));
  return check(read.updated_from, read.updated_until, "filter.updated_until");
}

// A snapshot that is not there may as well be a mistyped time.
Error ExplainTime(Error error, std::string_view text, const char* name) {
  if (error.code != Code::kNotFound && error.code != Code::kInvalidArgument) return error;
  error.message = fmt::format(
      "\"{}\" must be a time, a seq of the log or the name of a snapshot, and no snapshot is "
      "called \"{}\". Example: {{\"{}\":\"2024-05-01T08:30:00Z\"}}",
      name, CutAtGrapheme(text, 60), name);
  error.code = Code::kInvalidArgument;
  error.field = name;
  return error;
}

}  // namespace

Result<Principal> PrincipalOf(const Engine& engine, const Caller& caller) {
  Principal principal;
  const std::optional<Uuid> id = ParseUuid(caller.principal_id);
  if (!id) return Fail(Code::kUnauthenticated, "The caller has no principal. Send a token.");
  if (!caller.HasAnyOf(Caller::kAnyone)) {
    return Fail(Code::kForbidden, "This token has no role, so it may do nothing.");
  }
  principal.id = *id;
  principal.roles = caller.roles;
  ASSIGN_OR_RETURN(principal.space, engine.SpaceByName(caller.space));
  ASSIGN_OR_RETURN(principal.scope, ParseScope(caller.scope, "scope"));
  principal.client = CutAtGrapheme(caller.client, limits::kLabelBytesMax);
  principal.session = SessionNumber(caller.session);
  return principal;
}

Caller CallerOf(const Engine& engine, const Principal& principal) {
  Caller caller;
  caller.principal_id = ToString(principal.id);
  caller.token_id = caller.principal_id;
  for (const SpaceInfo& space : engine.Spaces()) {
    if (space.id == principal.space) caller.space = space.name;
  }
  caller.roles = principal.roles;
  caller.scope = FormatScope(principal.scope);
  return caller;
}

std::string TextOf(const Json& arguments, const char* name) {
  return arguments.value(name, std::string());
}

std::uint32_t VersionOf(const Json& arguments, const char* name) {
  constexpr std::int64_t kVersionMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(arguments[name].get<std::int64_t>(), kVersionMax));
}

Result<std::optional<Micros>> TimeOf(const Json& arguments, const char* name,
                                     std::string_view path) {
  const auto it = arguments.find(name);
  if (it == arguments.end()) return std::nullopt;
  ASSIGN_OR_RETURN(const Micros time, ParseTime(it->get_ref<const std::string&>(),
                                                path.empty() ? std::string_view(name) : path));
  return time;
}

Result<std::optional<ScopePath>> ScopeOf(const Json& arguments) {
  const auto it = arguments.find("scope");
  if (it == arguments.end()) return std::nullopt;
  ASSIGN_OR_RETURN(ScopePath scope, ParseScope(it->get_ref<const std::string&>(), "scope"));
  return scope;
}

std::optional<fb::Authorship> AuthorshipOf(const Json& arguments) {
  const auto it = arguments.find("authorship");
  if (it == arguments.end()) return std::nullopt;
  return EnumOf(*it, fb::EnumValuesAuthorship(), fb::EnumNameAuthorship);
}

std::optional<fb::Genre> GenreOf(const Json& arguments) {
  const auto it = arguments.find("genre");
  if (it == arguments.end()) return std::nullopt;
  return EnumOf(*it, fb::EnumValuesGenre(), fb::EnumNameGenre);
}

std::optional<fb::MemoryClass> ClassOf(const Json& arguments) {
  const auto it = arguments.find("class");
  if (it == arguments.end()) return std::nullopt;
  return EnumOf(*it, fb::EnumValuesMemoryClass(), fb::EnumNameMemoryClass);
}

Result<Refusing> RefusingOf(const Json& arguments) {
  Refusing refusing;
  refusing.wide = arguments.value("wide", false);
  ASSIGN_OR_RETURN(refusing.until, TimeOf(arguments, "until"));
  return refusing;
}

Result<ListFilter> FilterOf(const Json& arguments) {
  ListFilter read;
  ASSIGN_OR_RETURN(read.scope, ScopeOf(arguments));
  read.scope_exact = arguments.value("scope_exact", false);
  const auto it = arguments.find("filter");
  if (it == arguments.end()) return read;
  const Json& filter = *it;
  read.tags = filter.value("tags", std::vector<std::string>());
  if (filter.contains("tag")) read.tags.push_back(filter["tag"]);
  read.type = TextOf(filter, "type");
  read.theme = TextOf(filter, "theme");
  for (const Json& state : filter.value("state", Json::array())) {
    read.states.push_back(*EnumOf(state, fb::EnumValuesMemoryState(), fb::EnumNameMemoryState));
  }
  for (const Json& genre : filter.value("genre", Json::array())) {
    read.genres.push_back(*EnumOf(genre, fb::EnumValuesGenre(), fb::EnumNameGenre));
  }
  if (filter.contains("kind")) {
    read.kind = EnumOf(filter["kind"], fb::EnumValuesMemoryKind(), fb::EnumNameMemoryKind);
  }
  if (filter.contains("pinned")) read.pinned = filter["pinned"].get<bool>();
  read.authorship = AuthorshipOf(filter);
  read.memory_class = ClassOf(filter);
  if (filter.contains("store")) read.store = TextOf(filter, "store");
  RETURN_IF_ERROR(ReadTimes(filter, read));
  return read;
}

bool NamesSnapshot(std::string_view as_of) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !std::ranges::all_of(as_of, is_digit) && !ParseTime(as_of, "as_of");
}

Result<ReadAt> ReadAtOf(const Json& arguments, const char* name) {
  ReadAt at;
  ASSIGN_OR_RETURN(at.valid_at, TimeOf(arguments, "valid_at"));
  const std::string as_of = TextOf(arguments, name);
  if (as_of.empty()) return at;
  if (NamesSnapshot(as_of)) {
    at.snapshot = as_of;
  } else if (const auto time = ParseTime(as_of, name)) {
    at.time = *time;
  } else if (const auto seq = ParseSeq(as_of); seq && *seq > 0) {
    at.seq = *seq;
  } else {
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" names the seq {}, but seqs run from 1. Example: "
                            "{{\"{}\":\"1234\"}}",
                            name, CutAtGrapheme(as_of, 60), name),
                name);
  }
  return at;
}

Result<ReadView> ViewFor(const Engine& engine, const Principal& principal, const Json& arguments,
                         const char* name) {
  ASSIGN_OR_RETURN(const ReadAt at, ReadAtOf(arguments, name));
  auto view = engine.Read(principal, at);
  if (view || at.snapshot.empty()) return view;
  return std::unexpected(ExplainTime(std::move(view).error(), at.snapshot, name));
}

Result<Uuid> IdOf(const Engine& engine, const Principal& principal, const std::string& text,
                  std::string_view field) {
  if (const auto whole = ParseUuid(text)) return *whole;
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  return view.Resolve(text, field);
}

Result<std::vector<Uuid>> IdsOf(const Engine& engine, const Principal& principal,
                                const Json& arguments, const char* name) {
  std::vector<Uuid> ids;
  for (const std::string& text : arguments.value(name, std::vector<std::string>())) {
    ASSIGN_OR_RETURN(ids.emplace_back(), IdOf(engine, principal, text, name));
  }
  return ids;
}

WriteOptions WriteOptionsOf(std::string_view operation, const Json& arguments) {
  WriteOptions options;
  options.idempotency_key = TextOf(arguments, "idempotency_key");
  options.dry_run = arguments.value("dry_run", false);
  options.keep = arguments.value("keep", false);
  options.reason = TextOf(arguments, "reason");
  options.cross_scope = arguments.value("cross_scope", false);
  if (arguments.contains("expected_version")) {
    options.expected_version = VersionOf(arguments, "expected_version");
  }
  Json request = arguments;
  request.erase("idempotency_key");
  const Hash digest = Sha256Concat({operation, "\n", DumpJson(request)});
  options.request_digest = AsBytes(digest);
  return options;
}

}  // namespace perdure
