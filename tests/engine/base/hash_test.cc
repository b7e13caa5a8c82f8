#include "engine/base/hash.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "engine/base/random.h"
#include "support/seeded_random.h"

namespace perdure {
namespace {

std::string Hex(const Hash& hash) { return HexEncode(AsBytes(hash)); }

TEST(Hash, Sha256MatchesTheVectorsOfFips180) {
  EXPECT_EQ(Hex(Sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex(Sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hex(Sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, PiecesHashAsTheWholeDoes) {
  std::mt19937_64 generator(3);
  for (int round = 0; round < 300; ++round) {
    std::string whole(generator() % 500, '\0');
    for (char& c : whole) c = static_cast<char>(generator());
    Sha256Stream stream;
    for (int use = 0; use < 2; ++use) {
      std::string_view rest = whole;
      while (!rest.empty()) {
        const std::size_t size = std::min<std::size_t>(rest.size(), generator() % 100);
        stream.Update(rest.substr(0, size));
        rest.remove_prefix(size);
      }
      ASSERT_EQ(stream.Finish(), Sha256(whole));
    }
    const std::string_view view = whole;
    const std::size_t cut = whole.empty() ? 0 : generator() % whole.size();
    ASSERT_EQ(Sha256Concat({view.substr(0, cut), "", view.substr(cut)}), Sha256(whole));
  }
}

TEST(Hash, ThreadsDoNotDisturbEachOther) {
  const auto hash_many = [](char letter, bool* good) {
    const Hash expected = Sha256(std::string(100, letter));
    for (int i = 0; i < 2'000; ++i) {
      *good = *good && Sha256(std::string(100, letter)) == expected;
    }
  };
  bool good_a = true;
  bool good_b = true;
  {
    const std::jthread a(hash_many, 'a', &good_a);
    const std::jthread b(hash_many, 'b', &good_b);
  }
  EXPECT_TRUE(good_a);
  EXPECT_TRUE(good_b);
  EXPECT_NE(Sha256(std::string(100, 'a')), Sha256(std::string(100, 'b')));
}

TEST(Hash, HmacMatchesTheVectorsOfRfc4231) {
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(Hex(HmacSha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hash, SecretsCompareByContent) {
  EXPECT_TRUE(ConstantTimeEqual("", ""));
  EXPECT_TRUE(ConstantTimeEqual("secret", std::string("secret")));
  EXPECT_FALSE(ConstantTimeEqual("secret", "secreT"));
  EXPECT_FALSE(ConstantTimeEqual("Secret", "secret"));
  EXPECT_FALSE(ConstantTimeEqual("secret", "secret!"));
  EXPECT_FALSE(ConstantTimeEqual("", "s"));
}

TEST(Random, TheSystemsBytesDifferAndSeededOnesRepeat) {
  std::array<std::uint8_t, 1000> first{};
  std::array<std::uint8_t, 1000> second{};
  SystemRandom system;
  system.Fill(first);
  system.Fill(second);
  EXPECT_NE(first, second);
  EXPECT_NE(std::count(first.begin() + 900, first.end(), 0), 100);  // filled to the end
  testing::SeededRandom(4).Fill(first);
  testing::SeededRandom(4).Fill(second);
  EXPECT_EQ(first, second);
  testing::SeededRandom(5).Fill(second);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace perdure
