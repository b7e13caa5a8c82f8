// Runs seeds of the simulation.
//
//   simulate --seed N [--steps M] [--plant NAME] [-v]   one run; -v prints its trace
//   simulate --seeds A-B [--plant NAME]                 many; names those that fail
//
// Exit codes: 0 all held, 1 something did not, 2 usage.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "simulation/simulation.h"

namespace perdure::simulation {
namespace {

constexpr std::uint64_t kProgressEvery = 1'000;

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::string program;
  RunOptions run;
};

bool ReadNumber(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ReadSeeds(std::string_view text, Arguments& arguments) {
  const std::size_t dash = text.find('-');
  return dash != std::string_view::npos && ReadNumber(text.substr(0, dash), arguments.first) &&
         ReadNumber(text.substr(dash + 1), arguments.last) && arguments.first <= arguments.last;
}

bool ReadPlant(std::string_view text, Plant& plant) {
  for (const auto& [value, name] : kPlantNames) {
    if (name == text) plant = value;
    if (name == text) return true;
  }
  return false;
}

std::optional<Arguments> Read(std::span<char*> words) {
  Arguments arguments{.program = words[0]};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-v") {
      arguments.run.prints = true;
      continue;
    }
    if (++i == words.size()) return std::nullopt;
    const std::string_view value = words[i];
    bool known = false;
    if (word == "--seed") {
      known = ReadNumber(value, arguments.first);
      arguments.last = arguments.first;
    } else if (word == "--seeds") {
      known = ReadSeeds(value, arguments);
    } else if (word == "--steps") {
      known = ReadNumber(value, arguments.run.steps);
    } else if (word == "--plant") {
      known = ReadPlant(value, arguments.run.plant);
    }
    if (!known) return std::nullopt;
  }
  return arguments;
}

std::string Replay(const Arguments& arguments, std::uint64_t seed) {
  std::string command = fmt::format("{} --seed {}", arguments.program, seed);
  if (arguments.run.steps != 0) command += fmt::format(" --steps {}", arguments.run.steps);
  for (const auto& [value, name] : kPlantNames) {
    if (value == arguments.run.plant && value != Plant::kNone)
      command += fmt::format(" --plant {}", name);
  }
  return command + " -v";
}

int RunAll(const Arguments& arguments) {
  Figures figures;
  std::uint64_t failed = 0;
  for (std::uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
    RunOptions options = arguments.run;
    options.seed = seed;
    const RunResult result = RunChecked(options);
    figures += result.figures;
    if (!result.violations.empty()) {
      ++failed;
      fmt::print("seed {} fails; `{}` repeats it\n", seed, Replay(arguments, seed));
      for (const std::string& violation : result.violations) fmt::print("  {}\n", violation);
    }
    if (arguments.first == arguments.last) fmt::print("digest {}\n", result.digest);
    const std::uint64_t done = seed - arguments.first + 1;
    if (done % kProgressEvery == 0) fmt::print(stderr, "{} seeds, {} failed\n", done, failed);
  }
  fmt::print("{}\n", Describe(figures));
  fmt::print("{} seeds, {} failed, {:.1f} s of processor\n", arguments.last - arguments.first + 1,
             failed, static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace perdure::simulation

int main(int argc, char** argv) {
  const auto arguments = perdure::simulation::Read(std::span(argv, static_cast<std::size_t>(argc)));
  if (!arguments) {
    fmt::print(stderr, "usage: simulate --seed N | --seeds A-B [--steps M] [--plant NAME] [-v]\n");
    return 2;
  }
  return perdure::simulation::RunAll(*arguments);
}
