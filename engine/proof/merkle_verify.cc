#include <bit>

#include "engine/proof/merkle.h"

namespace perdure {

// RFC 9162 section 2.1.3.2; fn, sn and r are its names.
bool VerifyInclusion(std::uint64_t index, std::uint64_t size, const Hash& leaf_hash,
                     std::span<const Hash> proof, const Hash& root) {
  if (index >= size) return false;
  std::uint64_t fn = index;
  std::uint64_t sn = size - 1;
  Hash r = leaf_hash;
  for (const Hash& p : proof) {
    if (sn == 0) return false;
    if ((fn & 1) == 1 || fn == sn) {
      r = NodeHash(p, r);
      while ((fn & 1) == 0 && fn != 0) {
        fn >>= 1;
        sn >>= 1;
      }
    } else {
      r = NodeHash(r, p);
    }
    fn >>= 1;
    sn >>= 1;
  }
  return sn == 0 && r == root;
}

// RFC 9162 section 2.1.4.2; fr and sr are its names. That section leaves out an empty old tree,
// which begins every tree, and equal sizes.
bool VerifyConsistency(std::uint64_t old_size, std::uint64_t new_size, const Hash& old_root,
                       const Hash& new_root, std::span<const Hash> proof) {
  if (old_size > new_size) return false;
  if (old_size == new_size) return proof.empty() && old_root == new_root;
  if (old_size == 0) return proof.empty() && old_root == EmptyRoot();
  if (proof.empty()) return false;
  std::uint64_t fn = old_size - 1;
  std::uint64_t sn = new_size - 1;
  while ((fn & 1) == 1) {
    fn >>= 1;
    sn >>= 1;
  }
  const bool old_is_perfect = std::has_single_bit(old_size);
  Hash fr = old_is_perfect ? old_root : proof.front();
  Hash sr = fr;
  for (const Hash& c : old_is_perfect ? proof : proof.subspan(1)) {
    if (sn == 0) return false;
    if ((fn & 1) == 1 || fn == sn) {
      fr = NodeHash(c, fr);
      sr = NodeHash(c, sr);
      while ((fn & 1) == 0 && fn != 0) {
        fn >>= 1;
        sn >>= 1;
      }
    } else {
      sr = NodeHash(sr, c);
    }
    fn >>= 1;
    sn >>= 1;
  }
  return fr == old_root && sr == new_root && sn == 0;
}

}  // namespace perdure
