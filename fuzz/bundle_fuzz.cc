// Bytes as what an import may be given: a tombstone bundle, a state file, and the files of other
// programs. Refused or read, in no more memory than they take.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/base/check.h"
#include "engine/transfer/tombstones.h"
#include "tools/import/foreign.h"
#include "tools/import/state_file.h"

namespace perdure {
namespace {

// A row is a call, or says why it is none.
Status Look(const ImportRow& row) {
  const bool is_call = row.problem.empty() && row.skipped.empty();
  PERDURE_CHECK(is_call == row.arguments.is_object() || !row.skipped.empty());
  PERDURE_CHECK(!is_call || row.is_fact || !row.arguments.at("text").empty());
  return {};
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::istringstream in(bytes);
  static_cast<void>(perdure::ReadTombstones(in));
  static const std::string path = "/tmp/perdure-bundle-fuzz-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  static_cast<void>(perdure::ReadState(path, perdure::Look));
  for (const perdure::ForeignFormat& format : perdure::ForeignFormats()) {
    if (format.name == "folder") continue;
    static_cast<void>(
        perdure::ReadForeign(format.name, path, "text=body,title=name", perdure::Look));
  }
  return 0;
}
