#include "tools/settings/effective.h"

#include <utility>

#include "engine/base/check.h"
#include "tools/data_dir.h"

namespace perdure {
namespace {

WritePolicy DoorsOf(const std::string& text) {
  if (text == "stdio") return WritePolicy::kStdio;
  return text == "never" ? WritePolicy::kNever : WritePolicy::kAlways;
}

SyncMode SyncModeOf(const std::string& text) {
  if (text == "interval") return SyncMode::kInterval;
  return text == "never" ? SyncMode::kNever : SyncMode::kAlways;
}

template <typename Value>
CLI::Option* AddOption(CLI::App& verb, const Setting& setting,
                       const std::shared_ptr<GivenSettings>& given) {
  const std::string key(setting.key);
  return verb.add_option_function<Value>(
      std::string(setting.flag), [given, key](const Value& value) { (*given)[key] = value; },
      std::string(setting.description));
}

}  // namespace

void AddSettingOptions(CLI::App& verb, const std::shared_ptr<GivenSettings>& given) {
  for (const Setting& setting : SettingsTable()) {
    if (setting.flag.empty() || setting.flag == "--model") continue;  // every verb has that
    CLI::Option* option = nullptr;
    switch (setting.type) {
      case SettingType::kTexts:
        option = AddOption<std::vector<std::string>>(verb, setting, given)->expected(1)->take_all();
        break;
      case SettingType::kInteger:
        option = AddOption<std::int64_t>(verb, setting, given)
                     ->check(CLI::Range(setting.min, setting.max));
        break;
      case SettingType::kText:
      case SettingType::kChoice:
        option = AddOption<std::string>(verb, setting, given);
    }
    if (setting.type == SettingType::kChoice) {
      option->check(
          CLI::IsMember(std::vector<std::string>(setting.choices.begin(), setting.choices.end())));
    }
    option->default_str(std::string(setting.fallback));
  }
}

Result<Settings> SettingsOf(const Program& program, const std::string& data_dir,
                            const GivenSettings& given) {
  ASSIGN_OR_RETURN(auto file, ReadSettingsFile(data_dir));
  GivenSettings environment;
  for (const Setting& setting : SettingsTable()) {
    if (setting.environment.empty()) continue;
    const auto value = Environment(std::string(setting.environment).c_str());
    if (value) environment[std::string(setting.key)] = *value;
  }
  GivenSettings flags = given;
  if (!program.model.empty()) flags["search.model_dir"] = program.model;
  return Settings::Of(std::move(file), environment, flags,
                      {{"search.model_dir", ModelDirBeside()}});
}

HouseOptions HouseOptionsOf(const Settings& settings, const std::string& data_dir) {
  return {.data_dir = data_dir,
          .model_dir = settings.Text("search.model_dir"),
          .sync = {.mode = SyncModeOf(settings.Text("store.sync")),
                   .interval_ms = static_cast<int>(settings.Integer("store.sync_interval_ms"))},
          .writes = DoorsOf(settings.Text("server.writes")),
          .erase = DoorsOf(settings.Text("server.erase"))};
}

}  // namespace perdure
