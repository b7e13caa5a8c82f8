// What can be set, what is in force, and where that comes from.
//
// One table says everything of a setting: its key in DIR/perdure.toml, its default, unit, bounds,
// flag and variable. The later of these wins: the default, the file, the environment, the flag.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

enum class SettingType { kText, kTexts, kInteger, kChoice };

struct Setting {
  std::string_view key;  // "server.port": the key `port` of the table [server]
  SettingType type;
  std::string_view fallback;     // the default as it is written in the file
  std::string_view unit;         // of a number; empty: it has none
  std::string_view flag;         // "--port"; empty: there is none
  std::string_view environment;  // "PERDURE_MODEL_DIR"; empty: there is none
  std::string_view description;
  std::int64_t min = 0;  // of kInteger, both inclusive
  std::int64_t max = 0;
  std::array<std::string_view, 3> choices = {};  // of kChoice
};

std::span<const Setting> SettingsTable();
const Setting* FindSetting(std::string_view key);

// The table as docs/OPERATIONS.md shows it, one line a setting.
std::string SettingsMarkdown();

// What a setting may be: a text, an array of texts, or an integer within its bounds.
// kInvalidArgument says what is wanted.
Status CheckSetting(const Setting& setting, const nlohmann::json& value);

struct SettingValue {
  nlohmann::json value;
  std::string origin;  // "default", "FILE:LINE", "PERDURE_MODEL_DIR", "--port"
};

// By key. Of what was checked already.
using GivenSettings = std::map<std::string, nlohmann::json, std::less<>>;

class Settings {
 public:
  // The defaults (`computed` ones in place of the table's), `file` (as ReadSettingsFile gives it)
  // over them, then what `environment` says, then the flags in `given`.
  static Result<Settings> Of(std::map<std::string, SettingValue> file,
                             const GivenSettings& environment, const GivenSettings& given,
                             const GivenSettings& computed = {});

  // Every key of the table, in its order of keys.
  const std::map<std::string, SettingValue, std::less<>>& All() const { return values_; }
  std::string Text(std::string_view key) const;
  std::int64_t Integer(std::string_view key) const;
  std::vector<std::string> Texts(std::string_view key) const;

 private:
  const nlohmann::json& At(std::string_view key) const;

  std::map<std::string, SettingValue, std::less<>> values_;
};

// What a file of settings says, `text` being its contents and `name` what its lines are named
// after: kInvalidArgument names the line of what is no TOML, no setting, or no value of it.
Result<std::map<std::string, SettingValue>> ReadSettingsText(std::string_view text,
                                                             const std::string& name);

// The same of DIR/perdure.toml; nothing where there is none.
Result<std::map<std::string, SettingValue>> ReadSettingsFile(const std::string& data_dir);
std::string SettingsFile(const std::string& data_dir);

}  // namespace perdure
