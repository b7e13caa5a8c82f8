#include "index/context/context_entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/bytes.h"
#include "engine/base/canonical.h"

namespace perdure {
namespace {

constexpr std::size_t kTextBytesMax = 2000;

std::string WholeOf(const Memory& memory) {
  if (memory.record.kind == fb::MemoryKind::fact) {
    return fmt::format("{} {} {}", memory.subject, memory.predicate, memory.object);
  }
  return memory.text.starts_with(memory.title) ? memory.text : memory.title + "\n" + memory.text;
}

std::string SayingOf(const Memory& memory) {
  std::string whole = WholeOf(memory);
  return Canonical(whole).value_or(whole);
}

std::string HeadOf(const Memory& memory, const std::optional<Uuid>& disputed_by) {
  const fb::MemoryRecordT& record = memory.record;
  const Micros dated = record.reference_time.value_or(record.version_time);
  constexpr std::size_t kDateBytes = 10;
  std::string head = fmt::format(
      "id: {}  {}  trust: {}  date: {}", ToString(memory.id), fb::EnumNameMemoryKind(record.kind),
      fb::EnumNameTrust(record.trust), FormatTime(dated).substr(0, kDateBytes));
  if (record.pinned) head += "  pinned";
  if (record.dispute != fb::Dispute::none) {
    head += fmt::format("  disputed: {}", fb::EnumNameDispute(record.dispute));
  }
  if (disputed_by) head += fmt::format("  by: {}", ToString(*disputed_by));
  return head;
}

std::string ContentOf(const Memory& memory, bool& is_cut) {
  std::string content;
  if (!memory.tags.empty()) content += fmt::format("tags: {}\n", fmt::join(memory.tags, ", "));
  if (!memory.source.empty()) content += fmt::format("source: {}\n", memory.source);
  if (!memory.speaker.empty()) content += fmt::format("speaker: {}\n", memory.speaker);
  const std::string whole = WholeOf(memory);
  const std::string_view shown = CutAtGrapheme(whole, kTextBytesMax);
  is_cut = shown.size() < whole.size();
  return content.append(shown);
}

}  // namespace

std::size_t EstimateTokens(std::string_view text) {
  std::size_t ascii = 0;
  std::size_t others = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) ++ascii;
    if (byte >= 0xc0) ++others;  // the first byte of a character
  }
  constexpr std::size_t kAsciiPerToken = 4;
  return (ascii + kAsciiPerToken - 1) / kAsciiPerToken + others;
}

ContextEntry EntryOf(Memory memory, ContextReason reason, const std::optional<Uuid>& disputed_by) {
  ContextEntry entry;
  entry.reason = reason;
  entry.head = HeadOf(memory, disputed_by);
  entry.content = ContentOf(memory, entry.is_cut);
  entry.memory = std::move(memory);
  return entry;
}

std::optional<Uuid> Sayings::SameAs(const Memory& memory) const {
  const auto same = said_.find(SayingOf(memory));
  return same == said_.end() ? std::nullopt : std::optional(same->second);
}

void Sayings::Add(const Memory& memory) { said_.emplace(SayingOf(memory), memory.id); }

}  // namespace perdure
