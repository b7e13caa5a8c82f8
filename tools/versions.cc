#include "tools/versions.h"

#include <unicode/uversion.h>

#include <array>

namespace perdure {

std::string IcuVersion() {
  UVersionInfo version;
  u_getVersion(version);
  std::array<char, U_MAX_VERSION_STRING_LENGTH> text{};
  u_versionToString(version, text.data());
  return text.data();
}

std::string RocksDbVersion() { return PERDURE_ROCKSDB_VERSION; }

}  // namespace perdure
