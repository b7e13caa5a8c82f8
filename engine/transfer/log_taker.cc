#include "engine/transfer/log_taker.h"

#include <utility>

#include "engine/apply/apply.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

constexpr std::size_t kBatchBytes = 8 << 20;  // a batch lies in memory

}  // namespace

LogTaker::LogTaker(Passkey, Store& store, SpaceId space, OriginTrail origin, const SpaceKeys& keys)
    : store_(store),
      base_(store, kLatest),
      space_(space),
      origin_(std::move(origin)),
      keys_(keys),
      chain_(space) {}

Result<std::unique_ptr<LogTaker>> LogTaker::Open(Store& store, SpaceId space, std::string origin,
                                                 const SpaceKeys& keys, Seq batch_entries) {
  ASSIGN_OR_RETURN(OriginTrail trail, OriginOfLog(StoreView(store, kLatest), space, origin));
  ASSIGN_OR_RETURN(LogTail tail,
                   ReadTail(store, space, trail.now(), keys.signing.public_key, true));
  auto taker = std::make_unique<LogTaker>(Passkey(), store, space, std::move(trail), keys);
  taker->batch_entries_ = batch_entries;
  taker->chain_ = Chain(space, tail.head);
  taker->tree_ = std::move(tail.tree);
  return taker;
}

Status LogTaker::Take(const std::string& bytes, std::optional<std::string_view> payload) {
  RETURN_IF_ERROR(chain_.Next(bytes));
  ASSIGN_OR_RETURN(const Entry entry, Entry::Parse(bytes));
  std::optional<PayloadRow> row;
  if (payload) {
    ASSIGN_OR_RETURN(row, PayloadRow::Parse(std::string(*payload)));
  }
  if (!batch_) batch_.emplace(base_);
  batch_->Put(Family::kLog, tables::LogEntry(space_, entry->seq()), bytes, 0);
  if (payload) {
    batch_->Put(Family::kPayload, tables::PayloadOf(space_, entry->seq()), std::string(*payload),
                0);
  }
  RETURN_IF_ERROR(Apply(*entry, row ? &**row : nullptr, keys_.secret, *batch_));
  PutTree(entry);
  batched_bytes_ += bytes.size() + payload.value_or("").size();
  return ++batched_ >= batch_entries_ || batched_bytes_ >= kBatchBytes ? Flush() : Status();
}

void LogTaker::PutTree(const Entry& entry) {
  for (Tile& tile : tree_.Append(LeafHash(entry.bytes()))) {
    batch_->Put(Family::kTree,
                tables::TreeTile(space_, static_cast<std::uint8_t>(tile.level), tile.index),
                std::move(tile.bytes), 0);
  }
  origin_.Follow(*entry);
  if (HasTreeHead(*entry)) {
    batch_->Put(Family::kMeta, tables::TreeHeadAt(space_, entry->seq()),
                SignTreeHead({origin_.now(), entry->seq(), tree_.Root(), {}}, keys_.signing), 0);
  }
}

Status LogTaker::Flush() {
  if (!batch_) return {};
  batch_->Put(Family::kMeta, tables::Head(space_), chain_.head().Encode(), 0);
  RETURN_IF_ERROR(store_.Write(batch_->mutations(), true));
  batch_.reset();
  batched_ = 0;
  batched_bytes_ = 0;
  return {};
}

}  // namespace perdure
