#include "engine/proof/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "engine/base/hash.h"
#include "support/seeded_random.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Keys : public ::testing::Test {
 protected:
  Keys() {
    std::string pattern = (fs::temp_directory_path() / "perdure_keys_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~Keys() override { fs::remove_all(root_); }

  fs::path Dir() const { return root_ / "keys"; }
  fs::path File(const char* name) const { return Dir() / name; }
  static std::string Content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void Write(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  fs::path root_;
  testing::SeededRandom random_;
};

TEST_F(Keys, WhatIsCreatedLoadsAndOnlyTheOwnerMayReadIt) {
  EXPECT_THAT(LoadSpaceKeys(Dir(), "main"), FailsWith(Code::kNotFound, HasSubstr("main.secret")));
  const auto created = CreateSpaceKeys(Dir(), "main", random_);
  ASSERT_THAT(created, IsOk());
  const auto loaded = LoadSpaceKeys(Dir(), "main");
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(loaded->secret, created->secret);
  EXPECT_EQ(loaded->signing.seed, created->signing.seed);
  EXPECT_EQ(loaded->signing.public_key, created->signing.public_key);
  EXPECT_NE(created->secret, created->signing.seed);

  EXPECT_EQ(fs::status(Dir()).permissions(), fs::perms::owner_all);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(Dir())) {
    names.insert(entry.path().filename().string());
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(entry.file_size(), 32u);
  }
  EXPECT_EQ(names, (std::set<std::string>{"main.ed25519", "main.secret"}));
}

TEST_F(Keys, SpacesHaveKeysOfTheirOwn) {
  const auto a = CreateSpaceKeys(Dir(), "a", random_);
  const auto b = CreateSpaceKeys(Dir(), "b", random_);
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_NE(a->secret, b->secret);
  EXPECT_NE(a->signing.public_key, b->signing.public_key);
}

TEST_F(Keys, AnExportedSecretIsKeptAsItCame) {
  Secret secret{};
  secret.fill(9);
  ASSERT_THAT(CreateSpaceKeys(Dir(), "main", random_, secret), IsOk());
  EXPECT_EQ(LoadSpaceKeys(Dir(), "main")->secret, secret);
}

TEST_F(Keys, CreatingNeverOverwrites) {
  const auto created = CreateSpaceKeys(Dir(), "main", random_);
  ASSERT_THAT(created, IsOk());
  EXPECT_THAT(CreateSpaceKeys(Dir(), "main", random_),
              FailsWith(Code::kConflict, HasSubstr("main")));
  EXPECT_EQ(LoadSpaceKeys(Dir(), "main")->secret, created->secret);

  // Left behind by a crash between the two files, the second one half written.
  fs::remove(File("main.secret"));
  Write(File("main.secret.tmp"), "half");
  const auto repeated = CreateSpaceKeys(Dir(), "main", random_);
  ASSERT_THAT(repeated, IsOk());
  EXPECT_EQ(repeated->signing.seed, created->signing.seed);
  EXPECT_THAT(LoadSpaceKeys(Dir(), "main"), IsOk());
  EXPECT_FALSE(fs::exists(File("main.secret.tmp")));
  EXPECT_EQ(fs::status(File("main.secret")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Keys, FilesThatOthersMayTouchAreRefused) {
  ASSERT_THAT(CreateSpaceKeys(Dir(), "main", random_), IsOk());
  for (const char* name : {"main.secret", "main.ed25519"}) {
    for (const fs::perms open_to : {fs::perms::group_read, fs::perms::group_write,
                                    fs::perms::others_read, fs::perms::others_exec}) {
      fs::permissions(File(name), open_to, fs::perm_options::add);
      EXPECT_THAT(LoadSpaceKeys(Dir(), "main"),
                  FailsWith(Code::kForbidden, HasSubstr("chmod 600")));
      fs::permissions(File(name), open_to, fs::perm_options::remove);
      EXPECT_THAT(LoadSpaceKeys(Dir(), "main"), IsOk());
    }
  }
}

TEST_F(Keys, FilesOfAWrongLengthAreRefused) {
  ASSERT_THAT(CreateSpaceKeys(Dir(), "main", random_), IsOk());
  for (const char* name : {"main.secret", "main.ed25519"}) {
    const std::string good = Content(File(name));
    for (const std::string& bad : {std::string(), good.substr(1), good + "x"}) {
      Write(File(name), bad);
      EXPECT_THAT(LoadSpaceKeys(Dir(), "main"), FailsWith(Code::kCorrupt, HasSubstr("32 bytes")));
    }
    Write(File(name), good);
    EXPECT_THAT(LoadSpaceKeys(Dir(), "main"), IsOk());
  }
  fs::remove(File("main.secret"));
  fs::create_directory(File("main.secret"));
  fs::permissions(File("main.secret"), fs::perms::owner_all);
  EXPECT_THAT(LoadSpaceKeys(Dir(), "main"), FailsWith(Code::kCorrupt, HasSubstr("32 bytes")));
}

TEST_F(Keys, NamesThatWouldLeaveTheDirectoryAreRefused) {
  for (const std::string& name :
       {std::string(), std::string(".."), std::string("a/b"), std::string("../main"),
        std::string(".hidden"), std::string("a\0b", 3), std::string("a b"),
        std::string(129, 'a')}) {
    EXPECT_THAT(CreateSpaceKeys(Dir(), name, random_),
                FailsWith(Code::kInvalidArgument, HasSubstr("name of a space")));
    EXPECT_THAT(LoadSpaceKeys(Dir(), name),
                FailsWith(Code::kInvalidArgument, HasSubstr("name of a space")));
  }
  EXPECT_THAT(CreateSpaceKeys(Dir(), std::string(128, 'a'), random_), IsOk());
}

TEST_F(Keys, APlaceThatCannotBeWrittenIsNamed) {
  Write(root_ / "file", "");
  EXPECT_THAT(CreateSpaceKeys(root_ / "file" / "keys", "main", random_),
              FailsWith(Code::kUnavailable, HasSubstr("file/keys")));
}

TEST(ValueKeys, DependOnSecretKindAndValue) {
  const Secret secret{1};
  const ValueKey key = MakeValueKey(secret, "tag", "milk");
  EXPECT_EQ(key, MakeValueKey(secret, "tag", "milk"));
  EXPECT_NE(key, MakeValueKey(Secret{2}, "tag", "milk"));
  EXPECT_NE(key, MakeValueKey(secret, "scope", "milk"));
  EXPECT_NE(key, MakeValueKey(secret, "tag", "milks"));
  EXPECT_NE(MakeValueKey(secret, "tag", "milk"), MakeValueKey(secret, "tagm", "ilk"));
  const std::string whole(
      AsBytes(HmacSha256({reinterpret_cast<const char*>(secret.data()), 32}, "\x03tagmilk")));
  EXPECT_EQ(AsBytes(key), whole.substr(0, 16));
}

}  // namespace
}  // namespace perdure
