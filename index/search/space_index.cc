#include "index/search/space_index.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "engine/base/hash.h"
#include "index/vector/file_io.h"

namespace perdure {
namespace {

// Changes with whatever changes a row: chunker, kinds of labels, layout.
constexpr std::string_view kColumnsVersion = "perdure columns 3";

std::uint64_t BytesBelow(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory, error)) {
    if (!file.is_regular_file(error)) continue;
    const auto size = file.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

SpaceIndex::SpaceIndex(SpaceIndexOptions options)
    : in_(std::move(options)), secret_(in_.engine->KeysOf(in_.space).secret) {}

SpaceIndex::~SpaceIndex() { Stop(); }

Result<std::unique_ptr<SpaceIndex>> SpaceIndex::Open(SpaceIndexOptions options) {
  auto index = std::make_unique<SpaceIndex>(std::move(options));
  RETURN_IF_ERROR(index->Load());
  return index;
}

// --- Opening -------------------------------------------------------------------------------------

Hash SpaceIndex::Identity() const {
  const EmbedderInfo& model = in_.embedder->info();
  return Sha256Concat({kColumnsVersion, std::to_string(kTermsVersion), model.name,
                       AsBytes(model.weights_hash), std::to_string(model.dimensions)});
}

Result<Hash> SpaceIndex::HashOfEntry(Seq seq, Micros& time) const {
  if (seq == 0) return Hash{};
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(in_.engine->Latest(), in_.space, seq));
  time = entry->record_time();
  return Sha256(entry.bytes());
}

Status SpaceIndex::OpenFiles() {
  columns_ = std::make_unique<Columns>();
  ASSIGN_OR_RETURN(auto file, ColumnsFile::Open(in_.directory + "/columns", Identity()));
  columns_file_ = std::make_unique<ColumnsFile>(std::move(file));
  ASSIGN_OR_RETURN(text_, TextIndex::Open(in_.directory + "/text"));
  return {};
}

Status SpaceIndex::LoadCheckpoint(Seq seq) {
  ASSIGN_OR_RETURN(const ColumnsCut cut, columns_file_->Load(seq, *columns_));
  Micros time = kTimeMin;
  const auto hash = HashOfEntry(seq, time);
  if (seq > in_.engine->Visible(in_.space).seq || !hash || *hash != cut.entry_hash) {
    return Fail(Code::kCorrupt, "The index was built from another log.");
  }
  generation_ = cut.generation;
  lexical_seq_ = seq;
  retired_time_ = time;
  checkpointed_seq_ = seq;
  return {};
}

Status SpaceIndex::StartAnew(std::string why) {
  repairs_.push_back(std::move(why));
  text_.reset();
  columns_.reset();
  columns_file_.reset();
  std::error_code error;
  std::filesystem::remove_all(in_.directory, error);
  if (error) {
    return Fail(Code::kUnavailable,
                fmt::format("Cannot remove {}: {}.", in_.directory, error.message()));
  }
  return OpenFiles();
}

Status SpaceIndex::Load() {
  generation_ = in_.generation;
  RETURN_IF_ERROR(MakeDirectory(in_.directory));
  RETURN_IF_ERROR(OpenFiles());
  const Seq seq = text_->cursor();
  if (!text_->discarded().empty()) {
    RETURN_IF_ERROR(StartAnew("text index: " + text_->discarded()));
  } else if (seq > 0) {
    const Status loaded = LoadCheckpoint(seq);
    if (!loaded) RETURN_IF_ERROR(StartAnew("columns: " + loaded.error().message));
  } else if (BytesBelow(in_.directory + "/columns") + BytesBelow(in_.directory + "/vectors") > 0) {
    RETURN_IF_ERROR(StartAnew("there was no checkpoint of the text index"));
  }
  EmbedWorkerOptions options;
  options.reader = &in_.engine->Latest();
  options.columns = columns_.get();
  options.embedder = in_.embedder;
  options.cache = in_.cache;
  options.space = in_.space;
  options.secret = secret_;
  options.directory = in_.directory + "/vectors";
  options.cache_directory = in_.cache_directory;
  worker_ = std::make_unique<EmbedWorker>(std::move(options), [this] { NotifyChanged(); });
  worker_->AllowCheckpoint(static_cast<std::uint32_t>(columns_->versions.size()));
  last_checkpoint_ = std::chrono::steady_clock::now();
  return {};
}

void SpaceIndex::Start() {
  worker_->Start();
  follower_ = std::thread([this] { Follow(); });
  checkpointer_ = std::thread([this] { KeepCheckpoints(); });
}

void SpaceIndex::Stop() {
  {
    const MutexLock lock(changed_mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  stopped_.NotifyAll();
  if (follower_.joinable()) follower_.join();
  if (checkpointer_.joinable()) {
    checkpointer_.join();
    SetFailure(&SpaceIndex::checkpoint_failure_, Checkpoint());
  }
  if (worker_) worker_->Stop();
}

// --- Waiting and reporting -----------------------------------------------------------------------

Seq SpaceIndex::semantic_seq() const {
  const Seq lexical = lexical_seq();  // before the versions: every one up to it is among them
  const std::size_t versions = columns_->versions.size();
  const std::uint32_t next = worker_->next_version();
  if (vectors() == nullptr) return 0;
  return next < versions ? std::min(lexical, columns_->versions[next].seq - 1) : lexical;
}

void SpaceIndex::NotifyChanged() const {
  {
    const MutexLock lock(changed_mutex_);
  }
  changed_.NotifyAll();
}

bool SpaceIndex::WaitLexical(Seq seq, Deadline deadline) const {
  if (lexical_seq() >= seq) return true;
  const MutexLock lock(changed_mutex_);
  changed_.WaitUntil(changed_mutex_, deadline, [&]() REQUIRES(changed_mutex_) {
    return lexical_seq() >= seq || stopping_ || !failure_.empty();
  });
  return lexical_seq() >= seq;
}

bool SpaceIndex::WaitSemantic(Seq seq, Deadline deadline) const {
  if (semantic_seq() >= seq) return true;
  const MutexLock lock(changed_mutex_);
  return changed_.WaitUntil(changed_mutex_, deadline, [&] {
    return semantic_seq() >= seq || stopping_;
  }) && semantic_seq() >= seq;
}

std::string SpaceIndex::LexicalFailure() const {
  const MutexLock lock(changed_mutex_);
  return failure_;
}

void SpaceIndex::SetFailure(std::string SpaceIndex::* failure, const Status& status) {
  {
    const MutexLock lock(changed_mutex_);
    this->*failure = status ? std::string() : status.error().message;
  }
  changed_.NotifyAll();
}

bool SpaceIndex::Pause(std::chrono::milliseconds time) {
  const MutexLock lock(changed_mutex_);
  return !stopped_.WaitFor(changed_mutex_, time, [&] { return stopping_.load(); });
}

SpaceIndexStatus SpaceIndex::Report() const {
  SpaceIndexStatus status;
  status.space = in_.space;
  status.log_seq = in_.engine->Visible(in_.space).seq;
  status.lexical_seq = lexical_seq();
  status.semantic_seq = semantic_seq();
  status.memories = columns_->memories.size();
  const TextIndexStats text = text_->Stats();
  status.chunks = text.current + text.past;
  status.pending_embeddings = PendingChunks();
  status.bytes_in_memory = columns_->HeapBytes() + described_.HeapBytes();
  if (const VectorIndex* index = vectors()) {
    const VectorIndexStats stats = index->Stats();
    status.vectors = stats.chunks;
    status.vectors_loaded = true;
    status.bytes_in_memory += stats.memory_bytes;
  }
  status.bytes_on_disk = BytesBelow(in_.directory) + in_.cache->Bytes();
  status.repairs = repairs_;
  for (std::string& why : worker_->discarded()) status.repairs.push_back("vectors: " + why);
  status.failure = LexicalFailure();
  if (status.failure.empty()) status.failure = SemanticFailure();
  if (status.failure.empty()) {
    const MutexLock lock(changed_mutex_);
    status.failure = checkpoint_failure_;
  }
  status.generation = generation_;
  return status;
}

}  // namespace perdure
