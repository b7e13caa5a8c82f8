// Vectors for the tests of this room.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace perdure::testing {

inline std::vector<float> Normalised(std::vector<float> vector) {
  double norm = 0;
  for (const float value : vector) norm += static_cast<double>(value) * static_cast<double>(value);
  const auto scale = static_cast<float>(1 / std::sqrt(norm));
  for (float& value : vector) value *= scale;
  return vector;
}

inline std::vector<float> RandomVector(std::size_t dimensions, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimensions);
  for (float& value : vector) value = normal(random);
  return Normalised(std::move(vector));
}

// Like embeddings of texts: each a blend of a few of 64 topics, with noise of its own. The topics
// are the same for every seed, so that one seed's vectors are queries for another's.
inline std::vector<std::vector<float>> TopicVectors(std::size_t count, std::size_t dimensions,
                                                    std::uint64_t seed) {
  std::mt19937_64 topic_random(99);
  std::vector<std::vector<float>> topics;
  for (int i = 0; i < 64; ++i) topics.push_back(RandomVector(dimensions, topic_random));
  std::mt19937_64 random(seed);
  std::vector<std::vector<float>> vectors;
  vectors.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> vector = RandomVector(dimensions, random);
    for (float weight : {1.0F, 0.7F, 0.5F}) {
      const auto& topic = topics[random() % topics.size()];
      for (std::size_t d = 0; d < dimensions; ++d) vector[d] += weight * topic[d];
    }
    vectors.push_back(Normalised(std::move(vector)));
  }
  return vectors;
}

}  // namespace perdure::testing
