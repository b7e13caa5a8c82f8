#include "server/http/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Head(const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; }

TEST(ParseFieldsTest, NamesAndTrimmedValuesInAnyCase) {
  const HttpFields fields =
      ParseFields(Head("Host: a:1\r\nX-Empty:\r\nAccept: \t a, b \t\r\n")).value();
  EXPECT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields.find("HOST")->second, "a:1");
  EXPECT_EQ(fields.find("x-empty")->second, "");
  EXPECT_EQ(fields.find("accept")->second, "a, b");
  EXPECT_TRUE(ParseFields(Head("")).value().empty());
}

TEST(ParseFieldsTest, WhatIsNotAFieldIsRefused) {
  for (const std::string fields : {"Host\r\n", ": a\r\n", "Host : a\r\n", "A: b\r\n folded\r\n",
                                   "A b: c\r\n", "A: b\x01\r\n", "A: b\nB: c\r\n"}) {
    EXPECT_THAT(ParseFields(Head(fields)), FailsWith(Code::kInvalidArgument, HasSubstr("")))
        << fields;
  }
  EXPECT_THAT(ParseFields("GET / HTTP/1.1\r\nA: b\r\n"),
              FailsWith(Code::kInvalidArgument, HasSubstr("empty line")));
}

TEST(ReadBodyLengthTest, OneLengthOrChunksOrNothing) {
  const auto read = [](const std::string& fields) {
    return ReadBodyLength(ParseFields(Head(fields)).value());
  };
  EXPECT_EQ(read("").value().bytes, 0U);
  EXPECT_EQ(read("Content-Length: 12\r\n").value().bytes, 12U);
  EXPECT_TRUE(read("Transfer-Encoding: chunked\r\n").value().is_chunked);
  for (const char* fields :
       {"Content-Length: 1\r\ncontent-length: 1\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "Content-Length: \r\n",
        "Content-Length: +1\r\n", "Content-Length: -1\r\n", "Content-Length: 1 1\r\n",
        "Content-Length: 18446744073709551616\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: gzip, chunked\r\n"}) {
    EXPECT_THAT(read(fields), FailsWith(Code::kInvalidArgument, HasSubstr(""))) << fields;
  }
}

TEST(ReadTargetTest, SegmentsAndQueryAreDecodedAfterTheyAreSplit) {
  HttpRequest request;
  request.target = "/a%2Fb/c+d/%C3%A9?q=a+b%26c&tag=x&tag=y&empty=&bare&=v&&";
  ASSERT_THAT(ReadTarget(request), IsOk());
  EXPECT_THAT(request.segments, ElementsAre("a/b", "c+d", "\xc3\xa9"));
  EXPECT_THAT(request.query, ElementsAre(Pair("q", "a b&c"), Pair("tag", "x"), Pair("tag", "y"),
                                         Pair("empty", ""), Pair("bare", ""), Pair("", "v")));
}

TEST(ReadTargetTest, TheRootHasNoSegments) {
  HttpRequest request;
  request.target = "/?a=1";
  ASSERT_THAT(ReadTarget(request), IsOk());
  EXPECT_THAT(request.segments, IsEmpty());
  EXPECT_EQ(request.Path(), "/");
}

TEST(ReadTargetTest, MalformedEscapesAreRefused) {
  for (const char* target : {"/%", "/%4", "/%zz", "/a?b=%", "/%ff", "/?a=%c3"}) {
    HttpRequest request;
    request.target = target;
    EXPECT_THAT(ReadTarget(request), FailsWith(Code::kInvalidArgument, HasSubstr("address")))
        << target;
  }
}

}  // namespace
}  // namespace perdure
