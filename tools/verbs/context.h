// The verb `context`.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/program.h"

namespace perdure {

void AddContext(CLI::App& app, Program& program);

}  // namespace perdure
