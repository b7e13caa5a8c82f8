#include "index/embed/open_embedder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/bytes.h"
#include "index/embed/model_dir.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;

class OpenEmbedderTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(dir_ / name, std::ios::binary) << bytes;
  }

  void ExpectWorkingStandIn(const BuiltInEmbedder& built_in) {
    ASSERT_NE(built_in.embedder, nullptr);
    EXPECT_TRUE(built_in.embedder->info().stand_in);
    const std::string_view text = "some text";
    EXPECT_THAT(built_in.embedder->Embed(std::span(&text, 1)), IsOk());
  }

  const fs::path dir_ = fs::path(::testing::TempDir()) / "open_embedder_test";
};

TEST_F(OpenEmbedderTest, OpensTheModelWhenItIsThere) {
  SKIP_WITHOUT_MODEL();
  const BuiltInEmbedder built_in = OpenBuiltInEmbedder(testing::ModelDir());
  EXPECT_THAT(built_in.stand_in_reason, IsEmpty());
  const EmbedderInfo& info = built_in.embedder->info();
  EXPECT_FALSE(info.stand_in);
  EXPECT_EQ(info.name, "all-MiniLM-L6-v2");
  EXPECT_EQ(info.dimensions, 384U);
  EXPECT_EQ(HexEncode(AsBytes(info.weights_hash)),
            "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d");
}

TEST_F(OpenEmbedderTest, StandsInWithTheReasonWhenAFileIsMissing) {
  const BuiltInEmbedder built_in = OpenBuiltInEmbedder(dir_.string());
  EXPECT_THAT(built_in.stand_in_reason,
              AllOf(HasSubstr("tokenizer.json"), HasSubstr("No such file")));
  ExpectWorkingStandIn(built_in);
}

TEST_F(OpenEmbedderTest, StandsInWithTheReasonWhenAFileWasChanged) {
  Write("tokenizer.json", "{}");
  Write("model.fp16.safetensors", "");
  const BuiltInEmbedder built_in = OpenBuiltInEmbedder(dir_.string());
  EXPECT_THAT(built_in.stand_in_reason, AllOf(HasSubstr("tokenizer.json"),
                                              HasSubstr("SHA-256 is 44136fa355b3678a1146ad16f7")));
  ExpectWorkingStandIn(built_in);
}

TEST_F(OpenEmbedderTest, StandsInWhenOnlyTheWeightsWereChanged) {
  SKIP_WITHOUT_MODEL();
  fs::copy_file(testing::ModelDir() + "/tokenizer.json", dir_ / "tokenizer.json");
  Write("model.fp16.safetensors", "not weights");
  const BuiltInEmbedder built_in = OpenBuiltInEmbedder(dir_.string());
  EXPECT_THAT(built_in.stand_in_reason,
              AllOf(HasSubstr("model.fp16.safetensors"), HasSubstr("SHA-256")));
  ExpectWorkingStandIn(built_in);
}

}  // namespace
}  // namespace perdure
