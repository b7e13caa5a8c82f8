#include "server/api/openapi.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;

std::string CommittedPath() { return std::string(PERDURE_SOURCE_DIR) + "/schema/openapi.yaml"; }

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(OpenApi, IsTheCommittedDescription) {
  Api api;
  const std::string made = OpenApiYaml(api.catalogue());
  if (std::getenv("PERDURE_WRITE_OPENAPI") != nullptr) {
    std::ofstream(CommittedPath(), std::ios::binary) << made;
  }
  EXPECT_EQ(ReadWhole(CommittedPath()) == made, true)
      << "schema/openapi.yaml is not what the catalogue says. To write it anew, run this program "
         "with PERDURE_WRITE_OPENAPI=1 in the environment.";
}

TEST(OpenApi, DescribesEveryRoute) {
  Api api;
  const std::string yaml = OpenApiYaml(api.catalogue());
  int routes = 0;
  for (const Operation* operation : api.catalogue().All()) {
    if (operation->http_method.empty()) continue;
    ++routes;
    EXPECT_THAT(yaml, HasSubstr("\"operationId\": \"" + operation->name + "\"\n"));
    EXPECT_THAT(yaml, HasSubstr("\"" + operation->http_path + "\":\n"));
  }
  EXPECT_GE(routes, 30);
}

}  // namespace
}  // namespace perdure::testing
