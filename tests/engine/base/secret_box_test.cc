#include "engine/base/secret_box.h"

#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::FailsWith;
using testing::IsOk;

TEST(SecretBox, OpensWithItsPassphraseAndContextAlone) {
  const Secret secret = {1, 2, 3};
  const auto box = WrapSecret(secret, "correct horse", "main");
  ASSERT_THAT(box, IsOk());
  EXPECT_EQ(*WrapSecret(secret, "correct horse", "main"), *box);
  EXPECT_NE(*WrapSecret(secret, "correct horse", "team"), *box);
  EXPECT_EQ(box->find(std::string("\1\2\3", 3)), box->npos);
  EXPECT_EQ(*UnwrapSecret(*box, "correct horse", "main"), secret);
  EXPECT_THAT(UnwrapSecret(*box, "correct house", "main"),
              FailsWith(Code::kForbidden, ::testing::_));
  EXPECT_THAT(UnwrapSecret(*box, "correct horse", "team"),
              FailsWith(Code::kForbidden, ::testing::_));
  EXPECT_THAT(WrapSecret(secret, "", "main"), FailsWith(Code::kInvalidArgument, ::testing::_));
}

TEST(SecretBox, ChangedAnywhereItIsRefused) {
  const auto box = WrapSecret({7}, "p", "main");
  ASSERT_THAT(box, IsOk());
  for (std::size_t at = 0; at < box->size(); at += 11) {  // in every part
    std::string changed = *box;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(UnwrapSecret(changed, "p", "main")) << at;
  }
  EXPECT_THAT(UnwrapSecret(box->substr(1), "p", "main"), FailsWith(Code::kCorrupt, ::testing::_));
}

}  // namespace
}  // namespace perdure
