#include <fmt/format.h>

#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

constexpr std::chrono::seconds kPatience{15};

Result<int> Init(const Program& program) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  RETURN_IF_ERROR(MakeDataDir(data_dir));
  ASSIGN_OR_RETURN(const auto attempt, DirectoryLock::Acquire(data_dir, "init", kPatience));
  bool is_new = false;
  if (attempt.lock) {
    SystemClock clock;
    SystemRandom random;
    ASSIGN_OR_RETURN(is_new, FillDataDir(data_dir, clock, random));
  } else if (!HasStore(data_dir)) {
    return Fail(Code::kUnavailable,
                fmt::format("{} has {} open.", attempt.holder.Name(), data_dir));
  }
  if (program.json) {
    PrintJson({{"data", data_dir},
               {"created", is_new},
               {"token_file", AgentTokenFile(data_dir)},
               {"operator_token_file", OperatorTokenFile(data_dir)}});
    return kExitOk;
  }
  Print(is_new ? fmt::format("Made {}\n", data_dir)
               : fmt::format("{} is there already; nothing of it was changed\n", data_dir));
  Print(fmt::format("  token for agents    {}\n  token of operators  {}\n",
                    AgentTokenFile(data_dir), OperatorTokenFile(data_dir)));
  Print(fmt::format("  keys                {}/keys: back them up apart from the rest\n", data_dir));
  return kExitOk;
}

}  // namespace

void AddInit(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "init", "Make a data directory with its keys and tokens");
  OnRun(verb, program, [&program] { return Init(program); });
}

}  // namespace perdure
