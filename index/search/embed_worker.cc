#include "index/search/embed_worker.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace perdure {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kBatchChunks = 16;
constexpr std::size_t kGrowBesideEmbedding = 32;
constexpr std::size_t kGrowWhenIdle = 64;
constexpr std::uint32_t kCheckpointVersions = 8192;
constexpr std::chrono::seconds kCheckpointInterval(60);
constexpr milliseconds kIdle(500);
constexpr milliseconds kBackoffMin(100);
constexpr milliseconds kBackoffMax(5000);
constexpr int kNice = 10;  // below searches and writes, which somebody waits for

}  // namespace

EmbedWorker::EmbedWorker(EmbedWorkerOptions options, std::function<void()> changed)
    : in_(std::move(options)), changed_(std::move(changed)) {}

EmbedWorker::~EmbedWorker() { Stop(); }

void EmbedWorker::Start() {
  thread_ = std::thread([this] { Run(); });
}

void EmbedWorker::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void EmbedWorker::Notify() {
  {
    const MutexLock lock(mutex_);
    notified_ = true;
  }
  wake_.NotifyAll();
}

std::string EmbedWorker::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

std::vector<std::string> EmbedWorker::discarded() const {
  const MutexLock lock(mutex_);
  return discarded_;
}

std::uint64_t EmbedWorker::FileBytes() const {
  const VectorIndex* index = vectors();
  return in_.cache->Bytes() + (index ? index->Stats().file_bytes : 0);
}

std::uint64_t EmbedWorker::PendingChunks() const {
  const std::uint32_t next = next_version();
  const std::size_t versions = in_.columns->versions.size();
  if (next >= versions) return 0;
  const rows::Version& last = in_.columns->versions[versions - 1];
  return last.first_chunk + last.chunk_count - in_.columns->versions[next].first_chunk;
}

void EmbedWorker::SetFailure(const Status& status) {
  const MutexLock lock(mutex_);
  failure_ = status ? std::string() : status.error().message;
}

void EmbedWorker::Pause(milliseconds time) {
  const MutexLock lock(mutex_);
  wake_.WaitFor(mutex_, time, [&] { return stopping_.load(); });
}

Status EmbedWorker::Load() {
  VectorIndexOptions options;
  options.dimensions = static_cast<std::uint32_t>(in_.embedder->info().dimensions);
  options.model_hash = in_.embedder->info().weights_hash;
  ASSIGN_OR_RETURN(index_, VectorIndex::Open(in_.directory, options));
  std::vector<std::string> discarded = index_->discarded();
  if (index_->cursor() > in_.columns->versions.size()) {
    index_.reset();
    std::error_code error;
    std::filesystem::remove_all(in_.directory, error);
    discarded.push_back("the vectors were ahead of the columns");
    ASSIGN_OR_RETURN(index_, VectorIndex::Open(in_.directory, options));
  }
  next_ = static_cast<std::uint32_t>(index_->cursor());
  checkpointed_ = next_;
  {
    const MutexLock lock(mutex_);
    discarded_ = std::move(discarded);
  }
  ready_.store(index_.get(), std::memory_order_release);
  return {};
}

void EmbedWorker::Run() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  last_checkpoint_ = steady_clock::now();
  const Status loaded = Load();
  SetFailure(loaded);
  {
    const MutexLock lock(mutex_);
    loaded_ = true;
  }
  wake_.NotifyAll();
  changed_();
  while (loaded && !stopping_) {
    if (Step()) continue;
    const MutexLock lock(mutex_);
    wake_.WaitFor(mutex_, kIdle, [&]() REQUIRES(mutex_) { return stopping_ || notified_; });
    notified_ = false;
  }
  if (loaded) SetFailure(CheckpointIfDue(true));
}

// Returns whether there is more to do at once.
bool EmbedWorker::Step() {
  const bool pending = next_ < in_.columns->versions.size();
  const Status embedded = pending ? EmbedNext() : Status();
  if (pending && embedded) changed_();
  const auto grown = Grow(pending ? kGrowBesideEmbedding : kGrowWhenIdle);
  const Status saved = CheckpointIfDue(false);
  SetFailure(!embedded ? embedded : !grown ? Status(std::unexpected(grown.error())) : saved);
  if (embedded) {
    backoff_ = {};
  } else {
    backoff_ = std::clamp(backoff_ * 2, kBackoffMin, kBackoffMax);
    Pause(backoff_);
  }
  return pending || (grown && *grown > 0);
}

Result<std::size_t> EmbedWorker::Grow(std::size_t insertions_max) {
  const std::uint32_t next = next_;
  const bool pending = next < in_.columns->versions.size();
  ASSIGN_OR_RETURN(const std::size_t grown,
                   index_->Advance(insertions_max,
                                   pending ? in_.columns->versions[next].first_chunk : UINT64_MAX));
  grew_ |= grown > 0;
  return grown;
}

Result<std::vector<EmbedWorker::Piece>> EmbedWorker::PiecesOf(std::uint32_t version) const {
  const rows::Version& row = in_.columns->versions[version];
  std::vector<Piece> pieces;
  if (row.chunk_count == 0) return pieces;
  ASSIGN_OR_RETURN(const auto text, ReadVersionText(*in_.reader, in_.space, row.text_seq,
                                                    row.label_seq, *in_.embedder));
  if (!text) return pieces;  // erased or compacted since
  if (text->chunks.size() != row.chunk_count) {
    return Fail(Code::kCorrupt,
                fmt::format("The text of entry {} has other chunks than it had. Run `perdure index "
                            "rebuild`.",
                            row.seq));
  }
  for (std::uint32_t i = 0; i < row.chunk_count; ++i) {
    Piece piece{row.first_chunk + i, row.memory, EmbeddedText(*text, i), {}, {}};
    piece.key = VectorCache::KeyOf(in_.secret, in_.embedder->info(), piece.text);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

Status EmbedWorker::FillVectors(std::span<Piece> pieces) {
  std::vector<std::string_view> texts;
  std::vector<Piece*> missing;
  for (Piece& piece : pieces) {
    if (auto cached = in_.cache->Get(piece.key)) {
      piece.vector = std::move(*cached);
    } else {
      texts.push_back(piece.text);
      missing.push_back(&piece);
    }
  }
  if (missing.empty()) return {};
  ASSIGN_OR_RETURN(const std::vector<float> embedded, in_.embedder->Embed(texts));
  const std::size_t dimensions = in_.embedder->info().dimensions;
  if (embedded.size() != texts.size() * dimensions) {
    return Fail(Code::kInternal, "The model gave another number of values than it promises.");
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    missing[i]->vector = RoundVector(std::span(embedded).subspan(i * dimensions, dimensions));
  }
  return {};
}

Status EmbedWorker::AddToIndex(std::span<const Piece> pieces) {
  const MutexLock lock(adding_);
  for (const Piece& piece : pieces) {
    if (erased_.contains(piece.memory) || in_.columns->IsErased(piece.memory)) continue;
    RETURN_IF_ERROR(index_->Add(piece.chunk, piece.vector));
    if (in_.cache->Get(piece.key)) continue;
    const Uuid id{in_.columns->memories[piece.memory].id};
    RETURN_IF_ERROR(in_.cache->Put(piece.key, id, piece.vector));
  }
  return {};
}

// Some whole versions, or one long one batch by batch.
Status EmbedWorker::EmbedNext() {
  const auto versions = static_cast<std::uint32_t>(in_.columns->versions.size());
  std::uint32_t end = next_;
  std::vector<Piece> pieces;
  while (end < versions && pieces.size() < kBatchChunks) {
    ASSIGN_OR_RETURN(auto more, PiecesOf(end));
    if (!pieces.empty() && pieces.size() + more.size() > kBatchChunks) break;
    std::ranges::move(more, std::back_inserter(pieces));
    ++end;
  }
  for (std::span<Piece> rest(pieces); !rest.empty();) {
    if (stopping_) return {};
    const auto batch = rest.first(std::min(kBatchChunks, rest.size()));
    RETURN_IF_ERROR(FillVectors(batch));
    RETURN_IF_ERROR(AddToIndex(batch));
    rest = rest.subspan(batch.size());
  }
  SetFailure({});  // before whoever waits for these vectors is told of them
  next_.store(end, std::memory_order_release);
  return {};
}

Status EmbedWorker::CheckpointIfDue(bool at_end) {
  const std::uint32_t next = next_;
  if (next > persisted_versions_) return {};  // the columns come first
  if (next == checkpointed_ && !grew_) return {};
  const bool due = at_end || next - checkpointed_ >= kCheckpointVersions ||
                   steady_clock::now() - last_checkpoint_ >= kCheckpointInterval;
  if (!due) return {};
  RETURN_IF_ERROR(index_->Checkpoint(next));
  checkpointed_ = next;
  grew_ = false;
  last_checkpoint_ = steady_clock::now();
  return {};
}

Status EmbedWorker::Erase(std::span<const Erased> erased) {
  {
    const MutexLock lock(mutex_);
    wake_.Wait(mutex_, [&]() REQUIRES(mutex_) { return loaded_ || !thread_.joinable(); });
  }
  std::vector<std::uint64_t> chunks;
  std::vector<Uuid> ids;
  for (const Erased& one : erased) {
    chunks.insert(chunks.end(), one.chunks.begin(), one.chunks.end());
    ids.push_back(one.id);
  }
  const MutexLock lock(adding_);
  for (const Erased& one : erased) erased_.insert(one.memory);
  if (vectors() != nullptr) RETURN_IF_ERROR(index_->Erase(chunks));
  return VectorCache::EraseAll(in_.cache_directory, ids, *in_.cache);
}

}  // namespace perdure
