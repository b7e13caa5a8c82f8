// The settings in force for a data directory, and the options that are made of them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "tools/house.h"
#include "tools/program.h"
#include "tools/settings/settings.h"

namespace perdure {

// One option of the verb for each setting with a flag of its own; what is given lands in `given`.
void AddSettingOptions(CLI::App& verb, const std::shared_ptr<GivenSettings>& given);

// Of the defaults, DIR/perdure.toml, the environment, --model, and `given`. The directory of the
// model is never empty: where nobody names one it is beside the program's own.
Result<Settings> SettingsOf(const Program& program, const std::string& data_dir,
                            const GivenSettings& given = {});

HouseOptions HouseOptionsOf(const Settings& settings, const std::string& data_dir);

}  // namespace perdure
