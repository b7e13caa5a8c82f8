#include "simulation/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/apply/memory_fold.h"
#include "engine/base/hash.h"
#include "index/embed/embedder.h"
#include "index/search/fold_entry.h"

namespace perdure::simulation {
namespace {

// Only asked how long a text is.
class WordCounter final : public Embedder {
 public:
  const EmbedderInfo& info() const override { return info_; }
  Result<std::vector<float>> Embed(std::span<const std::string_view>) const override {
    return Fail(Code::kUnavailable, "There is no model here.");
  }
  std::size_t CountTokens(std::string_view text) const override {
    return 1 + static_cast<std::size_t>(std::ranges::count(text, ' '));
  }

 private:
  EmbedderInfo info_;
};

}  // namespace

Follower::Follower(SpaceId space, const Secret& secret)
    : space_(space), secret_(secret), columns_(std::make_unique<Columns>()) {
  columns_->PrepareWriter();
}

Status Follower::Step(const StateReader& reader) {
  ASSIGN_OR_RETURN(const FoldedEntry folded,
                   FoldEntry({reader, space_, secret_, WordCounter()}, cursor_ + 1, *columns_));
  if (folded.change.erased) columns_->Erase(folded.change.memory);
  ++cursor_;
  hash_ = Sha256(folded.entry.bytes());
  return {};
}

// Whether the payloads of a version are there.
bool Follower::HasText(const StateReader& store, const rows::Version& version) const {
  const auto text = ReadPayload(store, space_, version.text_seq);
  const auto label = ReadPayload(store, space_, version.label_seq);
  return text && *text && label && *label;
}

// What was erased or compacted has no text to be shown: whether its chunks and labels were folded
// before or after does not matter.
std::string Follower::DescribeMemory(const StateReader& store, std::uint32_t memory) const {
  const Columns& columns = *columns_;
  std::string text = HexEncode(
      std::string(columns.memories[memory].id.begin(), columns.memories[memory].id.end()));
  const bool erased = columns.IsErased(memory);
  for (std::uint32_t at = columns.LatestState(memory); at != kNoRow;
       at = columns.states[at].previous) {
    const rows::State& state = columns.states[at];
    const rows::Version& version = columns.versions[state.version];
    const rows::Scope& scope = columns.scopes[state.scope];
    fmt::format_to(std::back_inserter(text), "\n {} {} {} {} v{} of {} {} {} in {} {} {} {}",
                   state.record_time, state.state, state.marks, state.expires_at, version.version,
                   version.seq, version.text_seq, version.label_seq,
                   columns.containers[scope.container].seq, scope.user, scope.agent, scope.run);
    if (erased || !HasText(store, version)) continue;
    for (std::uint32_t i = 0; i < version.chunk_count; ++i) {
      const rows::Chunk& chunk = columns.chunks[version.first_chunk + i];
      fmt::format_to(std::back_inserter(text), " [{} {})", chunk.begin, chunk.end);
    }
    std::set<ValueKey> labels;
    for (std::uint32_t i = 0; i < version.label_count; ++i) {
      const rows::LabelRef label = columns.label_refs[version.first_label + i];
      labels.insert(label == kNoRow ? ValueKey{} : ValueKey{columns.label_keys[label].key});
    }
    for (const ValueKey& label : labels) text += " " + HexEncode(AsBytes(label));
  }
  return text;
}

std::string Follower::Describe(const StateReader& store) const {
  std::string text;
  for (std::uint32_t memory = 0; memory < columns_->memories.size(); ++memory) {
    text += DescribeMemory(store, memory) + "\n";
  }
  for (std::uint32_t row = 0; row < columns_->containers.size(); ++row) {
    const rows::Container& container = columns_->containers[row];
    fmt::format_to(std::back_inserter(text), "{} {}\n", container.seq, container.parent);
  }
  return text;
}

bool Follower::Agrees(const StateReader& store) const {
  const Columns& columns = *columns_;
  for (std::uint32_t memory = 0; memory < columns.memories.size(); ++memory) {
    const rows::State& state = columns.states[columns.LatestState(memory)];
    const rows::Version& version = columns.versions[state.version];
    const rows::Scope& scope = columns.scopes[state.scope];
    const auto record = ReadMemory(store, space_, Uuid{columns.memories[memory].id});
    if (!record || !*record) return false;
    const fb::MemoryRecordT& r = **record;
    if (r.record_time != state.record_time || static_cast<std::uint8_t>(r.state) != state.state ||
        r.pinned != state.Has(rows::kPinned) || r.shadowed != state.Has(rows::kShadowed) ||
        r.version != version.version || r.text_seq != version.text_seq ||
        r.label_seq != version.label_seq ||
        r.scope.container() != columns.containers[scope.container].seq ||
        r.scope.user() != scope.user || r.scope.agent() != scope.agent ||
        r.scope.run() != scope.run) {
      return false;
    }
  }
  return true;
}

}  // namespace perdure::simulation
