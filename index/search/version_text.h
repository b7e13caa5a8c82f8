// The texts of one version, read from the store and cut into chunks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/proof/keys.h"
#include "engine/storage/state.h"
#include "index/chunk/chunker.h"
#include "index/embed/embedder.h"
#include "index/search/columns.h"
#include "index/text/terms.h"

namespace perdure {

struct VersionText {
  std::string title;
  std::string text;
  std::string type;
  std::string theme;
  std::string speaker;
  std::string conversation;
  std::string session;
  std::vector<std::string> tags;
  std::vector<Chunk> chunks;

  std::string_view ChunkText(std::size_t chunk) const {
    return std::string_view(text).substr(chunks[chunk].begin,
                                         chunks[chunk].end - chunks[chunk].begin);
  }
};

// nullopt when a payload is gone: erased, or compacted away.
Result<std::optional<VersionText>> ReadVersionText(const StateReader& reader, SpaceId space,
                                                   Seq text_seq, Seq label_seq,
                                                   const Embedder& embedder);

// What stands for a chunk in the text index, and in the model: with its title and headings.
DocumentTerms TermsOfChunk(const VersionText& version, std::size_t chunk);
std::string EmbeddedText(const VersionText& version, std::size_t chunk);

// The value keys by which a search filters: of every tag, the type, the theme; and of the speaker.
std::vector<ValueKey> FilterKeys(const VersionText& version, const Secret& secret);
ValueKey SpeakerKey(const Secret& secret, std::string_view speaker);
// Of the session of a turn; nullopt without conversation and session.
std::optional<ValueKey> SessionKey(const VersionText& version, const Secret& secret);

std::vector<ChunkSpan> SpansOf(const VersionText& version);

}  // namespace perdure
