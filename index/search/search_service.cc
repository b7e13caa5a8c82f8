#include "index/search/search_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>

#include "engine/base/limits.h"
#include "engine/base/mutex.h"
#include "index/search/query_embedder.h"
#include "index/search/searcher.h"
#include "index/search/space_index.h"
#include "index/vector/file_io.h"

namespace perdure {
namespace {

constexpr std::size_t kQueryThreads = 2;
constexpr std::chrono::milliseconds kRebuildPoll(50);

// The generations g<n> that stand in the directory, ascending. Two of them: a rebuild was cut
// short, and the older one holds.
std::vector<std::uint64_t> Generations(const std::string& directory) {
  std::vector<std::uint64_t> found;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = file.path().filename();
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (name[0] == 'g' && failed == std::errc() && end == name.data() + name.size()) {
      found.push_back(number);
    }
  }
  std::ranges::sort(found);
  return found;
}

Status CheckRequest(const SearchRequest& request) {
  if (request.query.empty() || request.query.size() > limits::kQueryBytesMax) {
    return Fail(Code::kInvalidArgument,
                fmt::format("query has {} bytes; it must have 1 to {}.", request.query.size(),
                            limits::kQueryBytesMax),
                "query");
  }
  if (request.limit == 0 || request.limit > limits::kSearchLimitMax) {
    return Fail(
        Code::kInvalidArgument,
        fmt::format("limit is {}; it must lie in 1..{}.", request.limit, limits::kSearchLimitMax),
        "limit");
  }
  if (request.min_relevance && !(*request.min_relevance >= 0 && *request.min_relevance <= 1)) {
    return Fail(Code::kInvalidArgument,
                fmt::format("min_relevance is {}; it must lie in 0..1.", *request.min_relevance),
                "min_relevance");
  }
  return {};
}

}  // namespace

std::string_view ArmStatusName(ArmStatus status) {
  switch (status) {
    case ArmStatus::kOk:
      return "ok";
    case ArmStatus::kLagging:
      return "lagging";
    case ArmStatus::kLoading:
      return "loading";
    case ArmStatus::kFailed:
      return "failed";
    case ArmStatus::kStandIn:
      return "stand_in";
  }
  return "failed";
}

struct SearchService::Impl {
  struct Space {
    std::shared_ptr<SpaceIndex> Index() const {
      const MutexLock lock(mutex);
      return index;
    }
    // Returns the one before.
    std::shared_ptr<SpaceIndex> Use(std::shared_ptr<SpaceIndex> fresh) {
      const MutexLock lock(mutex);
      return std::exchange(index, std::move(fresh));
    }

    std::string directory;
    std::shared_ptr<VectorCache> cache;
    Mutex maintaining ACQUIRED_BEFORE(mutex);  // held to erase and to rebuild
    std::uint64_t generation GUARDED_BY(maintaining) = 1;
    mutable Mutex mutex;
    std::shared_ptr<SpaceIndex> index GUARDED_BY(mutex);
  };

  Impl(Engine& engine_in, std::unique_ptr<Embedder> embedder_in, SearchOptions options_in)
      : engine(engine_in),
        embedder(std::move(embedder_in)),
        options(std::move(options_in)),
        queries(*embedder, kQueryThreads) {}

  Result<std::shared_ptr<Space>> OpenSpace(SpaceId id);
  Result<std::shared_ptr<SpaceIndex>> OpenIndex(const Space& space, SpaceId id,
                                                std::uint64_t number) const;
  Result<std::shared_ptr<Space>> SpaceFor(SpaceId id);
  Result<std::shared_ptr<SpaceIndex>> IndexFor(SpaceId id);
  Result<std::uint64_t> Erase(SpaceId id, const std::vector<Uuid>& memories);

  Engine& engine;
  std::unique_ptr<Embedder> embedder;
  SearchOptions options;
  QueryEmbedder queries;
  Mutex opening ACQUIRED_BEFORE(mutex);  // held to open a space
  mutable Mutex mutex;                   // before that of a space
  std::map<SpaceId, std::shared_ptr<Space>> spaces GUARDED_BY(mutex);
  bool stopped GUARDED_BY(mutex) = false;
};

SearchService::SearchService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SearchService::~SearchService() { Stop(); }

// --- Spaces --------------------------------------------------------------------------------------

Result<std::shared_ptr<SpaceIndex>> SearchService::Impl::OpenIndex(const Space& space, SpaceId id,
                                                                   std::uint64_t number) const {
  SpaceIndexOptions in;
  in.engine = &engine;
  in.embedder = embedder.get();
  in.search = options;
  in.space = id;
  in.directory = fmt::format("{}/g{}", space.directory, number);
  in.cache_directory = space.directory;
  in.cache = space.cache;
  in.generation = number;
  ASSIGN_OR_RETURN(auto index, SpaceIndex::Open(std::move(in)));
  return std::shared_ptr<SpaceIndex>(std::move(index));
}

Result<std::shared_ptr<SearchService::Impl::Space>> SearchService::Impl::OpenSpace(SpaceId id) {
  auto space = std::make_shared<Space>();
  space->directory = fmt::format("{}/{}", options.directory, id);
  RETURN_IF_ERROR(MakeDirectory(space->directory));
  ASSIGN_OR_RETURN(space->cache, VectorCache::Open(space->directory, embedder->info()));
  const MutexLock maintaining(space->maintaining);
  const std::vector<std::uint64_t> found = Generations(space->directory);
  if (!found.empty()) space->generation = found.front();
  for (std::size_t i = 1; i < found.size(); ++i) {
    std::error_code error;
    std::filesystem::remove_all(fmt::format("{}/g{}", space->directory, found[i]), error);
  }
  ASSIGN_OR_RETURN(auto index, OpenIndex(*space, id, space->generation));
  index->Start();
  space->Use(std::move(index));
  return space;
}

Result<std::shared_ptr<SearchService::Impl::Space>> SearchService::Impl::SpaceFor(SpaceId id) {
  const MutexLock open(opening);
  {
    const MutexLock lock(mutex);
    if (stopped) return Fail(Code::kUnavailable, "The search service has stopped.");
    const auto found = spaces.find(id);
    if (found != spaces.end()) return found->second;
  }
  ASSIGN_OR_RETURN(auto space, OpenSpace(id));
  const MutexLock lock(mutex);
  return spaces.emplace(id, std::move(space)).first->second;
}

Result<std::shared_ptr<SpaceIndex>> SearchService::Impl::IndexFor(SpaceId id) {
  {
    const MutexLock lock(mutex);
    const auto found = spaces.find(id);
    if (!stopped && found != spaces.end()) return found->second->Index();
  }
  const auto known = engine.Spaces();
  if (id == kSystemSpace || std::ranges::find(known, id, &SpaceInfo::id) == known.end()) {
    return Fail(Code::kNotFound, "There is nothing to search in this space.");
  }
  ASSIGN_OR_RETURN(const auto space, SpaceFor(id));
  return space->Index();
}

Result<std::unique_ptr<SearchService>> SearchService::Open(Engine& engine,
                                                           std::unique_ptr<Embedder> embedder,
                                                           SearchOptions options) {
  RETURN_IF_ERROR(MakeDirectory(options.directory));
  auto impl = std::make_unique<Impl>(engine, std::move(embedder), std::move(options));
  for (const SpaceInfo& space : engine.Spaces()) {
    if (space.id == kSystemSpace) continue;
    ASSIGN_OR_RETURN([[maybe_unused]] const auto opened, impl->SpaceFor(space.id));
  }
  engine.SetIndexEraser([eraser = impl.get()](SpaceId space, const std::vector<Uuid>& memories) {
    return eraser->Erase(space, memories);
  });
  return std::make_unique<SearchService>(std::move(impl));
}

void SearchService::Stop() {
  std::map<SpaceId, std::shared_ptr<Impl::Space>> spaces;
  {
    const MutexLock open(impl_->opening);
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) return;
    impl_->stopped = true;
    spaces = impl_->spaces;
  }
  impl_->engine.SetIndexEraser({});
  for (const auto& [id, space] : spaces) {
    const MutexLock maintaining(space->maintaining);
    space->Index()->Stop();
  }
}

// --- Calls ---------------------------------------------------------------------------------------

Result<SearchAnswer> SearchService::Search(const Principal& principal,
                                           const SearchRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  ASSIGN_OR_RETURN(const auto index, impl_->IndexFor(principal.space));
  const SearchContext context{&impl_->engine, index.get(), &impl_->queries,
                              &impl_->embedder->info(), &impl_->options};
  return Searcher(context, request).Run(principal);
}

IndexStatus SearchService::Status() const {
  IndexStatus status;
  status.model = impl_->embedder->info().name;
  status.dimensions = impl_->embedder->info().dimensions;
  status.stand_in_reason = impl_->options.stand_in_reason;
  std::map<SpaceId, std::shared_ptr<SpaceIndex>> open;
  {
    const MutexLock lock(impl_->mutex);
    for (const auto& [id, space] : impl_->spaces) open.emplace(id, space->Index());
  }
  const auto known = impl_->engine.Spaces();
  for (const auto& [id, index] : open) {
    status.spaces.push_back(index->Report());
    const auto info = std::ranges::find(known, id, &SpaceInfo::id);
    if (info != known.end()) status.spaces.back().name = info->name;
  }
  return status;
}

bool SearchService::WaitUntilIndexed(SpaceId space, std::chrono::milliseconds timeout) {
  const auto index = impl_->IndexFor(space);
  if (!index) return false;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const Seq seq = impl_->engine.Visible(space).seq;
  return (*index)->WaitLexical(seq, deadline) && (*index)->WaitSemantic(seq, deadline);
}

Result<std::uint64_t> SearchService::Impl::Erase(SpaceId id, const std::vector<Uuid>& memories) {
  ASSIGN_OR_RETURN(const auto space, SpaceFor(id));
  const MutexLock maintaining(space->maintaining);
  return space->Index()->Erase(memories);
}

// The old index answers until the new one has caught up.
perdure::Status SearchService::Rebuild(SpaceId id, const RebuildReport& report) {
  if (const auto known = impl_->IndexFor(id); !known) return std::unexpected(known.error());
  ASSIGN_OR_RETURN(const auto space, impl_->SpaceFor(id));
  const MutexLock maintaining(space->maintaining);
  const std::uint64_t number = space->generation + 1;
  ASSIGN_OR_RETURN(const auto fresh, impl_->OpenIndex(*space, id, number));
  fresh->Start();
  for (Seq end = impl_->engine.Visible(id).seq;
       !fresh->WaitLexical(end, std::chrono::steady_clock::now() + kRebuildPoll);
       end = impl_->engine.Visible(id).seq) {
    report(fresh->lexical_seq(), end);
    if (!fresh->LexicalFailure().empty()) return Fail(Code::kInternal, fresh->LexicalFailure());
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) return Fail(Code::kUnavailable, "The search service has stopped.");
  }
  RETURN_IF_ERROR(fresh->Checkpoint());
  const auto old = space->Use(fresh);
  old->Stop();
  while (old.use_count() > 1) std::this_thread::sleep_for(kRebuildPoll);  // searches under way
  std::error_code error;
  std::filesystem::remove_all(fmt::format("{}/g{}", space->directory, space->generation), error);
  space->generation = number;
  return {};
}

}  // namespace perdure
