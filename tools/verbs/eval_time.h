// The verb `eval time`.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/program.h"

namespace perdure {

void AddEvalTime(CLI::App& eval, Program& program);

}  // namespace perdure
