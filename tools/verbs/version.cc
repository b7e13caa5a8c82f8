#include <fmt/format.h>

#include "tools/verbs/verbs.h"
#include "tools/versions.h"

namespace perdure {

void AddVersion(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "version", "Print the versions of program and libraries");
  OnRun(verb, program, [&program]() -> Result<int> {
    if (program.json) {
      PrintJson(
          {{"perdure", kProgramVersion}, {"rocksdb", RocksDbVersion()}, {"icu", IcuVersion()}});
    } else {
      Print(fmt::format("perdure {} (RocksDB {}, ICU {})\n", kProgramVersion, RocksDbVersion(),
                        IcuVersion()));
    }
    return kExitOk;
  });
}

}  // namespace perdure
