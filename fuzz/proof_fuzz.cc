// Bytes as tree heads, signed notes and proofs: nothing but what was signed opens, no proof but
// the right one verifies.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/proof/ed25519.h"
#include "engine/proof/merkle.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

constexpr std::uint64_t kLeaves = 100;

struct NoTiles final : TileReader {
  Result<std::string> ReadTile(std::uint32_t, std::uint64_t) const override {
    return Fail(Code::kNotFound, "A tree of 100 leaves has no full tile.");
  }
};

const TreeState& Tree() {
  static const TreeState tree = [] {
    TreeState made;
    for (std::uint64_t i = 0; i < kLeaves; ++i) {
      static_cast<void>(made.Append(LeafHash(std::to_string(i))));
    }
    return made;
  }();
  return tree;
}

std::vector<Hash> Hashes(FuzzedDataProvider& data) {
  std::vector<Hash> hashes(data.ConsumeIntegralInRange<std::size_t>(0, 12));
  for (Hash& hash : hashes) data.ConsumeData(hash.data(), hash.size());
  return hashes;
}

void TryNotes(const std::string& note) {
  static const SigningKey key = SigningKeyFromSeed({});
  const std::string origin = "perdure/main";
  if (const auto head = ParseTreeHead(note)) PERDURE_CHECK(FormatTreeHead(*head) == note);
  if (const auto opened = OpenTreeHead(note, origin, key.public_key)) {
    PERDURE_CHECK(note.starts_with(FormatTreeHead(*opened)));
  }
}

// A proof that verifies is the proof, whatever the fuzzer made it of.
void TryProofs(FuzzedDataProvider& data) {
  const NoTiles tiles;
  const TreeView view{Tree(), tiles};
  const auto index = data.ConsumeIntegral<std::uint64_t>();
  const auto size = data.ConsumeIntegral<std::uint64_t>();
  std::vector<Hash> proof = Hashes(data);
  const Hash root = Tree().Root();
  if (VerifyInclusion(index, size, LeafHash("7"), proof, root)) {
    const auto real = InclusionProof(7, kLeaves, view);
    PERDURE_CHECK(real && *real == proof && index == 7);
  }
  if (VerifyConsistency(index, size, EmptyRoot(), root, proof)) {
    PERDURE_CHECK(index == 0);
  }
  static_cast<void>(InclusionProof(index, size, view));
  static_cast<void>(ConsistencyProof(index, size, view));
  static_cast<void>(RootAt(size, view));
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  perdure::TryNotes(std::string(reinterpret_cast<const char*>(data), size));
  FuzzedDataProvider provider(data, size);
  perdure::TryProofs(provider);
  return 0;
}
