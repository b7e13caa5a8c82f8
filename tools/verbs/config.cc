// What is set, and where that comes from.
#include <fmt/format.h>

#include "tools/data_dir.h"
#include "tools/settings/effective.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

std::string DataOrigin(const Program& program) {
  if (!program.data.empty()) return "--data";
  if (Environment("PERDURE_DATA")) return "PERDURE_DATA";
  return Environment("XDG_DATA_HOME") ? "XDG_DATA_HOME" : "default";
}

std::string Shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_array() && value.empty() ? "" : value.dump();
}

Result<int> Show(const Program& program, const GivenSettings& given) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  ASSIGN_OR_RETURN(const Settings settings, SettingsOf(program, data_dir, given));
  Json answer = {{"file", SettingsFile(data_dir)},
                 {"data", {{"value", data_dir}, {"from", DataOrigin(program)}}},
                 {"settings", Json::object()}};
  for (const auto& [key, value] : settings.All()) {
    Json& shown = answer["settings"][key] = {{"value", value.value}, {"from", value.origin}};
    if (const Setting& setting = *FindSetting(key); !setting.unit.empty()) {
      shown["unit"] = setting.unit;
    }
  }
  if (program.json) {
    PrintJson(answer);
    return kExitOk;
  }
  Table table({"setting", "value", "unit", "from"});
  table.Add({"data", data_dir, "", DataOrigin(program)});
  for (const auto& [key, shown] : answer["settings"].items()) {
    table.Add({key, Shown(shown["value"]), shown.value("unit", ""), shown["from"]});
  }
  table.Print();
  Print(fmt::format("settings are kept in {}\n", SettingsFile(data_dir)));
  return kExitOk;
}

}  // namespace

void AddConfig(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "config", "Settings and where they come from");
  CLI::App& verb =
      AddVerb(group, program, "show",
              "Show the settings in force here, and the line, variable or option each comes from; "
              "with the options of `serve`, what they would change");
  const auto given = std::make_shared<GivenSettings>();
  AddSettingOptions(verb, given);
  OnRun(verb, program, [&program, given] { return Show(program, *given); });
}

}  // namespace perdure
