// What the verbs of the program share: options, exit codes, and how answers and errors are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"

namespace perdure {

inline constexpr const char* kProgramVersion = "0.1.0";

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

struct Program {
  std::string data;   // --data as given; see DefaultDataDir
  std::string model;  // --model as given; see DefaultModelDir
  bool json = false;
  std::function<Result<int>()> run;  // of the verb that the command line names; gives the exit code
};

// A verb with the options that all of them take.
CLI::App& AddVerb(CLI::App& parent, Program& program, const std::string& name,
                  const std::string& description);
// A verb that only holds others.
CLI::App& AddGroup(CLI::App& parent, const std::string& name, const std::string& description);
void OnRun(CLI::App& verb, Program& program, std::function<Result<int>()> run);

// To standard output: indented JSON and a line end.
void PrintJson(const nlohmann::json& json);
// To standard output as it is.
void Print(std::string_view text);
// With --json the object of the REST API to standard output, else sentences to standard error.
void PrintError(const Program& program, const Error& error);

// Whether people watch.
bool IsTerminal(int fd);

}  // namespace perdure
