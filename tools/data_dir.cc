#include "tools/data_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "engine/base/files.h"
#include "engine/engine.h"
#include "tools/program.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;

// At its place whole or not at all, and never readable by others.
Status WriteSecretFile(const std::string& path, const std::string& text) {
  const std::string part = path + ".new";
  unlink(part.c_str());  // left by a crash
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool is_written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(fd) == 0;
  const int problem = errno;
  if (fd >= 0) close(fd);
  if (!is_written) {
    return Fail(Code::kUnavailable,
                fmt::format("{} cannot be written: {}.", path, std::strerror(problem)));
  }
  RETURN_IF_ERROR(RenameFile(part, path));
  return SyncDirectory(fs::path(path).parent_path().string());
}

Status IssueInto(Engine& engine, const std::string& path, RoleMask role, const char* label) {
  if (fs::exists(path)) return {};
  IssueToken command;
  command.roles = role;
  command.label = label;
  ASSIGN_OR_RETURN(const auto issued, engine.Issue(BootstrapPrincipal(), std::move(command), {}));
  return WriteSecretFile(path, issued.first + "\n");
}

}  // namespace

std::optional<std::string> Environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<std::string> DataDirOf(const Program& program) {
  std::string chosen = program.data;
  if (chosen.empty()) chosen = Environment("PERDURE_DATA").value_or("");
  if (chosen.empty()) {
    if (const auto data_home = Environment("XDG_DATA_HOME")) {
      chosen = *data_home + "/perdure";
    } else if (const auto home = Environment("HOME")) {
      chosen = *home + "/.local/share/perdure";
    } else {
      return Fail(Code::kInvalidArgument,
                  "There is no HOME to keep data in: say where with --data DIR.", "data");
    }
  }
  std::error_code failed;
  const fs::path path = fs::absolute(chosen, failed).lexically_normal();
  if (failed) return Fail(Code::kInvalidArgument, fmt::format("{} is no path.", chosen), "data");
  std::string text = path.string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string ModelDirOf(const Program& program) {
  if (!program.model.empty()) return program.model;
  if (const auto directory = Environment("PERDURE_MODEL_DIR")) return *directory;
  return ModelDirBeside();
}

std::string ModelDirBeside() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  return (self.parent_path().parent_path() / "model").string();
}

std::string AgentTokenFile(const std::string& data_dir) { return data_dir + "/token"; }
std::string OperatorTokenFile(const std::string& data_dir) { return data_dir + "/operator.token"; }
bool HasStore(const std::string& data_dir) { return fs::exists(data_dir + "/store"); }

Status MakeDataDir(const std::string& data_dir) {
  std::error_code failed;
  if (fs::is_directory(data_dir, failed)) return {};
  const std::string parent = fs::path(data_dir).parent_path().string();
  RETURN_IF_ERROR(MakeDirectory(parent));
  if (mkdir(data_dir.c_str(), 0700) != 0 && errno != EEXIST) {
    return Fail(Code::kUnavailable, fmt::format("The directory {} cannot be made: {}.", data_dir,
                                                std::strerror(errno)));
  }
  return SyncDirectory(parent);
}

Result<bool> FillDataDir(const std::string& data_dir, Clock& clock, Random& random) {
  const bool is_new = !HasStore(data_dir);
  if (is_new) RETURN_IF_ERROR(Engine::Create(data_dir, clock, random));
  if (fs::exists(AgentTokenFile(data_dir)) && fs::exists(OperatorTokenFile(data_dir))) {
    return is_new;
  }
  ASSIGN_OR_RETURN(const auto engine, Engine::Open({.directory = data_dir}, clock, random));
  RETURN_IF_ERROR(IssueInto(*engine, OperatorTokenFile(data_dir), kOperator,
                            "operator.token of this directory"));
  RETURN_IF_ERROR(IssueInto(*engine, AgentTokenFile(data_dir), kAgent, "token of this directory"));
  return is_new;
}

Result<std::string> ReadTokenFile(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    return Fail(
        Code::kNotFound,
        fmt::format("There is no token in {}. `perdure init` with the same --data makes one "
                    "when no server runs.",
                    path));
  }
  if ((info.st_mode & 077) != 0) {
    return Fail(
        Code::kForbidden,
        fmt::format("{} may be read by others: run `chmod 600 {}`, and consider a new token.", path,
                    path));
  }
  std::ifstream file(path);
  std::string token;
  if (!std::getline(file, token) || token.empty()) {
    return Fail(
        Code::kCorrupt,
        fmt::format("{} holds no token: delete it, and `perdure init` makes a new one.", path));
  }
  return token;
}

}  // namespace perdure
