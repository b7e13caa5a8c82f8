// A backup of the whole store, written while the server goes on.
#include "engine/storage/backup.h"

#include <fmt/format.h>

#include <filesystem>

#include "server/api/answers.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

// One of a tenant's would have every other tenant's texts in it.
Status CheckCaller(const Principal& principal) {
  if (principal.space == kMainSpace && principal.scope.empty()) return {};
  return Fail(Code::kForbidden,
              "A backup holds every space: it needs an operator of the space main whose token has "
              "no scope.");
}

Status CheckDirectory(const Engine& engine, const std::string& directory) {
  const std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  if (!path.is_absolute()) {
    return Fail(Code::kInvalidArgument,
                "The directory is one of the server's machine: name it from the root, for example "
                "/var/backups/perdure.",
                "directory");
  }
  std::error_code error;
  const auto inside = std::filesystem::weakly_canonical(path, error).string() + "/";
  const auto data = std::filesystem::weakly_canonical(engine.directory(), error).string() + "/";
  if (!inside.starts_with(data)) return {};
  return Fail(Code::kInvalidArgument,
              fmt::format("{} lies inside the data directory: what befalls one befalls the other.",
                          directory),
              "directory");
}

Json HeadsOf(const Engine& engine) {
  Json heads = Json::array();
  for (const SpaceInfo& space : engine.Spaces()) {
    heads.push_back({{"space", space.name}, {"seq", engine.Visible(space.id).seq}});
  }
  return heads;
}

Result<Json> Run(Engine& engine, const Caller& caller, const Json& arguments) {
  ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine, caller));
  RETURN_IF_ERROR(CheckCaller(principal));
  const auto directory = arguments["directory"].get<std::string>();
  RETURN_IF_ERROR(CheckDirectory(engine, directory));
  const Json heads = HeadsOf(engine);
  if (arguments.value("dry_run", false)) return Json{{"spaces", heads}, {"dry_run", true}};
  ASSIGN_OR_RETURN(const BackupInfo made, BackUp(engine.store(), directory));
  return Json{
      {"number", made.number}, {"bytes", made.bytes}, {"files", made.files}, {"spaces", heads}};
}

}  // namespace

Operation Backup(Engine& engine) {
  Operation operation;
  operation.name = "backup";
  operation.title = "Back the store up";
  operation.description =
      "Adds a backup of the store, with all spaces, to a directory of the server's machine, while "
      "reads and writes go on, and verifies it. Files that did not change since the backup before "
      "are kept once. The key files are not in it. Returns its number, and a seq of each log that "
      "it holds at least: what was rejected or erased after it can be exported from there.";
  operation.input_schema =
      s::Object({{"directory", s::Text("Where the backups are kept")},
                 {"dry_run", s::Flag("Only say what would be in it at least")}},
                {"directory"});
  operation.output_schema = s::Object(
      {{"number", s::Integer()},
       {"bytes", s::Integer("That a restore writes")},
       {"files", s::Integer()},
       {"spaces",
        s::ListOf(s::Object({{"space", s::Text()}, {"seq", s::Integer()}}, {"space", "seq"}))},
       {"dry_run", s::Flag()}},
      {"spaces"});
  operation.hints = kAdds;
  operation.roles = Caller::kOperator;
  operation.mcp_tool = false;
  operation.http_method = "POST";
  operation.http_path = "/api/v1/backup";
  operation.run = [&engine](const Caller& caller, const Json& arguments) {
    return Run(engine, caller, arguments);
  };
  return operation;
}

}  // namespace perdure::operations
