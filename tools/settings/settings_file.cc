// The one file that includes toml++.
#include <fmt/format.h>
#include <fmt/ranges.h>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/base/bytes.h"
#include "tools/settings/settings.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kSettingsBytesMax = 64 * 1024;

std::unexpected<Error> AtLine(const std::string& name, std::size_t line, std::string_view what) {
  return Fail(Code::kInvalidArgument, fmt::format("{}:{}: {}", name, line, what), "settings");
}

// Null for what no setting can be.
Json JsonOf(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  Json texts;
  if (const auto* array = node.as_array()) {
    texts = Json::array();
    for (const toml::node& element : *array) texts.push_back(JsonOf(element));
  }
  return texts;
}

std::string Unknown(const std::string& key) {
  std::vector<std::string_view> known;
  for (const Setting& setting : SettingsTable()) known.push_back(setting.key);
  return fmt::format("there is no setting {}. Known are: {}.", CutAtGrapheme(key, 80),
                     fmt::join(known, ", "));
}

Status Take(const std::string& key, const toml::node& node, const std::string& name,
            std::map<std::string, SettingValue>& values) {
  const std::size_t line = node.source().begin.line;
  const Setting* const setting = FindSetting(key);
  if (setting == nullptr) return AtLine(name, line, Unknown(key));
  Json value = JsonOf(node);
  if (const Status fits = CheckSetting(*setting, value); !fits) {
    return AtLine(name, line, fits.error().message);
  }
  values[key] = {std::move(value), fmt::format("{}:{}", name, line)};
  return {};
}

}  // namespace

Result<std::map<std::string, SettingValue>> ReadSettingsText(std::string_view text,
                                                             const std::string& name) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    return AtLine(name, parsed.error().source().begin.line,
                  fmt::format("{}.", parsed.error().description()));
  }
  std::map<std::string, SettingValue> values;
  for (const auto& [key, node] : parsed.table()) {
    const std::string table(key.str());
    const toml::table* const members = node.as_table();
    if (members == nullptr || FindSetting(table) != nullptr) {
      RETURN_IF_ERROR(Take(table, node, name, values));
      continue;
    }
    for (const auto& [member, value] : *members) {
      RETURN_IF_ERROR(Take(fmt::format("{}.{}", table, member.str()), value, name, values));
    }
  }
  return values;
}

std::string SettingsFile(const std::string& data_dir) { return data_dir + "/perdure.toml"; }

Result<std::map<std::string, SettingValue>> ReadSettingsFile(const std::string& data_dir) {
  const std::string path = SettingsFile(data_dir);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed) && !failed) return {};
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) {
    return Fail(Code::kInvalidArgument, fmt::format("{} cannot be read.", path), "settings");
  }
  if (text.size() > kSettingsBytesMax) {
    return Fail(Code::kInvalidArgument,
                fmt::format("{} has more than {} bytes.", path, kSettingsBytesMax), "settings");
  }
  return ReadSettingsText(text, path);
}

}  // namespace perdure
