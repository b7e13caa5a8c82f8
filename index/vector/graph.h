// A navigable small-world graph (Malkov and Yashunin, arXiv:1603.09320) over codes that it does
// not own. graph.cc is the one file that includes hnswlib; its exceptions end there.
//
// The graph is a pure function of the inserted (code, level seed) pairs and their order: a copy,
// or one that was encoded and decoded half-way, grows into the same graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "index/vector/row.h"

namespace perdure {

struct GraphHit {
  std::uint32_t label;
  float code_cosine;  // see RowFormat
};

class Graph {
 public:
  static constexpr std::size_t kNodesMax = 65'536;  // a neighbour is stored as 16 bits
  static constexpr std::size_t kEfSearch = 80;      // candidates kept while searching

  struct State;
  explicit Graph(std::unique_ptr<State> state);
  static Result<std::unique_ptr<Graph>> Create(const RowFormat& format, std::size_t capacity);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // With room for `capacity` nodes in all.
  Result<std::unique_ptr<Graph>> Copy(std::size_t capacity) const;

  // `code` must outlive the graph at its address. The node's level is drawn from `level_seed`.
  Status Insert(const RowCode* code, std::uint32_t label, std::uint64_t level_seed);

  // The closest nodes whose label is allowed, at most `limit`, in no order. Any number of threads
  // may search one graph, but not while another inserts.
  Result<std::vector<GraphHit>> Search(const RowCode* query, std::size_t limit,
                                       const std::function<bool(std::uint32_t)>& allowed) const;

  std::size_t size() const;
  std::size_t MemoryBytes() const;

  // graph := nodes:u32 entry:u32 node*        in order of insertion; little-endian
  // node  := level:u8 list{level + 1}         from the ground level up
  // list  := count:u8 node_number:u16{count}
  std::string Encode() const;

  // Node i gets codes[i] and label i. Every number is checked: bytes of any origin may be passed.
  static Result<std::unique_ptr<Graph>> Decode(std::string_view bytes, const RowFormat& format,
                                               std::span<const RowCode* const> codes);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace perdure
