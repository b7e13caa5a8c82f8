// What this build makes of golden logs, for comparing builds:
//
//   golden_digest DIR...         prints root and projections of each, folded in every way, and of a
//                                life lived by this build; fails when a golden log differs from
//                                what is expected of it
//   golden_digest --make DIR     writes a new golden log
#include <cstdio>
#include <filesystem>

#include "determinism/golden.h"

namespace perdure {
namespace {

using testing::Golden;

int Failed(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int Print(const Golden& golden, const std::string& name) {
  bool is_equal = true;
  for (const testing::Fold fold : testing::kFolds) {
    const auto folded = testing::FoldGolden(golden, fold);
    if (!folded) return Failed(folded.error());
    for (const auto& [space, root] : folded->roots) {
      std::printf("%s %s root of %s %s\n", name.c_str(), testing::NameOf(fold), space.c_str(),
                  root.c_str());
    }
    std::printf("%s %s projections %s\n", name.c_str(), testing::NameOf(fold),
                folded->projections.c_str());
    is_equal =
        is_equal && folded->roots == golden.roots && folded->projections == golden.projections;
  }
  std::printf("%s %s\n", name.c_str(), is_equal ? "as expected" : "DIFFERS from expected.txt");
  return is_equal ? 0 : 1;
}

Result<Golden> Live(const std::string& directory) {
  testing::TestEngine engine;
  testing::LiveThroughEveryEvent(engine);
  return testing::WriteGolden(engine, directory);
}

int Run(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "--make") {
    const auto made = Live(arguments[2]);
    return made ? Print(*made, arguments[2]) : Failed(made.error());
  }
  int code = 0;
  for (int i = 1; i < count; ++i) {
    const auto golden = testing::ReadGolden(arguments[i]);
    if (!golden) return Failed(golden.error());
    code |= Print(*golden, std::filesystem::path(arguments[i]).filename().string());
  }
  const testing::TempDir dir;
  const auto live = Live(dir / "live");
  return code | (live ? Print(*live, "live") : Failed(live.error()));
}

}  // namespace
}  // namespace perdure

int main(int count, char** arguments) {
  ::testing::InitGoogleMock(&count, arguments);
  const int code = perdure::Run(count, arguments);
  return ::testing::Test::HasFailure() ? 1 : code;
}
