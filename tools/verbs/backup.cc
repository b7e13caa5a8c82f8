#include <fmt/format.h>

#include <filesystem>

#include "tools/data_dir.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct BackupChoice {
  std::string directory;
  std::string keys;
};

// Key files change only when a space is made, so the copy is complete once it has all of now.
Result<std::size_t> CopyKeys(const std::string& data_dir, const std::string& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (!error) fs::permissions(to, fs::perms::owner_all, error);
  std::size_t copied = 0;
  if (!error) {
    for (const auto& file : fs::directory_iterator(data_dir + "/keys", error)) {
      const fs::path copy = fs::path(to) / file.path().filename();
      fs::copy_file(file.path(), copy, fs::copy_options::overwrite_existing, error);
      if (!error) fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, error);
      if (error) break;
      ++copied;
    }
  }
  if (!error) return copied;
  return Fail(Code::kUnavailable,
              fmt::format("The key files cannot be copied to {}: {}.", to, error.message()),
              "keys");
}

Result<int> Run(const Program& program, const BackupChoice& choice) {
  const std::string directory = fs::absolute(choice.directory).lexically_normal().string();
  ASSIGN_OR_RETURN(const auto session, Session::Open(program, "backup"));
  Json answer;
  {
    const Stopwatch stopwatch("backup");
    ASSIGN_OR_RETURN(answer, session->Call("backup", {{"directory", directory}}));
  }
  if (!choice.keys.empty()) {
    ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
    ASSIGN_OR_RETURN(answer["key_files"], CopyKeys(data_dir, choice.keys));
  }
  if (program.json) {
    PrintJson(answer);
    return kExitOk;
  }
  Print(fmt::format("backup {}: {} files, {} bytes, verified\n", TextAt(answer, "number"),
                    TextAt(answer, "files"), TextAt(answer, "bytes")));
  for (const Json& space : answer["spaces"]) {
    Print(fmt::format("  {} up to entry {} at least\n", space["space"].get<std::string>(),
                      space["seq"].get<std::uint64_t>()));
  }
  Print(choice.keys.empty() ? "  the key files are not in it: keep a copy of them elsewhere\n"
                            : fmt::format("  {} key files copied to {}\n",
                                          answer["key_files"].get<std::size_t>(), choice.keys));
  return kExitOk;
}

}  // namespace

void AddBackup(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "backup",
                           "Add a verified backup to a directory, beside a running server too; "
                           "what did not change since the last one is kept once");
  const auto choice = std::make_shared<BackupChoice>();
  verb.add_option("directory", choice->directory, "Where the backups are kept")->required();
  verb.add_option("--keys", choice->keys,
                  "Copy the key files there, apart from the backup: it opens with them alone");
  OnRun(verb, program, [&program, choice] { return Run(program, *choice); });
}

}  // namespace perdure
