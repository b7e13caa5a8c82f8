#include "engine/log/entry.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/model/codec.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;

// An entry packed by hand, so that parts can be left out. `with_event`: the union has a table, an
// empty one.
std::string Packed(fb::Event type, bool with_event) {
  flatbuffers::FlatBufferBuilder builder;
  flatbuffers::Offset<void> event = 0;
  if (with_event) event = builder.EndTable(builder.StartTable());
  const fb::Id principal(1, 2);
  const fb::Digest none = ToDigest(Hash{});
  fb::EntryBuilder entry(builder);
  entry.add_format(kEntryFormat);
  entry.add_space(1);
  entry.add_seq(1);
  entry.add_principal(&principal);
  entry.add_prev_hash(&none);
  entry.add_event_type(type);
  if (with_event) entry.add_event(event);
  fb::FinishEntryBuffer(builder, entry.Finish());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// Kinds that are about nothing, or may be.
bool MayBeEmpty(fb::Event type) {
  switch (type) {
    case fb::Event::SpaceCreated:
    case fb::Event::ScopeNodeCreated:
    case fb::Event::ErasureCompleted:
    case fb::Event::SnapshotNamed:
    case fb::Event::WriteRefused:
    case fb::Event::HistoryCompacted:
    case fb::Event::DryRunKept:
    case fb::Event::PayloadsCompacted:
    case fb::Event::SuppressionLifted:
    case fb::Event::PredicateDeclared:
    case fb::Event::PolicySet:
    case fb::Event::SuppressionErased:
    case fb::Event::RefusalDismissed:
    case fb::Event::ContainerDescribed:
    case fb::Event::ContainerMoved:
    case fb::Event::ContainerDeleted:
    case fb::Event::ContainerRestored:
    case fb::Event::SourceAdded:
    case fb::Event::SourceRemoved:
      return true;
    default:
      return false;
  }
}

TEST(Entry, OfAnyKindIsRefusedWithoutItsEventOrWithoutWhatTheEventIsAbout) {
  for (const fb::Event type : fb::EnumValuesEvent()) {
    if (type == fb::Event::NONE) continue;
    SCOPED_TRACE(fb::EnumNameEvent(type));
    EXPECT_THAT(Entry::Parse(Packed(type, false)), FailsWith(Code::kCorrupt, HasSubstr("misses")));
    if (MayBeEmpty(type)) {
      EXPECT_THAT(Entry::Parse(Packed(type, true)), IsOk());
    } else {
      EXPECT_THAT(Entry::Parse(Packed(type, true)), FailsWith(Code::kCorrupt, HasSubstr("misses")));
    }
  }
}

TEST(Entry, WithNumbersThatLieCrookedIsRefused) {
  fb::EntryT entry;
  entry.format = kEntryFormat;
  entry.space = 1;
  entry.seq = 1;
  fb::MemoryErasedT event;
  event.covered = {7};
  entry.event.Set(std::move(event));
  const std::string good = PackEntry(entry);
  ASSERT_THAT(Entry::Parse(good), IsOk());
  const Entry parsed = *Entry::Parse(good);
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(parsed->event());
  const auto* field = table->GetAddressOf(fb::MemoryErased::VT_COVERED);
  const std::size_t at = static_cast<std::size_t>(
      field - reinterpret_cast<const std::uint8_t*>(parsed.bytes().data()));
  // A second copy of the vector behind the entry, and the field's offset bent to it. Its numbers
  // stand 4 bytes behind its length, which may stand at any multiple of 4.
  const auto with_length_at = [&](std::size_t place_of_8) {
    std::string bent = good;
    bent.resize((bent.size() + 7) / 8 * 8 + place_of_8);
    const auto offset = static_cast<std::uint32_t>(bent.size() - at);
    bent.append(std::string("\1\0\0\0\7\0\0\0\0\0\0\0", 12));
    std::memcpy(bent.data() + at, &offset, sizeof offset);
    return bent;
  };
  EXPECT_THAT(Entry::Parse(with_length_at(4)), IsOk());
  EXPECT_THAT(Entry::Parse(with_length_at(0)), FailsWith(Code::kCorrupt, HasSubstr("malformed")));
}

TEST(Entry, OfAKindFromTheFutureIsRefusedAsSuch) {
  const auto beyond = static_cast<fb::Event>(static_cast<int>(fb::Event::MAX) + 1);
  EXPECT_THAT(Entry::Parse(Packed(beyond, true)),
              FailsWith(Code::kCorrupt, HasSubstr("newer program")));
}

}  // namespace
}  // namespace perdure
