// What reaches beyond the log into the files: erasure, and the way back from a full disk.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/base/check.h"
#include "engine/engine.h"
#include "engine/log/origin.h"
#include "engine/log/tail.h"
#include "engine/model/tables.h"
#include "engine/write/sequencer.h"

namespace perdure {
namespace {

constexpr std::chrono::milliseconds kWaitSlice(250);
constexpr int kErasureRest = 4;  // looks at the disk between two tries to finish an erasure

// The erasures of `space` without a receipt: the seq of each and its memory.
Result<std::vector<std::pair<Seq, Uuid>>> PendingErasures(const StateReader& reader,
                                                          SpaceId space) {
  std::vector<std::pair<Seq, Uuid>> pending;
  const std::string prefix = tables::ErasurePrefix(space);
  Status malformed;
  RETURN_IF_ERROR(reader.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        const auto record = Unpack<fb::ErasureRecordT>(value);
        if (!record) malformed = std::unexpected(record.error());
        if (record && record->receipt_seq == 0) {
          pending.emplace_back(ReadBigEndian(key.substr(prefix.size())), FromId(record->memory));
        }
        return malformed.has_value();
      }));
  RETURN_IF_ERROR(malformed);
  return pending;
}

Result<std::vector<Seq>> CoveredByErasure(const StateReader& reader, SpaceId space, Seq erasure) {
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, erasure));
  std::vector<Seq> covered;
  if (const auto* seqs = CoveredBy(*entry)) covered.assign(seqs->begin(), seqs->end());
  return covered;
}

}  // namespace

void Engine::SetIndexEraser(IndexEraser eraser) {
  const MutexLock lock(erasure_mutex_);
  eraser_ = std::move(eraser);
  may_resume_ = erasures_wait_ = false;
}

Status Engine::ResumeErasures() {
  {
    const MutexLock lock(erasure_mutex_);
    may_resume_ = true;
    erasures_wait_ = false;
  }
  for (const SpaceInfo& space : Spaces()) {
    ASSIGN_OR_RETURN(const auto done, FinishErasures(space.id));
    static_cast<void>(done);
  }
  return {};
}

// Keyed hashes of what went sit anywhere among the rows, which are small.
void Engine::AddRowsOfTexts(SpaceId space, std::vector<Store::Range>& ranges) {
  for (const std::uint8_t table : {std::uint8_t{1}, std::uint8_t{4}}) {
    const std::string prefix = Key().U8(table).U32(space).Take();
    ranges.push_back({Family::kRows, prefix, PrefixEnd(prefix)});
  }
}

// Makes the bytes of every erasure without a receipt leave the files, then writes the receipts.
Result<std::vector<Seq>> Engine::FinishErasures(SpaceId space) {
  const MutexLock lock(erasure_mutex_);
  Result<std::vector<Seq>> receipts = FinishErasuresAlone(space);
  if (!receipts) erasures_wait_ = may_resume_;
  return receipts;
}

Result<std::vector<Seq>> Engine::FinishErasuresAlone(SpaceId space) {
  ASSIGN_OR_RETURN(const auto pending, PendingErasures(latest_, space));
  std::vector<Seq> receipts;
  if (pending.empty()) return receipts;
  std::vector<Store::Range> ranges;
  std::vector<Uuid> memories;
  std::vector<std::uint32_t> counts;
  for (const auto& [seq, memory] : pending) {
    ASSIGN_OR_RETURN(const std::vector<Seq> covered, CoveredByErasure(latest_, space, seq));
    for (Seq payload : covered) {
      ranges.push_back({Family::kPayload, tables::PayloadOf(space, payload),
                        tables::PayloadOf(space, payload + 1)});
    }
    counts.push_back(static_cast<std::uint32_t>(covered.size()));
    if (memory != Uuid{}) memories.push_back(memory);  // a suppression is in no index
  }
  AddRowsOfTexts(space, ranges);
  RETURN_IF_ERROR(store_->Purge(ranges));
  std::uint64_t generation = 0;
  if (eraser_) {
    ASSIGN_OR_RETURN(generation, eraser_(space, memories));
  }
  Principal self = BootstrapPrincipal();
  self.space = space;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    ASSIGN_OR_RETURN(const WriteOutcome receipt,
                     Write(self, CompleteErasure{pending[i].first, counts[i], generation}, {}));
    receipts.push_back(receipt.seq);
  }
  return receipts;
}

Result<Engine::Erasure> Engine::Erase(const Principal& principal, EraseMemories command,
                                      WriteOptions options) {
  return EraseBy(principal, std::move(command), std::move(options));
}

Result<Engine::Erasure> Engine::EraseMatching(const Principal& principal, ForgetMatching command,
                                              WriteOptions options) {
  PERDURE_CHECK(command.erase);
  return EraseBy(principal, std::move(command), std::move(options));
}

Result<Engine::Erasure> Engine::EraseBy(const Principal& principal, Command command,
                                        WriteOptions options) {
  Erasure erasure;
  const SpaceId space = principal.space;
  ASSIGN_OR_RETURN(erasure.outcome, Write(principal, std::move(command), std::move(options)));
  if (erasure.outcome.dry_run) return erasure;
  RETURN_IF_ERROR(FinishErasures(space));
  for (Seq seq = erasure.outcome.first_seq; seq <= erasure.outcome.seq; ++seq) {
    ASSIGN_OR_RETURN(const auto covered, CoveredByErasure(latest_, space, seq));
    erasure.payloads += static_cast<std::uint32_t>(covered.size());
    ASSIGN_OR_RETURN(const auto bytes, latest_.Get(Family::kState, tables::Erasure(space, seq)));
    if (!bytes) continue;
    ASSIGN_OR_RETURN(const auto record, Unpack<fb::ErasureRecordT>(*bytes));
    erasure.receipts.push_back(record.receipt_seq);
  }
  return erasure;
}

// --- The writer and what stops it ---------------------------------------------------------------

std::shared_ptr<Sequencer> Engine::sequencer() const {
  const MutexLock lock(spaces_mutex_);
  return sequencer_;
}

std::shared_ptr<Sequencer> Engine::NewSequencer() {
  return std::make_shared<Sequencer>(Sequencer::Surroundings{latest_, *store_, time_, random_},
                                     options_.sync);
}

LogHead Engine::Visible(SpaceId space) const { return sequencer()->Visible().Head(space); }

LogHead Engine::WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const {
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    // In slices, since a full disk may have the sequencer replaced meanwhile.
    const LogHead head = sequencer()->Visible().WaitFor(
        space, seq, std::clamp(left, std::chrono::milliseconds(0), kWaitSlice));
    if (head.seq >= seq || left <= kWaitSlice) return head;
  }
}

TreeState Engine::Tree(SpaceId space) const { return sequencer()->Visible().Tree(space); }

std::size_t Engine::WriteQueueDepth() const { return sequencer()->Depth(); }

Status Engine::WriterState() const {
  RETURN_IF_ERROR(store_->Writable());
  RETURN_IF_ERROR(sequencer()->State());
  return time_.Check();
}

std::vector<Result<WriteOutcome>> Engine::Submit(std::vector<WriteRequest> requests) {
  Status open = time_.Check();
  if (open && recovering_) open = store_->Writable();
  if (!open) return {requests.size(), std::unexpected(open.error())};
  const ReaderLock lock(submitting_);
  std::vector<Result<WriteOutcome>> answers = sequencer()->SubmitAll(std::move(requests));
  for (const Result<WriteOutcome>& answer : answers) refusals_.Count(answer);
  return answers;
}

void Engine::WatchDisk() {
  if (store_->IsFull() && store_->HasRoom()) {
    recovering_ = true;
    static_cast<void>(Recover());  // what fails is tried again: the disk is full, or full again
    recovering_ = false;
  }
  if (--rest_ > 0) return;
  rest_ = kErasureRest;
  if (!erasures_wait_ || !store_->Writable()) return;
  erasures_wait_ = false;
  for (const SpaceInfo& space : Spaces()) {
    const MutexLock lock(erasure_mutex_);
    if (!may_resume_) return;
    if (!FinishErasuresAlone(space.id)) erasures_wait_ = true;
  }
}

// Does what a restart would: opens the store anew and goes on from where its logs end, which may be
// after a write that was answered with an error.
Status Engine::Recover() {
  const WriterLock lock(submitting_);  // every write before was answered
  RETURN_IF_ERROR(store_->Reopen());
  const std::shared_ptr<Sequencer> fresh = NewSequencer();
  for (const SpaceInfo& space : Spaces()) {
    const SpaceKeys& keys = KeysOf(space.id);
    ASSIGN_OR_RETURN(const OriginTrail origin,
                     OriginOfLog(latest_, space.id, OriginOf(space.name)));
    ASSIGN_OR_RETURN(LogTail tail,
                     ReadTail(*store_, space.id, origin.now(), keys.signing.public_key, true));
    fresh->AddSpace(space.id, {{tail.head, std::move(tail.tree)}, &keys, origin});
  }
  std::shared_ptr<Sequencer> old;
  {
    const MutexLock spaces(spaces_mutex_);
    old = std::exchange(sequencer_, fresh);
  }
  store_->TakeWritesAgain();
  return {};
}

}  // namespace perdure
