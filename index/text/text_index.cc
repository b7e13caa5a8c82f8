#include "index/text/text_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "index/vector/file_io.h"

namespace perdure {
namespace {

// Metadata of the database:
//   "state"      "<terms version> <cursor>", in decimal
//   "L%08x"      lengths of a block of SlotTable: uint16 little endian a chunk, trailing zeros cut;
//                0 no chunk, bit 15 set for a past one
constexpr const char* kStateKey = "state";
constexpr std::string_view kLengthsPrefix = "L";
constexpr std::uint16_t kPastBit = 0x8000;
constexpr std::uint64_t kCheckAtOnceBytes = 64 << 20;

std::string LengthsKey(ChunkNumber block) { return fmt::format("{}{:08x}", kLengthsPrefix, block); }

std::string StateValue(std::uint64_t cursor) { return fmt::format("{} {}", kTermsVersion, cursor); }

std::optional<std::uint64_t> CursorOf(const std::string& state) {
  const std::string prefix = fmt::format("{} ", kTermsVersion);
  if (!state.starts_with(prefix)) return std::nullopt;
  return std::strtoull(state.c_str() + prefix.size(), nullptr, 10);
}

void PutLength(std::string& lengths, ChunkNumber chunk, std::uint16_t value) {
  const std::size_t at = std::size_t{chunk % SlotTable::kBlockSize} * 2;
  if (lengths.size() < at + 2) lengths.resize(at + 2);
  lengths[at] = static_cast<char>(value & 0xFF);
  lengths[at + 1] = static_cast<char>(value >> 8);
}

std::uint16_t GetLength(std::string_view lengths, std::size_t index) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(lengths[index * 2]) |
                                    static_cast<unsigned char>(lengths[index * 2 + 1]) << 8);
}

std::size_t Index(Generation generation) { return static_cast<std::size_t>(generation); }

Status CheckDocument(const TextDocument& document) {
  if (document.chunk > kChunkNumberMax) {
    return Fail(Code::kTooLarge,
                fmt::format("chunk {} is over {}", document.chunk, kChunkNumberMax), "chunk");
  }
  for (const auto& [term, count] : document.terms.terms) {
    if (term.empty() || term.size() > kTermBytesMax) {
      return Fail(Code::kTooLarge,
                  fmt::format("a term has {} bytes, not 1 to {}", term.size(), kTermBytesMax),
                  "terms");
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TextIndex>> TextIndex::Open(const std::string& directory,
                                                   const TextIndexOptions& options) {
  ASSIGN_OR_RETURN(auto home, TextHome::Open(directory));
  auto index = std::make_unique<TextIndex>(OpenOnly(), std::move(home), options);
  const MutexLock flushing(index->flushing_);
  const MutexLock state(index->state_);
  if (index->home_.number() == 0) {
    RETURN_IF_ERROR(index->StartAnew(""));
  } else if (const Status loaded = index->Load(); !loaded) {
    RETURN_IF_ERROR(index->StartAnew(loaded.error().message));
  }
  return index;
}

// The blocks have to be those of the sums. Without sums the last commit was cut short by a crash,
// and nobody can say what its blocks should be: Xapian then answers from the commit before, if its
// tables are whole.
Status TextIndex::CheckDatabase() const {
  const std::string database = home_.DatabasePath(home_.number());
  const std::string path = home_.SumsPath(home_.number());
  if (!std::filesystem::exists(path)) return CheckDisk(database);
  const Result<TextSums> sums = TextSums::Read(path);
  if (!sums) return Fail(Code::kCorrupt, "its checksums: " + sums.error().message);
  return sums->Check(database);
}

// Around a commit, so that sums that are there are always those of the blocks.
Status TextIndex::RemoveSums() const {
  RETURN_IF_ERROR(RemoveFile(home_.SumsPath(home_.number())));
  return SyncDirectory(home_.directory());
}

Status TextIndex::WriteSums(std::uint64_t number) const {
  ASSIGN_OR_RETURN(const TextSums sums, TextSums::Of(home_.DatabasePath(number)));
  return sums.Write(home_.SumsPath(number));
}

// Before sums are made anew: they would take what was damaged since for what it should be.
Status TextIndex::CheckBlocks() {
  RETURN_IF_ERROR(Damage());
  const Status checked = CheckDatabase();
  if (!checked && checked.error().code != Code::kCorrupt) return checked;
  {
    const MutexLock state(state_);
    is_checked_ = true;
    if (!checked) damage_ = checked.error().message;
  }
  return Damage();
}

Status TextIndex::CheckFiles() {
  const MutexLock flushing(flushing_);
  return is_checked() ? Damage() : CheckBlocks();
}

bool TextIndex::is_checked() const {
  const MutexLock state(state_);
  return is_checked_;
}

Status TextIndex::Damage() const {
  const MutexLock state(state_);
  if (damage_.empty()) return {};
  return Fail(
      Code::kCorrupt,
      fmt::format("A file of the text index is damaged: {}. `perdure index rebuild` makes a "
                  "new one.",
                  damage_));
}

Status TextIndex::Load() {
  is_checked_ = home_.BytesOf(home_.number()) <= kCheckAtOnceBytes;
  if (is_checked_) RETURN_IF_ERROR(CheckDatabase());
  ASSIGN_OR_RETURN(disk_, DiskWriter::Open(home_.DatabasePath(home_.number())));
  ASSIGN_OR_RETURN(const std::string state, disk_->Metadata(kStateKey));
  const auto cursor = CursorOf(state);
  if (!cursor) return Fail(Code::kCorrupt, "the text index is of another version: " + state);
  cursor_ = *cursor;
  on_disk_ = {home_.number(), disk_->revision()};
  readers_.Keep(home_.number());
  return disk_->ForEachMetadata(
      std::string(kLengthsPrefix),
      [this](std::string_view key, std::string_view lengths) REQUIRES(state_) {
        const auto block = static_cast<ChunkNumber>(
            std::strtoul(std::string(key.substr(kLengthsPrefix.size())).c_str(), nullptr, 16));
        for (std::size_t i = 0; i < lengths.size() / 2 && i < SlotTable::kBlockSize; ++i) {
          const std::uint16_t value = GetLength(lengths, i);
          if (value == 0) continue;
          SetSlot(block * SlotTable::kBlockSize + static_cast<ChunkNumber>(i),
                  {static_cast<std::uint16_t>(value & ~kPastBit), Layer::kDisk,
                   (value & kPastBit) != 0 ? Generation::kPast : Generation::kCurrent});
        }
      });
}

Status TextIndex::StartAnew(std::string why) {
  discarded_ = std::move(why);
  disk_.reset();
  is_checked_ = true;
  slots_ = SlotTable();
  cache_.Clear();
  for (auto& lengths : lengths_) lengths = {};
  const std::uint64_t number = home_.number() + 1;
  ASSIGN_OR_RETURN(disk_, DiskWriter::Create(home_.DatabasePath(number)));
  RETURN_IF_ERROR(disk_->Apply({{}, {}, {{kStateKey, StateValue(0)}}}));
  RETURN_IF_ERROR(disk_->Sync());
  RETURN_IF_ERROR(WriteSums(number));
  RETURN_IF_ERROR(home_.Switch(number));
  cursor_ = 0;
  on_disk_ = {number, disk_->revision()};
  readers_.Keep(number);
  return home_.RemoveOthers();
}

// Keeps the statistics in step.
void TextIndex::SetSlot(ChunkNumber chunk, Slot slot) {
  const Slot before = slots_.Get(chunk);
  if (before.length > 0) lengths_[Index(before.generation)].Remove(before.length);
  if (slot.length > 0) lengths_[Index(slot.generation)].Add(slot.length);
  slots_.Set(chunk, slot);
  next_chunk_ = std::max(next_chunk_, chunk + 1);
}

Status TextIndex::Add(std::span<const TextDocument> documents) {
  const MutexLock writing(writing_);
  for (const auto& document : documents) {
    RETURN_IF_ERROR(CheckDocument(document));
    const auto chunk = static_cast<ChunkNumber>(document.chunk);
    RETURN_IF_ERROR(Take(chunk, false));
    DocumentTerms terms = document.terms;
    terms.length = std::clamp<std::uint32_t>(terms.length, 1, kChunkLengthMax);
    const MutexLock state(state_);
    if (chunk < next_chunk_) active_->NoteReuse();
    active_->Add(chunk, Generation::kCurrent, terms);
    SetSlot(chunk,
            {static_cast<std::uint16_t>(terms.length), active_->layer(), Generation::kCurrent});
  }
  return {};
}

Status TextIndex::Retire(std::span<const std::uint64_t> chunks) {
  const MutexLock writing(writing_);
  for (const std::uint64_t chunk : chunks) {
    if (chunk <= kChunkNumberMax) RETURN_IF_ERROR(Take(static_cast<ChunkNumber>(chunk), true));
  }
  return {};
}

Status TextIndex::Remove(std::span<const std::uint64_t> chunks) {
  const MutexLock writing(writing_);
  for (const std::uint64_t chunk : chunks) {
    if (chunk <= kChunkNumberMax) RETURN_IF_ERROR(Take(static_cast<ChunkNumber>(chunk), false));
  }
  return {};
}

// Takes a chunk away from wherever it is, and puts it back as a past one if asked to.
Status TextIndex::Take(ChunkNumber chunk, bool keep_as_past) {
  Slot slot;
  {
    const MutexLock state(state_);
    slot = slots_.Get(chunk);
  }
  if (slot.length == 0 || (keep_as_past && slot.generation == Generation::kPast)) return {};
  // Only the caller changes what a chunk is; a flush may move it, which changes no term.
  ASSIGN_OR_RETURN(const DocumentTerms terms, TermsOf(chunk));
  const MutexLock state(state_);
  slot = slots_.Get(chunk);
  if (slot.layer == active_->layer()) {
    active_->Erase(chunk);
  } else {
    active_->RemoveBelow(chunk, slot.generation, terms);
  }
  if (keep_as_past) active_->Add(chunk, Generation::kPast, terms);
  SetSlot(chunk, keep_as_past ? Slot{slot.length, active_->layer(), Generation::kPast} : Slot{});
  return {};
}

bool TextIndex::Seal(std::uint64_t cursor) {
  const MutexLock writing(writing_);
  const MutexLock state(state_);
  if (sealed_ != nullptr) return false;
  const bool is_even = active_->layer() == Layer::kMemoryEven;
  sealed_ = std::exchange(
      active_, std::make_unique<MemoryPart>(is_even ? Layer::kMemoryOdd : Layer::kMemoryEven));
  sealed_cursor_ = cursor;
  return true;
}

Status TextIndex::Flush() {
  const MutexLock flushing(flushing_);
  return FlushSealed();
}

Status TextIndex::Commit(std::uint64_t cursor) {
  while (!Seal(cursor)) RETURN_IF_ERROR(Flush());
  return Flush();
}

Status TextIndex::FlushSealed() {
  RETURN_IF_ERROR(Damage());
  std::shared_ptr<const MemoryPart> part;
  std::uint64_t cursor = 0;
  {
    const MutexLock state(state_);
    part = sealed_;
    cursor = sealed_cursor_;
  }
  if (part == nullptr) return {};
  RETURN_IF_ERROR(CheckBlocks());
  RETURN_IF_ERROR(OpenDisk());
  ASSIGN_OR_RETURN(const DiskBatch batch, MakeBatch(*part, cursor));
  RETURN_IF_ERROR(RemoveSums());
  if (const Status applied = disk_->Apply(batch); !applied) {
    disk_.reset();
    static_cast<void>(OpenDisk());  // the next flush tries again
    return applied;
  }
  const std::uint64_t revision = disk_->revision();
  PostingCache::Lists lists;
  {
    const MutexLock state(state_);
    lists = cache_.All();
  }
  lists = PostingCache::After(std::move(lists), *part, list_max_);
  {
    const MutexLock state(state_);
    cache_.Clear();  // and with it what was read meanwhile
    for (auto& [key, list] : lists) cache_.Insert(key, std::move(list));
    for (const auto& [chunk, document] : part->documents()) {
      Slot slot = slots_.Get(chunk);
      if (slot.length == 0 || slot.layer != part->layer()) continue;  // gone since, or replaced
      slot.layer = Layer::kDisk;
      slots_.Set(chunk, slot);
    }
    on_disk_.revision = revision;
    cursor_ = cursor;
    sealed_ = nullptr;
  }
  RETURN_IF_ERROR(disk_->Sync());
  return WriteSums(home_.number());
}

// Anew, where the last commit failed; searches look for the revision that it left.
Status TextIndex::OpenDisk() {
  if (disk_ != nullptr) return {};
  ASSIGN_OR_RETURN(disk_, DiskWriter::Open(home_.DatabasePath(home_.number())));
  const MutexLock state(state_);
  on_disk_.revision = disk_->revision();
  return {};
}

Result<DiskBatch> TextIndex::MakeBatch(const MemoryPart& part, std::uint64_t cursor) const {
  DiskBatch batch;
  std::map<ChunkNumber, std::string> lengths;  // by block
  const auto lengths_of = [&](ChunkNumber chunk) REQUIRES(flushing_) -> Result<std::string*> {
    const auto [found, is_new] = lengths.try_emplace(chunk / SlotTable::kBlockSize);
    if (is_new) {
      ASSIGN_OR_RETURN(found->second, disk_->Metadata(LengthsKey(found->first)));
    }
    return &found->second;
  };
  for (const ChunkNumber chunk : part.removed_below()) {
    if (!part.documents().contains(chunk)) batch.removed.push_back(chunk);
    ASSIGN_OR_RETURN(std::string* const block, lengths_of(chunk));
    PutLength(*block, chunk, 0);
  }
  for (const auto& [chunk, document] : part.documents()) {
    DiskDocument& stored = batch.documents.emplace_back(DiskDocument{chunk, {}});
    stored.keys.reserve(document.terms.size());
    for (const auto& [entry, count] : document.terms) {
      stored.keys.emplace_back(entry->first, count);
    }
    const bool is_past = document.generation == Generation::kPast;
    ASSIGN_OR_RETURN(std::string* const block, lengths_of(chunk));
    PutLength(*block, chunk, document.length | (is_past ? kPastBit : 0));
  }
  for (auto& [block, value] : lengths) {
    batch.metadata.emplace_back(LengthsKey(block), std::move(value));
  }
  batch.metadata.emplace_back(kStateKey, StateValue(cursor));
  return batch;
}

Status TextIndex::Compact() {
  const MutexLock flushing(flushing_);
  RETURN_IF_ERROR(FlushSealed());
  RETURN_IF_ERROR(CheckBlocks());
  RETURN_IF_ERROR(home_.RemoveOthers());  // of a compaction that failed
  const std::uint64_t number = home_.number() + 1;
  RETURN_IF_ERROR(CompactDisk(home_.DatabasePath(home_.number()), home_.DatabasePath(number)));
  ASSIGN_OR_RETURN(auto disk, DiskWriter::Open(home_.DatabasePath(number)));
  RETURN_IF_ERROR(WriteSums(number));
  RETURN_IF_ERROR(home_.Switch(number));
  {
    const MutexLock state(state_);
    on_disk_ = {number, disk->revision()};
    readers_.Keep(number);
    cache_.Clear();  // of what was erased no trace stays
  }
  disk_ = std::move(disk);
  return home_.RemoveOthers();
}

std::uint64_t TextIndex::cursor() const {
  const MutexLock state(state_);
  return cursor_;
}

TextIndexStats TextIndex::Stats() const {
  const MutexLock state(state_);
  return {lengths_[Index(Generation::kCurrent)].count, lengths_[Index(Generation::kPast)].count,
          active_->documents().size()};
}

}  // namespace perdure
