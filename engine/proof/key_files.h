// The key files of a space, where more than making and reading them is needed.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"
#include "engine/proof/keys.h"

namespace perdure {

// Puts another secret in the place of a space's own. Only for a space without entries: whatever
// was hashed under the old one is found no more.
Status ReplaceSecret(const std::filesystem::path& keys_dir, std::string_view space,
                     const Secret& secret);

}  // namespace perdure
