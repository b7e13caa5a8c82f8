#include <fmt/format.h>

#include "engine/log/verify.h"
#include "tools/progress.h"
#include "tools/read_only.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

Json AnswerOf(const SpaceInfo& space, const VerifyReport& report) {
  Json answer = {{"space", space.name},
                 {"ok", report.first_bad == 0 && report.problem.empty()},
                 {"entries", report.entries},
                 {"payloads", report.payloads},
                 {"payloads_gone", report.payloads_gone},
                 {"tree_heads", report.tree_heads},
                 {"root", HexEncode(AsBytes(report.root))}};
  if (report.first_bad != 0) answer["first_bad"] = report.first_bad;
  if (!report.problem.empty()) answer["problem"] = report.problem;
  return answer;
}

void PrintReport(const SpaceInfo& space, const VerifyReport& report) {
  if (report.first_bad == 0 && report.problem.empty()) {
    Print(
        fmt::format("{}: {} entries, {} payloads ({} gone), {} signed tree heads: all verify\n"
                    "  root {}\n",
                    space.name, report.entries, report.payloads, report.payloads_gone,
                    report.tree_heads, HexEncode(AsBytes(report.root))));
    return;
  }
  Print(fmt::format("{}: entry {} is the first bad one; the {} before it verify\n  {}\n",
                    space.name, report.first_bad, report.entries, report.problem));
}

Result<VerifyReport> Verify(const Engine& engine, const SpaceInfo& space) {
  ProgressBar bar(fmt::format("verify {}", space.name), engine.Visible(space.id).seq);
  return VerifyLog(engine.store(), space.id, Engine::OriginOf(space.name),
                   engine.KeysOf(space.id).signing.public_key, [&bar](Seq done) {
                     bar.Update(done);
                     return true;
                   });
}

Result<int> VerifyAll(const Program& program, const std::string& only) {
  ASSIGN_OR_RETURN(const auto opened, ReadOnlyStore::Open(program, false));
  const Engine& engine = opened->engine();
  if (!only.empty()) {
    ASSIGN_OR_RETURN([[maybe_unused]] const SpaceId known, engine.SpaceByName(only));
  }
  Json answer = {{"ok", true}, {"spaces", Json::array()}};
  for (const SpaceInfo& space : engine.Spaces()) {
    if (!only.empty() && space.name != only) continue;
    ASSIGN_OR_RETURN(const VerifyReport report, Verify(engine, space));
    answer["spaces"].push_back(AnswerOf(space, report));
    if (!answer["spaces"].back()["ok"].get<bool>()) answer["ok"] = false;
    if (!program.json) PrintReport(space, report);
  }
  if (program.json) PrintJson(answer);
  return answer["ok"].get<bool>() ? kExitOk : kExitFailed;
}

}  // namespace

void AddLogVerify(CLI::App& log, Program& program) {
  CLI::App& verb = AddVerb(log, program, "verify",
                           "Check every entry, hash, payload and signed head; beside a running "
                           "server too");
  const auto space = std::make_shared<std::string>();
  verb.add_option("--space", *space, "Only this space (default: all)");
  OnRun(verb, program, [&program, space] { return VerifyAll(program, *space); });
}

}  // namespace perdure
