// Options of the command line that become arguments of an operation.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"
#include "tools/program.h"

namespace perdure {

// Filled while the command line is parsed, read when the verb runs.
using Arguments = std::shared_ptr<nlohmann::json>;
Arguments NewArguments();

// Each adds an option that sets the argument `path`: a name, or a JSON pointer ("/filter/tags").
CLI::Option* TextOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                        const std::string& path, const std::string& description);
CLI::Option* TextsOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                         const std::string& path, const std::string& description);
CLI::Option* IntegerOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                           const std::string& path, const std::string& description);
CLI::Option* NumberOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                          const std::string& path, const std::string& description);
CLI::Option* FlagOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                        const std::string& path, const std::string& description);
CLI::Option* JsonOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                        const std::string& path, const std::string& description);

// What several verbs take.
void WriteOptionsFor(CLI::App& verb, const Arguments& arguments);     // --key --dry-run --reason
void ChangeOptionsFor(CLI::App& verb, const Arguments& arguments);    // and --expected-version
void ReadOptionsFor(CLI::App& verb, const Arguments& arguments);      // --as-of --valid-at
void RefusingOptionsFor(CLI::App& verb, const Arguments& arguments);  // --wide --until
void FilterOptionsFor(CLI::App& verb, const Arguments& arguments);    // --scope --tag --type ...

// Runs `operation` with the arguments through a Session, and prints its answer: as JSON with
// --json, else as `render` does. A claim that a gate refused is an answer, and a failure of the
// verb.
using Render = std::function<void(const nlohmann::json& answer)>;
void OnCall(CLI::App& verb, Program& program, const std::string& operation,
            const Arguments& arguments, Render render);
// The same when the arguments are complete only as the verb runs: `prepare` is called before.
using Prepare = std::function<Status(nlohmann::json& arguments)>;
void OnPreparedCall(CLI::App& verb, Program& program, const std::string& operation,
                    const Arguments& arguments, Prepare prepare, Render render);

// The bytes of a file, or of standard input for "-".
Result<std::string> ReadText(const std::string& path);

}  // namespace perdure
