// Bytes as a settings file: refused with a line of it, or read into values that their settings can
// be.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "tools/settings/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = perdure::ReadSettingsText(text, "F");
  if (!read) {
    PERDURE_CHECK(read.error().message.starts_with("F:"));
    return 0;
  }
  for (const auto& [key, value] : *read) {
    const perdure::Setting* setting = perdure::FindSetting(key);
    PERDURE_CHECK(setting != nullptr);
    PERDURE_CHECK(perdure::CheckSetting(*setting, value.value).has_value());
  }
  PERDURE_CHECK(perdure::Settings::Of(*read, {}, {}).has_value());
  return 0;
}
