#include "index/search/version_text.h"

#include "engine/log/entry.h"
#include "engine/model/labels.h"

namespace perdure {
namespace {

constexpr std::size_t kEmbeddedTitleBytesMax = 160;  // about 40 tokens: chunk and model leave 54

std::string TextOf(const flatbuffers::String* text) { return text ? text->str() : std::string(); }

}  // namespace

Result<std::optional<VersionText>> ReadVersionText(const StateReader& reader, SpaceId space,
                                                   Seq text_seq, Seq label_seq,
                                                   const Embedder& embedder) {
  ASSIGN_OR_RETURN(const auto text, ReadPayload(reader, space, text_seq));
  if (!text) return std::nullopt;
  std::optional<PayloadRow> label;
  if (label_seq != text_seq) {
    ASSIGN_OR_RETURN(label, ReadPayload(reader, space, label_seq));
    if (!label) return std::nullopt;
  }
  const fb::Payload& described = label ? **label : **text;
  VersionText version;
  version.title = TextOf(described.title());
  version.text = TextOf((*text)->text());
  version.type = TextOf(described.type());
  version.theme = TextOf(described.theme());
  version.speaker = TextOf(described.speaker());
  version.conversation = TextOf(described.conversation());
  version.session = TextOf(described.session());
  if (described.tags()) {
    for (const auto* tag : *described.tags()) version.tags.push_back(tag->str());
  }
  version.chunks = ChunkMarkdown(version.title, version.text, [&](std::string_view piece) {
    return embedder.CountTokens(piece);
  });
  return version;
}

DocumentTerms TermsOfChunk(const VersionText& version, std::size_t chunk) {
  return TermsOfDocument({.title = version.title,
                          .heading_path = version.chunks[chunk].heading_path,
                          .labels = version.tags,
                          .text = version.ChunkText(chunk)});
}

std::string EmbeddedText(const VersionText& version, std::size_t chunk) {
  const std::string_view text = version.ChunkText(chunk);
  const std::string& path = version.chunks[chunk].heading_path;
  std::string head(CutAtGrapheme(version.title, kEmbeddedTitleBytesMax));
  if (text.starts_with(head)) head.clear();
  if (!path.empty()) {
    if (!head.empty()) head += " > ";
    head += CutAtGrapheme(path, kEmbeddedTitleBytesMax - head.size() / 2);
  }
  if (!head.empty()) head += '\n';
  return head.append(text);
}

std::vector<ValueKey> FilterKeys(const VersionText& version, const Secret& secret) {
  std::vector<ValueKey> keys;
  for (const std::string& tag : version.tags) keys.push_back(LabelKey(secret, "tag", tag));
  if (!version.type.empty()) keys.push_back(LabelKey(secret, "type", version.type));
  if (!version.theme.empty()) keys.push_back(LabelKey(secret, "theme", version.theme));
  if (!version.speaker.empty()) keys.push_back(SpeakerKey(secret, version.speaker));
  return keys;
}

ValueKey SpeakerKey(const Secret& secret, std::string_view speaker) {
  return LabelKey(secret, "speaker", speaker);
}

std::optional<ValueKey> SessionKey(const VersionText& version, const Secret& secret) {
  if (version.conversation.empty() && version.session.empty()) return std::nullopt;
  return LabelKey(secret, "session", version.conversation + '\n' + version.session);
}

std::vector<ChunkSpan> SpansOf(const VersionText& version) {
  std::vector<ChunkSpan> spans;
  for (const Chunk& chunk : version.chunks) spans.push_back({chunk.begin, chunk.end});
  return spans;
}

}  // namespace perdure
