#include "index/vector/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <queue>
#include <utility>

#include "engine/base/check.h"
#include "index/vector/byte_io.h"

// Its prefetches read past the end of a full neighbour list.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

namespace perdure {
namespace {

constexpr std::size_t kLinks = 16;  // neighbours a level; twice as many on the ground
constexpr std::size_t kEfConstruction = 200;
constexpr int kLevelBits = 4;  // level n has 1/16^n of the nodes: 1/ln(kLinks) as in the paper
static_assert(std::size_t{1} << kLevelBits == kLinks);

using Hnsw = hnswlib::HierarchicalNSW<float>;

// A node's "vector" is the address of its code, so that codes are stored once, by their segment.
float Distance(const void* a, const void* b, const void* format) {
  const RowCode* code_a = nullptr;
  const RowCode* code_b = nullptr;
  std::memcpy(&code_a, a, sizeof(code_a));  // hnswlib does not align its elements
  std::memcpy(&code_b, b, sizeof(code_b));
  return -static_cast<const RowFormat*>(format)->CodeCosine(code_a, code_b);
}

class CodeSpace : public hnswlib::SpaceInterface<float> {
 public:
  explicit CodeSpace(const RowFormat& format) : format_(format) {}
  std::size_t get_data_size() override { return sizeof(const RowCode*); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return Distance; }
  void* get_dist_func_param() override { return &format_; }
  const RowFormat& format() const { return format_; }

 private:
  RowFormat format_;
};

// The nodes that one search has seen.
class Visited {
 public:
  explicit Visited(hnswlib::VisitedListPool& pool)
      : pool_(pool), list_(pool.getFreeVisitedList()) {}
  ~Visited() { pool_.releaseVisitedList(list_); }
  Visited(const Visited&) = delete;
  Visited& operator=(const Visited&) = delete;

  bool Mark(hnswlib::tableint node) {  // whether it is new
    if (list_->mass[node] == list_->curV) return false;
    list_->mass[node] = list_->curV;
    return true;
  }

 private:
  hnswlib::VisitedListPool& pool_;
  hnswlib::VisitedList* list_;
};

// splitmix64 (Steele, Lea, Flood 2014): level seeds are small consecutive numbers.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

int LevelOf(std::uint64_t seed) { return std::countl_zero(Mix(seed) | 1) / kLevelBits; }

std::unexpected<Error> HnswFailed(const std::exception& e) {
  return Fail(Code::kInternal, fmt::format("The vector graph failed: {}.", e.what()));
}

std::unexpected<Error> BadGraph(std::string_view what) {
  return Fail(Code::kCorrupt, fmt::format("the graph {}", what));
}

}  // namespace

struct Graph::State {
  State(const RowFormat& format, std::size_t capacity)
      : space(format), hnsw(&space, capacity, kLinks, kEfConstruction) {
    hnsw.setEf(kEfSearch);
    codes.reserve(capacity);
    hnsw.mult_ = 0;  // its own generator then always draws level 0: Insert says the level
    // 2.6 MB for an interface that is not used here.
    decltype(hnsw.label_op_locks_)().swap(hnsw.label_op_locks_);
  }

  // Makes node `hnsw.cur_element_count` without neighbours.
  void Append(const RowCode* code, hnswlib::labeltype label, int level) {
    const auto node = static_cast<hnswlib::tableint>(hnsw.cur_element_count.load());
    std::memset(hnsw.get_linklist0(node), 0, hnsw.size_data_per_element_);
    std::memcpy(hnsw.getDataByInternalId(node), &code, sizeof(code));
    hnsw.setExternalLabel(node, label);
    if (level > 0) {
      const std::size_t bytes = hnsw.size_links_per_element_ * static_cast<std::size_t>(level) + 1;
      hnsw.linkLists_[node] = static_cast<char*>(std::calloc(1, bytes));
      if (hnsw.linkLists_[node] == nullptr) throw std::bad_alloc();
    }
    hnsw.element_levels_[node] = level;
    ++hnsw.cur_element_count;
    codes.push_back(code);
  }

  std::span<hnswlib::tableint> Neighbours(hnswlib::tableint node, int level) const {
    auto* list = hnsw.get_linklist_at_level(node, level);
    return {list + 1, hnsw.getListCount(list)};
  }

  // The two halves of hnswlib's searchKnn, step by step, so that they answer as it does; but all
  // codes of a node's neighbours are on their way from memory before the first is compared.
  hnswlib::tableint Descend(const RowCode* query) const;
  using Scored = std::pair<float, hnswlib::tableint>;
  using Queue = std::priority_queue<Scored, std::vector<Scored>, Hnsw::CompareByFirst>;
  Queue SearchGround(hnswlib::tableint entry, const RowCode* query, std::size_t ef,
                     const std::function<bool(std::uint32_t)>& allowed) const;
  float DistanceTo(hnswlib::tableint node, const RowCode* query) const {
    return -space.format().CodeCosine(query, codes[node]);
  }
  bool Allows(hnswlib::tableint node, const std::function<bool(std::uint32_t)>& allowed) const {
    return allowed(static_cast<std::uint32_t>(hnsw.getExternalLabel(node)));
  }

  CodeSpace space;
  Hnsw hnsw;
  std::vector<const RowCode*> codes;  // by node
};

hnswlib::tableint Graph::State::Descend(const RowCode* query) const {
  hnswlib::tableint nearest = hnsw.enterpoint_node_;
  float least = DistanceTo(nearest, query);
  for (int level = hnsw.maxlevel_; level > 0; --level) {
    for (bool moved = true; moved;) {
      moved = false;
      const auto neighbours = Neighbours(nearest, level);
      for (const auto node : neighbours) space.format().Prefetch(codes[node]);
      for (const auto node : neighbours) {
        const float distance = DistanceTo(node, query);
        if (distance >= least) continue;
        least = distance;
        nearest = node;
        moved = true;
      }
    }
  }
  return nearest;
}

Graph::State::Queue Graph::State::SearchGround(
    hnswlib::tableint entry, const RowCode* query, std::size_t ef,
    const std::function<bool(std::uint32_t)>& allowed) const {
  Visited visited(*hnsw.visited_list_pool_);
  Queue best;        // the farthest on top
  Queue candidates;  // by negative distance: the nearest on top
  float bound = std::numeric_limits<float>::max();
  if (Allows(entry, allowed)) {
    bound = DistanceTo(entry, query);
    best.emplace(bound, entry);
  }
  candidates.emplace(-bound, entry);
  visited.Mark(entry);
  std::array<hnswlib::tableint, 2 * kLinks> fresh;
  while (!candidates.empty()) {
    const auto [closeness, at] = candidates.top();
    if (-closeness > bound && best.size() == ef) break;
    candidates.pop();
    std::size_t count = 0;
    for (const auto node : Neighbours(at, 0)) {
      if (!visited.Mark(node)) continue;
      space.format().Prefetch(codes[node]);
      fresh[count++] = node;
    }
    for (const auto node : std::span(fresh).first(count)) {
      const float distance = DistanceTo(node, query);
      if (best.size() >= ef && bound <= distance) continue;
      candidates.emplace(-distance, node);
      if (Allows(node, allowed)) best.emplace(distance, node);
      while (best.size() > ef) best.pop();
      if (!best.empty()) bound = best.top().first;
    }
  }
  return best;
}

Graph::Graph(std::unique_ptr<State> state) : state_(std::move(state)) {}
Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::Create(const RowFormat& format, std::size_t capacity) {
  PERDURE_CHECK(capacity <= kNodesMax);
  try {
    return std::make_unique<Graph>(std::make_unique<State>(format, capacity));
  } catch (const std::exception& e) {
    return HnswFailed(e);
  }
}

std::size_t Graph::size() const { return state_->hnsw.cur_element_count; }

std::size_t Graph::MemoryBytes() const {
  const Hnsw& hnsw = state_->hnsw;
  std::size_t bytes =
      hnsw.max_elements_ * (hnsw.size_data_per_element_ + sizeof(char*) + sizeof(int) +
                            sizeof(hnsw.link_list_locks_[0]) + sizeof(const RowCode*));
  for (std::size_t node = 0; node < size(); ++node) {
    bytes += static_cast<std::size_t>(hnsw.element_levels_[node]) * hnsw.size_links_per_element_;
  }
  return bytes;
}

Result<std::unique_ptr<Graph>> Graph::Copy(std::size_t capacity) const {
  PERDURE_CHECK(capacity >= size());
  ASSIGN_OR_RETURN(auto copy, Create(state_->space.format(), capacity));
  const Hnsw& from = state_->hnsw;
  Hnsw& to = copy->state_->hnsw;
  try {
    for (hnswlib::tableint node = 0; node < from.cur_element_count; ++node) {
      const int level = from.element_levels_[node];
      copy->state_->Append(nullptr, 0, level);
      std::memcpy(to.get_linklist0(node), from.get_linklist0(node), from.size_data_per_element_);
      if (level > 0) {
        std::memcpy(to.linkLists_[node], from.linkLists_[node],
                    from.size_links_per_element_ * static_cast<std::size_t>(level));
      }
    }
  } catch (const std::exception& e) {
    return HnswFailed(e);
  }
  copy->state_->codes = state_->codes;
  copy->state_->codes.reserve(capacity);
  to.maxlevel_ = from.maxlevel_;
  to.enterpoint_node_ = from.enterpoint_node_;
  return copy;
}

Status Graph::Insert(const RowCode* code, std::uint32_t label, std::uint64_t level_seed) {
  try {
    state_->hnsw.addPoint(&code, label, LevelOf(level_seed));
    state_->codes.push_back(code);
    state_->hnsw.label_lookup_.clear();  // only there to find a label that is inserted again
    return {};
  } catch (const std::exception& e) {
    return HnswFailed(e);
  }
}

Result<std::vector<GraphHit>> Graph::Search(
    const RowCode* query, std::size_t limit,
    const std::function<bool(std::uint32_t)>& allowed) const {
  try {
    std::vector<GraphHit> hits;
    if (size() == 0) return hits;
    auto queue =
        state_->SearchGround(state_->Descend(query), query, std::max(kEfSearch, limit), allowed);
    while (queue.size() > limit) queue.pop();
    for (; !queue.empty(); queue.pop()) {
      const auto& [distance, node] = queue.top();
      hits.push_back({static_cast<std::uint32_t>(state_->hnsw.getExternalLabel(node)), -distance});
    }
    return hits;
  } catch (const std::exception& e) {
    return HnswFailed(e);
  }
}

std::string Graph::Encode() const {
  const Hnsw& hnsw = state_->hnsw;
  ByteWriter out;
  out.Put<std::uint32_t>(static_cast<std::uint32_t>(size()));
  out.Put<std::uint32_t>(size() == 0 ? 0 : hnsw.enterpoint_node_);
  for (hnswlib::tableint node = 0; node < size(); ++node) {
    const int level = hnsw.element_levels_[node];
    out.Put<std::uint8_t>(static_cast<std::uint8_t>(level));
    for (int l = 0; l <= level; ++l) {
      const auto neighbours = state_->Neighbours(node, l);
      out.Put<std::uint8_t>(static_cast<std::uint8_t>(neighbours.size()));
      for (const auto neighbour : neighbours) {
        out.Put<std::uint16_t>(static_cast<std::uint16_t>(neighbour));
      }
    }
  }
  return std::move(out).Take();
}

namespace {

// Reads one list into `list`, an hnswlib neighbour list of `room` entries.
Status ReadList(ByteReader& in, std::uint32_t nodes, std::size_t room, unsigned int* list) {
  std::uint8_t count = 0;
  if (!in.Get(count)) return BadGraph("ends within a node");
  if (count > room) return BadGraph("has a node with too many neighbours");
  const std::uint16_t stored = count;
  std::memcpy(list, &stored, sizeof(stored));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t neighbour = 0;
    if (!in.Get(neighbour)) return BadGraph("ends within a neighbour list");
    if (neighbour >= nodes) return BadGraph("names a neighbour that does not exist");
    list[1 + i] = neighbour;
  }
  return {};
}

// hnswlib follows a neighbour of level l to its own list of level l without looking.
bool LevelsHold(const Hnsw& hnsw) {
  for (hnswlib::tableint node = 0; node < hnsw.cur_element_count; ++node) {
    if (hnsw.element_levels_[node] > hnsw.maxlevel_) return false;
    for (int level = 1; level <= hnsw.element_levels_[node]; ++level) {
      auto* list = hnsw.get_linklist(node, level);
      for (std::size_t i = 0; i < hnsw.getListCount(list); ++i) {
        if (hnsw.element_levels_[list[1 + i]] < level) return false;
      }
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Graph>> Graph::Decode(std::string_view bytes, const RowFormat& format,
                                             std::span<const RowCode* const> codes) {
  ByteReader in(bytes);
  std::uint32_t nodes = 0;
  std::uint32_t entry = 0;
  if (!in.Get(nodes) || !in.Get(entry)) return BadGraph("has no header");
  if (nodes == 0 || nodes > codes.size()) return BadGraph("has another number of nodes");
  if (nodes > kNodesMax || entry >= nodes) return BadGraph("has an impossible entry node");
  ASSIGN_OR_RETURN(auto graph, Create(format, nodes));
  State& state = *graph->state_;
  try {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      std::uint8_t level = 0;
      if (!in.Get(level)) return BadGraph("ends before its last node");
      if (level > 64 / kLevelBits) return BadGraph("has a node of an impossible level");
      state.Append(codes[node], node, level);
      for (int l = 0; l <= level; ++l) {
        const std::size_t room = l == 0 ? 2 * kLinks : kLinks;
        RETURN_IF_ERROR(ReadList(in, nodes, room, state.hnsw.get_linklist_at_level(node, l)));
      }
    }
  } catch (const std::exception& e) {
    return HnswFailed(e);
  }
  if (!in.AtEnd()) return BadGraph("is followed by stray bytes");
  state.hnsw.enterpoint_node_ = entry;
  state.hnsw.maxlevel_ = state.hnsw.element_levels_[entry];
  if (!LevelsHold(state.hnsw)) return BadGraph("links a node above its level");
  return graph;
}

}  // namespace perdure
