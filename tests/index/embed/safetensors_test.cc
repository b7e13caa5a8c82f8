#include "index/embed/safetensors.h"

#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "index/embed/safetensors_builder.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::SafetensorsFile;
using testing::SafetensorsOf;

using Shape = std::vector<std::uint64_t>;

const std::vector<testing::TensorSpec>& Specs() {
  static const std::vector<testing::TensorSpec> specs = {
      {"alpha", {2, 3}}, {"beta", {4}}, {"gamma", {}}, {"none", {0, 7}}};
  return specs;
}

TEST(SafetensorsTest, AnswersEachTensorsOwnBytes) {
  const std::string header = R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"F16","shape":[1,1],"data_offsets":[4,6]}}  )";
  const std::string file = SafetensorsFile(header, "\x01\x02\x03\x04\x05\x06");
  const auto tensors = Safetensors::Parse(file);
  ASSERT_THAT(tensors, IsOk());
  EXPECT_EQ(tensors->size(), 2U);
  EXPECT_EQ(tensors->FiniteHalves("a", Shape{2}).value(), "\x01\x02\x03\x04");
  EXPECT_EQ(tensors->FiniteHalves("b", Shape{1, 1}).value(), "\x05\x06");
}

TEST(SafetensorsTest, SaysWhyATensorIsNotTheOneAskedFor) {
  const std::string header = R"({"a":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]},)"
                             R"("inf":{"dtype":"F16","shape":[1],"data_offsets":[6,8]},)"
                             R"("nan":{"dtype":"F16","shape":[1],"data_offsets":[8,10]}})";
  const std::string file =
      SafetensorsFile(header, std::string("\0\0\xff\x7b\0\0\0\x7c\x01\xfc", 10));
  const auto tensors = Safetensors::Parse(file);
  ASSERT_THAT(tensors, IsOk());
  EXPECT_THAT(tensors->FiniteHalves("a", Shape{2, 1}), IsOk());  // 0x7bff, the largest half
  EXPECT_THAT(tensors->FiniteHalves("c", Shape{2, 1}),
              FailsWith(Code::kCorrupt, HasSubstr("\"c\" is missing")));
  EXPECT_THAT(tensors->FiniteHalves("a", Shape{1, 2}),
              FailsWith(Code::kCorrupt, HasSubstr("\"a\" has shape [2, 1], not [1, 2]")));
  EXPECT_THAT(tensors->FiniteHalves("a", Shape{2}),
              FailsWith(Code::kCorrupt, HasSubstr("\"a\" has shape [2, 1], not [2]")));
  EXPECT_THAT(tensors->FiniteHalves("b", Shape{1}),
              FailsWith(Code::kCorrupt, HasSubstr("\"b\" is BF16, not F16")));
  EXPECT_THAT(tensors->FiniteHalves("inf", Shape{1}),
              FailsWith(Code::kCorrupt, HasSubstr("\"inf\" holds an infinity or NaN")));
  EXPECT_THAT(tensors->FiniteHalves("nan", Shape{1}),
              FailsWith(Code::kCorrupt, HasSubstr("\"nan\" holds an infinity or NaN")));
}

struct Malformed {
  const char* name;
  std::string header;
  std::string data;
  std::string message;
};

std::vector<Malformed> MalformedFiles() {
  const auto one = [](const std::string& entry) { return "{\"t\":" + entry + "}"; };
  const auto with_offsets = [&](const std::string& offsets) {
    return one(R"({"dtype":"F16","shape":[2],"data_offsets":)" + offsets + "}");
  };
  const auto with_shape = [&](const std::string& shape) {
    return one(R"({"dtype":"F16","data_offsets":[0,4],"shape":)" + shape + "}");
  };
  const std::string two = R"({"t":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"u":)"
                          R"({"dtype":"F16","shape":[1],"data_offsets":)";
  return {
      {"NotJson", R"({"t":)", "", "the header is not JSON"},
      {"NotUtf8", "{\"\xff\":1}", "", "the header is not JSON"},
      {"NotAnObject", "[]", "", "does not begin with '{'"},
      {"LeadingSpace", " {}", "", "does not begin with '{'"},
      {"Empty", "", "", "does not begin with '{'"},
      {"EntryNotAnObject", one("7"), "", "\"t\" is not an object"},
      {"DescribedTwice", R"({"t":{},"t":{}})", "", "\"t\" is described twice"},
      {"MetadataNotAnObject", R"({"__metadata__":[]})", "", "__metadata__ is not"},
      {"MetadataNotStrings", R"({"__metadata__":{"a":1}})", "", "__metadata__ is not"},
      {"NoDtype", one(R"({"shape":[],"data_offsets":[0,2]})"), "", "\"t\" has no dtype"},
      {"UnknownDtype", one(R"({"dtype":"F17"})"), "", "\"t\" has an unknown dtype"},
      {"NoShape", one(R"({"dtype":"F16"})"), "", "\"t\" has no shape"},
      {"NegativeShape", with_shape("[-2]"), "1234", "\"t\" has no shape"},
      {"FractionalShape", with_shape("[2.0]"), "1234", "\"t\" has no shape"},
      {"OverflowingShape", with_shape("[4294967296,4294967296]"), "1234", "that overflows"},
      {"OverflowingBytes", with_shape("[9223372036854775810]"), "1234", "that overflows"},
      {"NoOffsets", one(R"({"dtype":"F16","shape":[2]})"), "1234", "no pair of offsets"},
      {"OneOffset", with_offsets("[4]"), "1234", "no pair of offsets"},
      {"ThreeOffsets", with_offsets("[0,4,4]"), "1234", "no pair of offsets"},
      {"NegativeOffset", with_offsets("[-4,0]"), "1234", "no pair of offsets"},
      {"EndBeforeBegin", with_offsets("[4,0]"), "1234", "ends before it begins"},
      {"EndPastFile", with_offsets("[0,5]"), "1234", "ends past the end of the file"},
      {"EndFarPastFile", with_offsets("[18446744073709551611,18446744073709551615]"), "1234",
       "ends past the end of the file"},
      {"TooFewBytes", with_offsets("[0,3]"), "1234", "offsets that its shape denies"},
      {"Overlap", two + "[1,3]}}", "1234", "\"u\" overlaps another"},
      {"Hole", two + "[3,5]}}", "12345", "\"u\" leaves a hole"},
      {"HoleAtTheFront", with_offsets("[1,5]"), "12345", "\"t\" leaves a hole"},
      {"BytesAfterTheLast", with_offsets("[0,4]"), "12345", "bytes follow the last tensor"},
  };
}

class MalformedSafetensorsTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedSafetensorsTest, IsRefusedWithAMessageOfItsOwn) {
  const std::string right = R"({"t":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})";
  EXPECT_THAT(Safetensors::Parse(SafetensorsFile(right, "1234")), IsOk());
  const std::string file = SafetensorsFile(GetParam().header, GetParam().data);
  EXPECT_THAT(Safetensors::Parse(file), FailsWith(Code::kCorrupt, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(Every, MalformedSafetensorsTest, ::testing::ValuesIn(MalformedFiles()),
                         [](const auto& file) { return std::string(file.param.name); });

TEST(SafetensorsTest, RefusesAHeaderSizeThatTheFileDenies) {
  const std::string file = SafetensorsOf(Specs());
  EXPECT_THAT(Safetensors::Parse(file), IsOk());
  EXPECT_THAT(Safetensors::Parse(""), FailsWith(Code::kCorrupt, HasSubstr("header's size")));
  EXPECT_THAT(Safetensors::Parse(file.substr(0, 7)),
              FailsWith(Code::kCorrupt, HasSubstr("header's size")));
  EXPECT_THAT(Safetensors::Parse(file.substr(0, 40)),
              FailsWith(Code::kCorrupt, HasSubstr("ends within the header")));
  std::string huge = file;
  huge[7] = '\x7f';
  EXPECT_THAT(Safetensors::Parse(huge), FailsWith(Code::kCorrupt, HasSubstr("a header of")));
}

TEST(SafetensorsTest, TakesAHeaderOfAMebibyteAndNoByteMore) {
  constexpr std::size_t kHeaderBytesMax = 1024 * 1024;
  const auto with_header_of = [](std::size_t bytes) {
    std::string header = "{}";
    header.resize(bytes, ' ');
    return SafetensorsFile(header, "");
  };
  EXPECT_THAT(Safetensors::Parse(with_header_of(kHeaderBytesMax - 1)), IsOk());
  EXPECT_THAT(Safetensors::Parse(with_header_of(kHeaderBytesMax)), IsOk());
  EXPECT_THAT(Safetensors::Parse(with_header_of(kHeaderBytesMax + 1)),
              FailsWith(Code::kCorrupt, HasSubstr("over 1048576")));
}

TEST(SafetensorsTest, SurvivesADeeplyNestedHeader) {
  const std::string deep = "{\"t\":" + std::string(500'000, '[') + std::string(500'000, ']') + "}";
  EXPECT_THAT(Safetensors::Parse(SafetensorsFile(deep, "")),
              FailsWith(Code::kCorrupt, HasSubstr("is not an object")));
}

// Reads all that `file` offers, from a heap block of exactly its size; true if it was accepted.
bool ReadEverything(const std::string& file) {
  const auto exact = std::make_unique<char[]>(file.size());
  file.copy(exact.get(), file.size());
  const std::string_view view(exact.get(), file.size());
  const auto tensors = Safetensors::Parse(view);
  if (!tensors) return false;
  for (const testing::TensorSpec& spec : Specs()) {
    const auto bytes = tensors->FiniteHalves(spec.name, spec.shape);
    if (!bytes) continue;
    EXPECT_GE(bytes->data(), view.data());
    EXPECT_LE(bytes->data() + bytes->size(), view.data() + view.size());
  }
  return true;
}

class SafetensorsMutationTest : public ::testing::Test {
 protected:
  std::size_t Below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

  void ChangeSomeByte(std::string& file) {
    const std::size_t at = Below(file.size());
    switch (Below(4)) {
      case 0:
        file[at] = static_cast<char>(Below(256));
        break;
      case 1:
        file.erase(at, 1 + Below(3));
        break;
      case 2:
        file.insert(at, 1, static_cast<char>(Below(256)));
        break;
      default:
        file.resize(at + 1);
    }
  }

  // Puts a value that a careless reader trips over where a number stood.
  void ChangeSomeNumber(std::string& header) {
    static constexpr std::array<const char*, 12> kValues = {"0",
                                                            "1",
                                                            "2",
                                                            "-1",
                                                            "18446744073709551615",
                                                            "9223372036854775808",
                                                            "4294967296",
                                                            "1.5",
                                                            "\"F16\"",
                                                            "[]",
                                                            "{}",
                                                            "null"};
    const std::size_t digit = header.find_first_of("0123456789", Below(header.size()));
    if (digit == std::string::npos) return;
    const std::size_t end = header.find_first_not_of("0123456789", digit);
    header.replace(digit, end - digit, kValues.at(Below(kValues.size())));
  }

  std::mt19937_64 random_{20'260'101};
};

TEST_F(SafetensorsMutationTest, NoChangeOfBytesLeadsOutsideTheFile) {
  const std::string whole = SafetensorsOf(Specs());
  ASSERT_TRUE(ReadEverything(whole));
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string file = whole;
    for (std::size_t changes = 1 + Below(4); changes > 0 && !file.empty(); --changes) {
      ChangeSomeByte(file);
    }
    if (!ReadEverything(file)) ++refused;
  }
  EXPECT_GT(refused, 15'000);  // the changes are not idle
}

TEST_F(SafetensorsMutationTest, NoChangeOfNumbersLeadsOutsideTheFile) {
  const std::string whole = SafetensorsOf(Specs());
  const std::size_t header_bytes = whole.rfind('}') + 1 - 8;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string header = whole.substr(8, header_bytes);
    for (std::size_t changes = 1 + Below(3); changes > 0; --changes) ChangeSomeNumber(header);
    if (!ReadEverything(SafetensorsFile(header, whole.substr(8 + header_bytes)))) ++refused;
  }
  EXPECT_GT(refused, 15'000);
}

TEST(SafetensorsTest, RefusesEveryTruncation) {
  const std::string whole = SafetensorsOf(Specs());
  ASSERT_TRUE(ReadEverything(whole));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(ReadEverything(whole.substr(0, bytes))) << bytes;
  }
}

}  // namespace
}  // namespace perdure
