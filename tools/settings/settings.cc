#include "tools/settings/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/base/check.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kDoors = {"always", "stdio", "never"};

constexpr auto kTable = std::to_array<Setting>({
    {"search.model_dir", SettingType::kText, "", "", "--model", "PERDURE_MODEL_DIR",
     "the embedding model; without one semantic search is a stand-in, and says so. Default: "
     "`../model` beside the program's folder"},
    {"server.erase", SettingType::kChoice, "always", "", "--erase", "",
     "through which doors operators may erase: all, this machine's own (`stdio`: `perdure mcp`, "
     "and "
     "verbs without a server), none",
     0, 0, kDoors},
    {"server.host", SettingType::kText, "127.0.0.1", "", "--host", "",
     "address to listen on; behind a TLS proxy leave it and add a public host"},
    {"server.port", SettingType::kInteger, "7411", "", "--port", "",
     "port to listen on; 0: any free one", 0, 65'535},
    {"server.public_hosts", SettingType::kTexts, "", "", "--public-host", "",
     "names allowed in Host and Origin, beside the loopback names; the flag repeats"},
    {"server.writes", SettingType::kChoice, "always", "", "--writes", "",
     "whose writes are taken: everyone's, agents' over stdio only, operators' only", 0, 0, kDoors},
    {"store.scrub_days", SettingType::kInteger, "7", "days", "--scrub-days", "",
     "`serve` reads the whole log once in so many days, slowly, and checks it; 0: never", 0, 365},
    {"store.sync",
     SettingType::kChoice,
     "always",
     "",
     "--sync",
     "",
     "when an answered write is on disk: at once, within the interval, whenever the system likes",
     0,
     0,
     {"always", "interval", "never"}},
    {"store.sync_interval_ms", SettingType::kInteger, "1000", "ms", "--sync-interval-ms", "",
     "for `store.sync = \"interval\"`", 1, 60'000},
});

std::string Allowed(const Setting& setting) {
  switch (setting.type) {
    case SettingType::kText:
      return "a text";
    case SettingType::kTexts:
      return "an array of texts";
    case SettingType::kInteger:
      return fmt::format("a whole number from {} to {}{}{}", setting.min, setting.max,
                         setting.unit.empty() ? "" : ", in ", setting.unit);
    case SettingType::kChoice:
      return fmt::format("one of {}", fmt::join(setting.choices, ", "));
  }
  return {};
}

bool IsText(const Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().contains('\0');
}

bool Fits(const Setting& setting, const Json& value) {
  switch (setting.type) {
    case SettingType::kText:
      return IsText(value);
    case SettingType::kTexts:
      return value.is_array() && std::ranges::all_of(value, IsText);
    case SettingType::kInteger:
      return value.is_number_integer() && value.get<std::int64_t>() >= setting.min &&
             value.get<std::int64_t>() <= setting.max;
    case SettingType::kChoice:
      return IsText(value) &&
             std::ranges::find(setting.choices, value.get<std::string>()) != setting.choices.end();
  }
  return false;
}

Json FallbackOf(const Setting& setting) {
  if (setting.type == SettingType::kTexts) return Json::array();
  if (setting.type != SettingType::kInteger) return std::string(setting.fallback);
  std::int64_t number = 0;
  std::from_chars(setting.fallback.data(), setting.fallback.data() + setting.fallback.size(),
                  number);
  return number;
}

}  // namespace

std::span<const Setting> SettingsTable() { return kTable; }

const Setting* FindSetting(std::string_view key) {
  const auto at = std::ranges::find(kTable, key, &Setting::key);
  return at == kTable.end() ? nullptr : &*at;
}

std::string SettingsMarkdown() {
  std::string lines = "| setting | flag, variable | default | what it does |\n|---|---|---|---|\n";
  for (const Setting& setting : kTable) {
    const auto code = [](std::string_view text) {
      return text.empty() ? std::string() : fmt::format("`{}`", text);
    };
    lines += fmt::format("| {} | {}{}{} | {}{}{} | {} |\n", code(setting.key), code(setting.flag),
                         setting.environment.empty() ? "" : ", ", code(setting.environment),
                         code(setting.fallback), setting.unit.empty() ? "" : " ", setting.unit,
                         setting.description);
  }
  return lines;
}

Status CheckSetting(const Setting& setting, const Json& value) {
  if (Fits(setting, value)) return {};
  return Fail(Code::kInvalidArgument, fmt::format("{} must be {}.", setting.key, Allowed(setting)),
              std::string(setting.key));
}

Result<Settings> Settings::Of(std::map<std::string, SettingValue> file,
                              const GivenSettings& environment, const GivenSettings& given,
                              const GivenSettings& computed) {
  Settings settings;
  for (const Setting& setting : kTable) {
    SettingValue& value = settings.values_[std::string(setting.key)];
    const auto fallback = computed.find(setting.key);
    value = {fallback == computed.end() ? FallbackOf(setting) : fallback->second, "default"};
    if (const auto at = file.find(std::string(setting.key)); at != file.end()) {
      value = std::move(at->second);
    }
    const auto take = [&](const GivenSettings& source, std::string_view origin) -> Status {
      const auto at = source.find(setting.key);
      if (at == source.end()) return {};
      RETURN_IF_ERROR(CheckSetting(setting, at->second));
      value = {at->second, std::string(origin)};
      return {};
    };
    RETURN_IF_ERROR(take(environment, setting.environment));
    RETURN_IF_ERROR(take(given, setting.flag));
  }
  return settings;
}

const Json& Settings::At(std::string_view key) const {
  const auto at = values_.find(key);
  PERDURE_CHECK(at != values_.end());
  return at->second.value;
}

std::string Settings::Text(std::string_view key) const { return At(key).get<std::string>(); }
std::int64_t Settings::Integer(std::string_view key) const { return At(key).get<std::int64_t>(); }
std::vector<std::string> Settings::Texts(std::string_view key) const {
  return At(key).get<std::vector<std::string>>();
}

}  // namespace perdure
