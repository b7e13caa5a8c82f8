// What a search hands in and collects.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace perdure {

struct VectorHit {
  std::uint64_t chunk = 0;
  float cosine = 0;

  bool operator==(const VectorHit&) const = default;
};

// The order of every answer: closest first, equals by chunk number.
inline bool Closer(const VectorHit& a, const VectorHit& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.chunk < b.chunk;
}

// A borrowed predicate over chunk numbers; it must outlive the call that it is passed to.
class ChunkPredicate {
 public:
  template <typename F>
    requires(!std::same_as<std::remove_cvref_t<F>, ChunkPredicate> &&
             std::predicate<const F&, std::uint64_t>)
  ChunkPredicate(const F& function)  // NOLINT(google-explicit-constructor): reads like a lambda
      : object_(&function), call_([](const void* object, std::uint64_t chunk) -> bool {
          return (*static_cast<const F*>(object))(chunk);
        }) {}

  bool operator()(std::uint64_t chunk) const { return call_(object_, chunk); }

 private:
  const void* object_;
  bool (*call_)(const void*, std::uint64_t);
};

// Keeps the `limit` closest of all hits that are added.
class Nearest {
 public:
  explicit Nearest(std::size_t limit) : limit_(limit) {}

  std::size_t limit() const { return limit_; }
  bool IsFull() const { return hits_.size() == limit_; }
  // Whether a hit with this cosine could still enter.
  bool Admits(float cosine) const {
    return hits_.size() < limit_ || (limit_ > 0 && cosine >= hits_.front().cosine);
  }

  void Add(const VectorHit& hit) {
    if (hits_.size() == limit_) {
      if (limit_ == 0 || !Closer(hit, hits_.front())) return;
      std::ranges::pop_heap(hits_, Closer);
      hits_.back() = hit;
    } else {
      hits_.push_back(hit);
    }
    std::ranges::push_heap(hits_, Closer);
  }

  std::vector<VectorHit> Take() && {
    std::ranges::sort_heap(hits_, Closer);
    return std::move(hits_);
  }

 private:
  std::size_t limit_;
  std::vector<VectorHit> hits_;  // a heap with the farthest hit in front
};

}  // namespace perdure
