#include "server/api/memory_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "engine/base/front_limits.h"
#include "engine/log/entry.h"
#include "server/api/answers.h"
#include "server/api/context.h"
#include "server/api/mirrors.h"
#include "server/api/requests.h"
#include "server/mcp/envelope.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kIndexUri = "perdure://index";
constexpr std::string_view kContextUri = "perdure://context";
constexpr std::string_view kContextOfScopeUri = "perdure://context?scope=";
constexpr std::string_view kMemoryUri = "perdure://memory/";
constexpr const char* kMimeType = "text/markdown";

std::unexpected<Error> NoSuchResource(std::string_view uri) {
  return Fail(Code::kNotFound,
              fmt::format("There is no resource {}. Example: perdure://memory/"
                          "0190f3c2-7d1e-7000-8000-000000000000/v/2",
                          CutAtGrapheme(uri, 200)),
              "uri");
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto byte = HexDecode(text.substr(i + 1, 2));
    if (!byte || byte->size() != 1) return std::nullopt;
    decoded += *byte;
    i += 2;
  }
  if (FirstInvalidUtf8(decoded)) return std::nullopt;
  return decoded;
}

// The parts of a memory's URI after its beginning.
struct MemoryUri {
  std::string id;
  std::optional<std::uint32_t> version;
  std::string as_of;
};

std::optional<MemoryUri> ParseMemoryUri(std::string_view uri) {
  if (!uri.starts_with(kMemoryUri)) return std::nullopt;
  uri.remove_prefix(kMemoryUri.size());
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= uri.size();) {
    const std::size_t slash = std::min(uri.find('/', at), uri.size());
    const auto part = PercentDecode(uri.substr(at, slash - at));
    if (!part || part->empty()) return std::nullopt;
    parts.push_back(*part);
    at = slash + 1;
  }
  MemoryUri parsed{parts.front(), std::nullopt, {}};
  if (parts.size() == 1) return parsed;
  if (parts.size() != 3) return std::nullopt;
  if (parts[1] == "asof") {
    parsed.as_of = parts[2];
    return parsed;
  }
  std::uint32_t version = 0;
  const char* end = parts[2].data() + parts[2].size();
  const auto [stop, problem] = std::from_chars(parts[2].data(), end, version);
  if (parts[1] != "v" || problem != std::errc() || stop != end) return std::nullopt;
  parsed.version = version;
  return parsed;
}

Result<std::string> MemoryText(const Engine& engine, const Principal& principal,
                               const MemoryUri& uri) {
  Json arguments = Json::object();
  if (!uri.as_of.empty()) arguments["as_of"] = uri.as_of;
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const Uuid id, view.Resolve(uri.id, "uri"));
  ASSIGN_OR_RETURN(const Memory memory,
                   uri.version ? view.GetVersion(id, *uri.version) : view.Get(id));
  return MirrorOfMemory(AnswerOf(memory, schemas::Detail::kWhole), limits::kAnswerBytesDefault);
}

std::string Section(const char* heading,
                    const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  std::string section;
  for (const auto& [name, count] : counts) {
    section += fmt::format("- {}: {}\n", name.empty() ? "(none)" : name, count);
  }
  return section.empty() ? section : fmt::format("\n## {}\n{}", heading, section);
}

Result<std::string> IndexText(const Engine& engine, const Principal& principal) {
  ASSIGN_OR_RETURN(const ReadView view, engine.Read(principal));
  ASSIGN_OR_RETURN(const ReadView::Contents contents, view.TableOfContents());
  const std::string sections = Section("Containers", contents.containers) +
                               Section("Themes", contents.themes) +
                               Section("Types", contents.types);
  return fmt::format("# Table of contents\n{} memories as of {}.\n\n{}", contents.memories,
                     FormatTime(view.as_of()),
                     WrapAsData(CutAtGrapheme(sections, limits::kAnswerBytesDefault)));
}

bool IsContextUri(std::string_view uri) {
  return uri == kContextUri || uri.starts_with(kContextOfScopeUri);
}

Result<std::string> ContextText(const Engine& engine, const Principal& principal,
                                std::string_view uri) {
  ContextRequest request;
  request.tokens = kContextTokensDefault;
  if (uri != kContextUri) {
    const auto scope = PercentDecode(uri.substr(kContextOfScopeUri.size()));
    if (!scope) return NoSuchResource(uri);
    ASSIGN_OR_RETURN(request.scope, ParseScope(*scope, "uri"));
  }
  ASSIGN_OR_RETURN(const ContextPack pack, AssembleContext(engine, nullptr, principal, request));
  return ContextBlock(pack);
}

// The memories that entries in (position, end] are about and that the view shows; nullopt when
// they are too many to look at.
Result<std::optional<std::set<Uuid>>> Touched(const Engine& engine, const ReadView& view,
                                              std::uint64_t position) {
  ASSIGN_OR_RETURN(const Seq last, view.AsOfSeq());
  if (last - position > limits::kChangesLookedAtMax) return std::nullopt;
  std::set<Uuid> touched;
  for (Seq seq = position + 1; seq <= last; ++seq) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(engine.Latest(), view.principal().space, seq));
    if (const fb::Id* memory = MemoryOf(*entry)) touched.insert(FromId(*memory));
  }
  return touched;
}

// Seen now, or gone by an erasure of what the caller could see: both are news.
bool IsNewsOf(const ReadView& view, const Uuid& id) {
  const auto memory = view.Get(id);
  return memory || memory.error().code == Code::kErased;
}

Result<std::vector<std::string>> ChangedUris(const Engine& engine, const ReadView& view,
                                             const std::vector<std::string>& uris,
                                             std::uint64_t position) {
  ASSIGN_OR_RETURN(const auto touched, Touched(engine, view, position));
  std::vector<std::string> changed;
  for (const std::string& uri : uris) {
    if (uri == kIndexUri || IsContextUri(uri)) {
      const bool is_news = !touched || std::ranges::any_of(*touched, [&](const Uuid& id) {
        return IsNewsOf(view, id);
      });
      if (is_news) changed.push_back(uri);
      continue;
    }
    const auto parsed = ParseMemoryUri(uri);
    if (!parsed) continue;
    const auto id = view.Resolve(parsed->id, "uri");
    if (id && (!touched || touched->contains(*id)) && IsNewsOf(view, *id)) changed.push_back(uri);
  }
  return changed;
}

}  // namespace

std::vector<Resource> MemoryResources::List() const {
  return {
      {std::string(kIndexUri), "index", "Table of contents",
       "Which containers, themes and types there are, and how many memories each has", kMimeType},
      {std::string(kContextUri), "context", "What to know before work",
       "Pinned memories, standing facts and the best others, within a budget", kMimeType}};
}

std::vector<ResourceTemplate> MemoryResources::Templates() const {
  return {
      {"perdure://memory/{id}", "memory", "A memory", "As it is now", kMimeType},
      {"perdure://memory/{id}/v/{n}", "memory-version", "A version of a memory",
       "As it was at version n", kMimeType},
      {"perdure://memory/{id}/asof/{time}", "memory-as-of", "A memory at a past time",
       "As it was at a time, a seq of the log or a named snapshot", kMimeType},
      {"perdure://context{?scope}", "context-of-scope", "What to know of a place",
       "The same of one scope, like acme/website;user=ann", kMimeType},
  };
}

Result<ResourceContent> MemoryResources::Read(const Caller& caller, const std::string& uri) const {
  ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine_, caller));
  if (uri == kIndexUri) {
    ASSIGN_OR_RETURN(std::string text, IndexText(engine_, principal));
    return ResourceContent{uri, kMimeType, std::move(text)};
  }
  if (IsContextUri(uri)) {
    ASSIGN_OR_RETURN(std::string text, ContextText(engine_, principal, uri));
    return ResourceContent{uri, kMimeType, std::move(text)};
  }
  const auto parsed = ParseMemoryUri(uri);
  if (!parsed) return NoSuchResource(uri);
  ASSIGN_OR_RETURN(std::string text, MemoryText(engine_, principal, *parsed));
  return ResourceContent{uri, kMimeType, std::move(text)};
}

ResourceChanges MemoryResources::ChangedSince(const Caller& caller,
                                              const std::vector<std::string>& uris,
                                              std::uint64_t position) const {
  const auto principal = PrincipalOf(engine_, caller);
  if (!principal) return {position, {}};
  const Seq head = engine_.Visible(principal->space).seq;
  if (position == 0) return {head, {}};
  if (head <= position) return {position, {}};
  const auto view = engine_.Read(*principal);
  if (!view) return {position, {}};
  auto changed = ChangedUris(engine_, *view, uris, position);
  // Asked again from the same place when it could not be told.
  const auto last = view->AsOfSeq();
  if (!changed || !last) return {position, {}};
  return {*last, std::move(*changed)};
}

}  // namespace perdure
