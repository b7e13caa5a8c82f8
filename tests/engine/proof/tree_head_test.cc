#include "engine/proof/tree_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/proof/merkle.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::HasSubstr;

std::array<std::uint8_t, 32> Seed(std::string_view bytes) {
  std::array<std::uint8_t, 32> seed{};
  std::copy_n(bytes.begin(), seed.size(), reinterpret_cast<char*>(seed.data()));
  return seed;
}

std::string_view View(const Signature& signature) {
  return {reinterpret_cast<const char*>(signature.data()), signature.size()};
}

TreeHead Example() { return {"perdure/main", 1234, LeafHash("x"), {}}; }

TEST(Ed25519, MatchesTheVectorsOfRfc8032) {
  const SigningKey key = SigningKeyFromSeed(
      Seed(*HexDecode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")));
  EXPECT_EQ(HexEncode({reinterpret_cast<const char*>(key.public_key.data()), 32}),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  const Signature signature = Sign(key, "");
  EXPECT_EQ(HexEncode(View(signature)),
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
  EXPECT_TRUE(VerifySignature(key.public_key, "", View(signature)));
  EXPECT_FALSE(VerifySignature(key.public_key, "x", View(signature)));
  EXPECT_FALSE(VerifySignature(key.public_key, "", View(signature).substr(1)));
}

// The example of Go's golang.org/x/mod/sumdb/note, with its published private key.
TEST(TreeHead, KeysAndSignaturesAreThoseOfSignedNote) {
  const auto private_key = Base64Decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz");
  ASSERT_TRUE(private_key);
  const SigningKey key = SigningKeyFromSeed(Seed(private_key->substr(1)));
  EXPECT_EQ(FormatVerifierKey("PeterNeumann", key.public_key),
            "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
  const auto parsed = ParseVerifierKey(FormatVerifierKey("PeterNeumann", key.public_key));
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->name, "PeterNeumann");
  EXPECT_EQ(parsed->key, key.public_key);
  for (const char* bad : {"", "+", "PeterNeumann", "PeterNeumann+c74f20a3",
                          "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10T",
                          "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
                          "PeterNeuman+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
                          "PeterNeumann+c74f20a3+AhpcQcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWA"}) {
    EXPECT_FALSE(ParseVerifierKey(bad)) << bad;
  }
  const std::string text =
      "If you think cryptography is the answer to your problem,\n"
      "then you don't know what your problem is.\n";
  EXPECT_EQ(
      Base64Encode(std::string("\xc7\x4f\x20\xa3").append(View(Sign(key, text)))),
      "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJ"
      "nAM=");
}

TEST(TreeHead, HasTheFormOfACheckpoint) {
  EXPECT_EQ(FormatTreeHead({"perdure/main", 0, EmptyRoot(), {}}),
            "perdure/main\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n");
  const SigningKey key = SigningKeyFromSeed({1});
  const std::string note = SignTreeHead(Example(), key);
  EXPECT_TRUE(note.starts_with(FormatTreeHead(Example()) + "\n\u2014 perdure/main ")) << note;
  EXPECT_EQ(note, SignTreeHead(Example(), key));
}

TEST(TreeHead, ComesBackFromItsNote) {
  std::mt19937_64 generator(6);
  const SigningKey key = SigningKeyFromSeed({2});
  for (int i = 0; i < 50; ++i) {
    TreeHead head{"perdure/" + std::to_string(i), generator() >> (i % 64), {}, {}};
    for (std::uint8_t& byte : head.root) byte = static_cast<std::uint8_t>(generator());
    for (int line = 0; line < i % 3; ++line) head.extensions.push_back("time " + std::to_string(i));
    const auto opened = OpenTreeHead(SignTreeHead(head, key), head.origin, key.public_key);
    ASSERT_THAT(opened, IsOk());
    EXPECT_EQ(*opened, head);
    const auto parsed = ParseTreeHead(FormatTreeHead(head));
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, head);
  }
}

TEST(TreeHead, AnyChangedByteOfTheNoteIsFound) {
  const SigningKey key = SigningKeyFromSeed({3});
  const std::string note = SignTreeHead(Example(), key);
  ASSERT_THAT(OpenTreeHead(note, "perdure/main", key.public_key), IsOk());
  for (std::size_t at = 0; at < note.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string forged = note;
      forged[at] = static_cast<char>(forged[at] ^ 1 << bit);
      EXPECT_FALSE(OpenTreeHead(forged, "perdure/main", key.public_key)) << forged;
    }
    EXPECT_FALSE(OpenTreeHead(note.substr(0, at), "perdure/main", key.public_key));
  }
}

TEST(TreeHead, OnlyTheKeyAndTheNameOfTheLogCount) {
  const SigningKey key = SigningKeyFromSeed({4});
  const SigningKey other_key = SigningKeyFromSeed({5});
  const std::string note = SignTreeHead(Example(), key);
  EXPECT_THAT(OpenTreeHead(note, "perdure/main", other_key.public_key),
              FailsWith(Code::kCorrupt, HasSubstr("not signed by the key")));
  EXPECT_THAT(OpenTreeHead(note, "perdure/other", key.public_key),
              FailsWith(Code::kCorrupt, HasSubstr("not signed by the key")));
  EXPECT_THAT(OpenTreeHead(FormatTreeHead(Example()), "perdure/main", key.public_key),
              FailsWith(Code::kCorrupt, HasSubstr("not signed")));

  // A witness's line beside ours does not matter; one that is malformed does.
  const std::string body = FormatTreeHead(Example());
  const std::string ours = note.substr(body.size() + 1);
  const std::string theirs = SignTreeHead(Example(), other_key).substr(body.size() + 1);
  EXPECT_THAT(OpenTreeHead(body + "\n" + theirs + ours, "perdure/main", key.public_key), IsOk());
  EXPECT_THAT(OpenTreeHead(note + "\u2014 witness\n", "perdure/main", key.public_key),
              FailsWith(Code::kCorrupt, HasSubstr("signature line")));
  EXPECT_THAT(OpenTreeHead(note + ours.substr(0, ours.size() - 1), "perdure/main", key.public_key),
              FailsWith(Code::kCorrupt, HasSubstr("signature line")));
}

TEST(TreeHead, MalformedBodiesNameTheLine) {
  const std::string root = Base64Encode(AsBytes(EmptyRoot()));
  EXPECT_THAT(ParseTreeHead("perdure/main\n12\n" + root + "\n"), IsOk());
  for (const char* body : {"", "\n", "perdure/main"}) {
    EXPECT_THAT(ParseTreeHead(body), FailsWith(Code::kCorrupt, HasSubstr("first line")));
  }
  for (const char* size : {"", "-1", "+1", "01", "1 ", "x", "0x1", "18446744073709551616"}) {
    EXPECT_THAT(ParseTreeHead("perdure/main\n" + std::string(size) + "\n" + root + "\n"),
                FailsWith(Code::kCorrupt, HasSubstr("second line")))
        << size;
  }
  EXPECT_THAT(ParseTreeHead("perdure/main\n18446744073709551615\n" + root + "\n"), IsOk());
  for (const std::string& bad : {std::string(), root.substr(4), root + "AAAA", root.substr(1)}) {
    EXPECT_THAT(ParseTreeHead("perdure/main\n1\n" + bad + "\n"),
                FailsWith(Code::kCorrupt, HasSubstr("third line")));
  }
  EXPECT_THAT(ParseTreeHead("perdure/main\n1\n" + root + "\nmore"),
              FailsWith(Code::kCorrupt, HasSubstr("cut off")));
  EXPECT_THAT(ParseTreeHead("perdure/main\n1\n" + root + "\n\n"),
              FailsWith(Code::kCorrupt, HasSubstr("empty")));
}

}  // namespace
}  // namespace perdure
