// Forged proofs: each is a good proof, which must verify, with one thing changed, which must not.
// Roots are always the true ones of the sizes claimed, since those come signed.
#include <gtest/gtest.h>

#include <random>

#include "engine/proof/merkle.h"
#include "support/naive_tree.h"

namespace perdure {
namespace {

using ::perdure::testing::GrownTree;
using ::perdure::testing::NaiveTree;

constexpr std::size_t kSize = 700;
constexpr int kForgeries = 10'000;

class Forger {
 public:
  explicit Forger(std::uint64_t seed) : generator_(seed) {}

  std::size_t Below(std::size_t end) { return generator_() % end; }

  Hash Other(Hash hash) {
    hash[Below(hash.size())] ^= static_cast<std::uint8_t>(1u << Below(8));
    return hash;
  }

  // A value of first..last that is not `number`; the range holds at least two.
  std::size_t OtherNumber(std::size_t number, std::size_t first, std::size_t last) {
    const std::size_t drawn = first + Below(last - first);
    return drawn < number ? drawn : drawn + 1;
  }

  // The proof with a bit flipped, or a hash dropped, doubled, added or swapped with another.
  std::vector<Hash> OtherProof(std::vector<Hash> proof) {
    const std::size_t kind = proof.empty() ? 0 : Below(proof.size() > 1 ? 6 : 5);
    const std::size_t at = proof.empty() ? 0 : Below(proof.size());
    const auto place = proof.begin() + static_cast<std::ptrdiff_t>(at);
    switch (kind) {
      case 0:
        proof.push_back(Other(Hash{}));
        break;
      case 1:
        proof[at] = Other(proof[at]);
        break;
      case 2:
        proof.erase(place);
        break;
      case 3:
        proof.insert(place, proof[at]);
        break;
      case 4:
        proof.insert(place, Other(proof[at]));
        break;
      default:
        std::swap(proof[at], proof[(at + 1) % proof.size()]);
        break;
    }
    return proof;
  }

 private:
  std::mt19937_64 generator_;
};

TEST(Forgery, NoForgedInclusionProofVerifies) {
  const GrownTree tree(kSize);
  NaiveTree naive = GrownTree::Naive(kSize);
  Forger forger(21);
  for (int i = 0; i < kForgeries; ++i) {
    const std::size_t size = 2 + forger.Below(kSize - 1);
    const std::size_t index = forger.Below(size);
    const Hash leaf = tree.leaf_hashes[index];
    const Hash root = naive.Root(0, size);
    const auto proof = InclusionProof(index, size, tree.View()).value();
    ASSERT_TRUE(VerifyInclusion(index, size, leaf, proof, root)) << index << " of " << size;
    bool verifies = true;
    const int kind = i % 5;
    if (kind == 0) {
      verifies = VerifyInclusion(index, size, leaf, forger.OtherProof(proof), root);
    } else if (kind == 1) {
      verifies = VerifyInclusion(forger.OtherNumber(index, 0, size), size, leaf, proof, root);
    } else if (kind == 2) {
      const std::size_t other = forger.OtherNumber(size, 1, kSize);
      verifies = VerifyInclusion(index, other, leaf, proof, naive.Root(0, other));
    } else if (kind == 3) {
      const Hash other = i % 2 == 0 ? forger.Other(leaf)
                                    : tree.leaf_hashes[forger.OtherNumber(index, 0, kSize - 1)];
      verifies = VerifyInclusion(index, size, other, proof, root);
    } else {
      verifies = VerifyInclusion(index, size, leaf, proof, forger.Other(root));
    }
    ASSERT_FALSE(verifies) << "kind " << kind << ": " << index << " of " << size;
  }
}

TEST(Forgery, NoForgedConsistencyProofVerifies) {
  const GrownTree tree(kSize);
  NaiveTree naive = GrownTree::Naive(kSize);
  Forger forger(22);
  for (int i = 0; i < kForgeries; ++i) {
    const std::size_t new_size = 2 + forger.Below(kSize - 1);
    const std::size_t old_size = 1 + forger.Below(new_size);
    const Hash old_root = naive.Root(0, old_size);
    const Hash new_root = naive.Root(0, new_size);
    const auto proof = ConsistencyProof(old_size, new_size, tree.View()).value();
    ASSERT_TRUE(VerifyConsistency(old_size, new_size, old_root, new_root, proof))
        << old_size << " to " << new_size;
    bool verifies = true;
    const int kind = i % 5;
    if (kind == 0) {
      verifies =
          VerifyConsistency(old_size, new_size, old_root, new_root, forger.OtherProof(proof));
    } else if (kind == 1) {
      const std::size_t other = forger.OtherNumber(old_size, 1, kSize);
      verifies = VerifyConsistency(other, new_size, naive.Root(0, other), new_root, proof);
    } else if (kind == 2) {
      const std::size_t other = forger.OtherNumber(new_size, 1, kSize);
      verifies = VerifyConsistency(old_size, other, old_root, naive.Root(0, other), proof);
    } else if (kind == 3) {
      verifies = VerifyConsistency(old_size, new_size, forger.Other(old_root), new_root, proof);
    } else {
      verifies = VerifyConsistency(old_size, new_size, old_root, forger.Other(new_root), proof);
    }
    ASSERT_FALSE(verifies) << "kind " << kind << ": " << old_size << " to " << new_size;
  }
}

TEST(Forgery, ALogThatWasRewrittenHasNoConsistencyProof) {
  const GrownTree honest(kSize);
  TreeState rewritten;
  testing::MemoryTiles tiles;
  for (std::size_t i = 0; i < kSize; ++i) {
    tiles.Add(rewritten.Append(i == 41 ? LeafHash("another past") : honest.leaf_hashes[i]));
  }
  for (std::size_t old_size = 42; old_size < kSize; old_size += 7) {
    const Hash old_root = RootAt(old_size, honest.View()).value();
    const auto good = ConsistencyProof(old_size, kSize, honest.View()).value();
    const auto bad = ConsistencyProof(old_size, kSize, {rewritten, tiles}).value();
    ASSERT_TRUE(VerifyConsistency(old_size, kSize, old_root, honest.state.Root(), good));
    ASSERT_FALSE(VerifyConsistency(old_size, kSize, old_root, rewritten.Root(), bad));
    ASSERT_FALSE(VerifyConsistency(old_size, kSize, old_root, rewritten.Root(), good));
  }
}

TEST(Forgery, SizesThatMakeNoSenseAreRefused) {
  const Hash root = LeafHash("x");
  const std::vector<Hash> one = {root};
  const std::vector<Hash> many(200, root);
  EXPECT_TRUE(VerifyInclusion(0, 1, root, {}, root));
  EXPECT_FALSE(VerifyInclusion(0, 0, root, {}, root));
  EXPECT_FALSE(VerifyInclusion(1, 1, root, {}, root));
  EXPECT_FALSE(VerifyInclusion(0, 1, root, one, root));
  EXPECT_FALSE(VerifyInclusion(~0ull, ~0ull, root, many, root));
  EXPECT_FALSE(VerifyInclusion(~0ull - 1, ~0ull, root, many, root));
  EXPECT_TRUE(VerifyConsistency(1, 1, root, root, {}));
  EXPECT_FALSE(VerifyConsistency(1, 1, root, root, one));
  EXPECT_FALSE(VerifyConsistency(2, 1, root, root, {}));
  EXPECT_FALSE(VerifyConsistency(1, 2, root, root, {}));
  EXPECT_TRUE(VerifyConsistency(0, 1, EmptyRoot(), root, {}));
  EXPECT_FALSE(VerifyConsistency(0, 1, root, root, {}));
  EXPECT_FALSE(VerifyConsistency(0, 1, EmptyRoot(), root, one));
  EXPECT_FALSE(VerifyConsistency(~0ull - 1, ~0ull, root, root, many));
}

}  // namespace
}  // namespace perdure
