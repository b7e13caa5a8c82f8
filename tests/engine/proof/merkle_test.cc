#include "engine/proof/merkle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/naive_tree.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::GrownTree;
using ::perdure::testing::IsOk;
using ::perdure::testing::NaiveTree;
using ::testing::HasSubstr;

Hash FromHex(std::string_view hex) {
  const auto bytes = HexDecode(hex);
  Hash hash{};
  if (!bytes || bytes->size() != hash.size()) ADD_FAILURE() << "not a hash: " << hex;
  std::copy_n(bytes->begin(), hash.size(), reinterpret_cast<char*>(hash.data()));
  return hash;
}

std::vector<Hash> AllFromHex(const std::vector<const char*>& hexes) {
  std::vector<Hash> hashes;
  for (const char* hex : hexes) hashes.push_back(FromHex(hex));
  return hashes;
}

// The vectors of Certificate Transparency's reference trees (merkle_tree_test.cc).
constexpr const char* kLeaves[] = {"",
                                   "00",
                                   "10",
                                   "2021",
                                   "3031",
                                   "40414243",
                                   "5051525354555657",
                                   "606162636465666768696a6b6c6d6e6f"};
constexpr const char* kRoots[] = {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};
constexpr const char* kLeaf0 = kRoots[1];
constexpr const char* kLeaf1 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7";
constexpr const char* kLeaf4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b";
constexpr const char* kLeaf6 = "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f";
constexpr const char* kNode23 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e";
constexpr const char* kNode45 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a";
constexpr const char* kNode67 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0";
constexpr const char* kNode4567 =
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4";

TEST(Merkle, MatchesTheVectorsOfCertificateTransparency) {
  TreeState state;
  const testing::MemoryTiles tiles;
  EXPECT_EQ(state.Root(), FromHex(kRoots[0]));
  for (std::size_t i = 0; i < std::size(kLeaves); ++i) {
    EXPECT_TRUE(state.Append(LeafHash(*HexDecode(kLeaves[i]))).empty());
    EXPECT_EQ(state.Root(), FromHex(kRoots[i + 1])) << i;
  }
  const TreeView tree{state, tiles};
  const auto path = [&](std::uint64_t index, std::uint64_t size) {
    return InclusionProof(index, size, tree).value();
  };
  EXPECT_EQ(path(0, 1), AllFromHex({}));
  EXPECT_EQ(path(0, 8), AllFromHex({kLeaf1, kNode23, kNode4567}));
  EXPECT_EQ(path(5, 8), AllFromHex({kLeaf4, kNode67, kRoots[4]}));
  EXPECT_EQ(path(2, 3), AllFromHex({kRoots[2]}));
  EXPECT_EQ(path(1, 5), AllFromHex({kLeaf0, kNode23, kLeaf4}));
  const auto proof = [&](std::uint64_t old_size, std::uint64_t new_size) {
    return ConsistencyProof(old_size, new_size, tree).value();
  };
  EXPECT_EQ(proof(1, 1), AllFromHex({}));
  EXPECT_EQ(proof(1, 8), AllFromHex({kLeaf1, kNode23, kNode4567}));
  EXPECT_EQ(proof(6, 8), AllFromHex({kNode45, kNode67, kRoots[4]}));
  EXPECT_EQ(proof(2, 5), AllFromHex({kNode23, kLeaf4}));
  EXPECT_EQ(proof(6, 7), AllFromHex({kNode45, kLeaf6, kRoots[4]}));
}

TEST(Merkle, EveryProofOfEverySizeTo256IsTheDefinitionsAndVerifies) {
  constexpr std::size_t kSize = 256;
  GrownTree tree(kSize);
  NaiveTree naive = GrownTree::Naive(kSize);
  for (std::size_t size = 0; size <= kSize; ++size) {
    const auto root = RootAt(size, tree.View());
    ASSERT_THAT(root, IsOk());
    ASSERT_EQ(*root, naive.Root(0, size)) << size;
    for (std::size_t index = 0; index < size; ++index) {
      const auto path = InclusionProof(index, size, tree.View());
      ASSERT_THAT(path, IsOk());
      ASSERT_EQ(*path, naive.Path(index, 0, size)) << index << " of " << size;
      ASSERT_TRUE(VerifyInclusion(index, size, tree.leaf_hashes[index], *path, *root));
    }
    for (std::size_t old_size = 1; old_size <= size; ++old_size) {
      const auto proof = ConsistencyProof(old_size, size, tree.View());
      ASSERT_THAT(proof, IsOk());
      ASSERT_EQ(*proof, naive.Subproof(old_size, 0, size, true)) << old_size << " to " << size;
      ASSERT_TRUE(VerifyConsistency(old_size, size, naive.Root(0, old_size), *root, *proof));
    }
    const auto from_nothing = ConsistencyProof(0, size, tree.View());
    ASSERT_THAT(from_nothing, IsOk());
    ASSERT_TRUE(VerifyConsistency(0, size, EmptyRoot(), *root, *from_nothing));
  }
}

TEST(Merkle, ProofsOverManyTilesAreTheDefinitionsAndReadFewTiles) {
  constexpr std::size_t kSize = 66'321;  // 259 tiles of leaves, one of tiles
  GrownTree tree(kSize);
  NaiveTree naive = GrownTree::Naive(kSize);
  EXPECT_EQ(tree.tiles.Count(), 260u);
  std::mt19937_64 generator(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = round == 0 ? kSize : 1 + generator() % kSize;
    const std::size_t index = generator() % size;
    const std::size_t old_size = 1 + generator() % size;
    tree.tiles.TakeReads();
    const auto root = RootAt(size, tree.View());
    ASSERT_THAT(root, IsOk());
    EXPECT_LE(tree.tiles.TakeReads(), 3);
    ASSERT_EQ(*root, naive.Root(0, size));
    const auto path = InclusionProof(index, size, tree.View());
    ASSERT_THAT(path, IsOk());
    EXPECT_LE(tree.tiles.TakeReads(), 6);
    ASSERT_EQ(*path, naive.Path(index, 0, size));
    ASSERT_TRUE(VerifyInclusion(index, size, tree.leaf_hashes[index], *path, *root));
    const auto proof = ConsistencyProof(old_size, size, tree.View());
    ASSERT_THAT(proof, IsOk());
    EXPECT_LE(tree.tiles.TakeReads(), 6);
    ASSERT_EQ(*proof, naive.Subproof(old_size, 0, size, true));
    ASSERT_TRUE(VerifyConsistency(old_size, size, naive.Root(0, old_size), *root, *proof));
  }
}

TEST(Merkle, AppendingHandsOutEachTileOnceWhenItIsFull) {
  TreeState state;
  std::vector<Hash> level0;
  for (std::uint64_t i = 0; i < 65'536; ++i) {
    level0.push_back(LeafHash(GrownTree::Leaf(i)));
    const std::vector<Tile> completed = state.Append(level0.back());
    const bool ends_tile = i % 256 == 255;
    ASSERT_EQ(completed.size(), i == 65'535 ? 2u : ends_tile ? 1u : 0u) << i;
    ASSERT_EQ(state.PartialTile(0).size(), (i + 1) % 256);
    if (!ends_tile) continue;
    ASSERT_EQ(completed[0].level, 0u);
    ASSERT_EQ(completed[0].index, i / 256);
    ASSERT_EQ(completed[0].bytes.size(), kTileBytes);
    for (std::size_t k = 0; k < 256; ++k) {
      ASSERT_EQ(completed[0].bytes.substr(k * 32, 32), AsBytes(level0[level0.size() - 256 + k]));
    }
    if (i != 65'535) continue;
    EXPECT_EQ(completed[1].level, 1u);
    EXPECT_EQ(completed[1].index, 0u);
    EXPECT_EQ(completed[1].bytes.size(), kTileBytes);
  }
  EXPECT_TRUE(state.PartialTile(9).empty());
}

TEST(Merkle, ALoadedStateGoesOnAsTheOneThatWasLost) {
  GrownTree tree(0);
  for (const std::size_t size :
       {0u, 1u, 2u, 255u, 256u, 257u, 511u, 512u, 1000u, 65'535u, 65'536u, 65'537u, 66'000u}) {
    tree.GrowTo(size);
    tree.tiles.TakeReads();
    const std::span<const Hash> last = std::span(tree.leaf_hashes).last(size % 256);
    auto loaded = TreeState::Load(size, last, tree.tiles);
    ASSERT_THAT(loaded, IsOk()) << size;
    EXPECT_LE(tree.tiles.TakeReads(), 2 * 255);
    EXPECT_EQ(loaded->Size(), size);
    EXPECT_EQ(loaded->Root(), tree.state.Root()) << size;
    TreeState original = tree.state;
    for (int i = 0; i < 600; ++i) {
      const Hash leaf = LeafHash(std::to_string(i));
      const auto expected = original.Append(leaf);
      const auto tiles = loaded->Append(leaf);
      ASSERT_EQ(tiles.size(), expected.size());
      for (std::size_t k = 0; k < tiles.size(); ++k) {
        ASSERT_EQ(tiles[k].level, expected[k].level);
        ASSERT_EQ(tiles[k].index, expected[k].index);
        ASSERT_EQ(tiles[k].bytes, expected[k].bytes);
      }
      ASSERT_EQ(loaded->Root(), original.Root());
    }
  }
}

TEST(Merkle, WhatLiesOutsideTheTreeIsRefused) {
  const GrownTree tree(300);
  EXPECT_THAT(RootAt(300, tree.View()), IsOk());
  EXPECT_THAT(RootAt(301, tree.View()), FailsWith(Code::kInvalidArgument, HasSubstr("size")));
  EXPECT_THAT(InclusionProof(299, 300, tree.View()), IsOk());
  EXPECT_THAT(InclusionProof(300, 300, tree.View()),
              FailsWith(Code::kInvalidArgument, HasSubstr("past")));
  EXPECT_THAT(InclusionProof(0, 0, tree.View()),
              FailsWith(Code::kInvalidArgument, HasSubstr("past")));
  EXPECT_THAT(InclusionProof(1, 301, tree.View()),
              FailsWith(Code::kInvalidArgument, HasSubstr("size")));
  EXPECT_THAT(ConsistencyProof(10, 300, tree.View()), IsOk());
  EXPECT_THAT(ConsistencyProof(300, 10, tree.View()),
              FailsWith(Code::kInvalidArgument, HasSubstr("size")));
  EXPECT_THAT(ConsistencyProof(10, 301, tree.View()),
              FailsWith(Code::kInvalidArgument, HasSubstr("size")));
}

TEST(Merkle, DamagedTilesAreReportedNeverGuessed) {
  GrownTree tree(700);
  const Hash root = tree.state.Root();
  const std::span<const Hash> last = std::span(tree.leaf_hashes).last(700 % 256);
  ASSERT_THAT(InclusionProof(3, 700, tree.View()), IsOk());
  ASSERT_THAT(TreeState::Load(700, last, tree.tiles), IsOk());
  EXPECT_THAT(TreeState::Load(700, last.first(1), tree.tiles),
              FailsWith(Code::kInvalidArgument, HasSubstr("last leaves")));

  tree.tiles.At(0, 0)[200] ^= 1;  // not in leaf 3's hash, but in the path's
  const auto wrong = InclusionProof(3, 700, tree.View());
  ASSERT_THAT(wrong, IsOk());
  EXPECT_FALSE(VerifyInclusion(3, 700, tree.leaf_hashes[3], *wrong, root));
  EXPECT_NE(TreeState::Load(700, last, tree.tiles)->Root(), root);

  tree.tiles.At(0, 0).pop_back();
  EXPECT_THAT(InclusionProof(3, 700, tree.View()), FailsWith(Code::kCorrupt, HasSubstr("tile")));
  EXPECT_THAT(TreeState::Load(700, last, tree.tiles), FailsWith(Code::kCorrupt, HasSubstr("tile")));
  tree.tiles.Remove(0, 0);
  EXPECT_THAT(InclusionProof(3, 700, tree.View()), FailsWith(Code::kNotFound, HasSubstr("tile")));
}

}  // namespace
}  // namespace perdure
