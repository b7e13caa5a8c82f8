// The data directory: where it is, how it comes to be, and the tokens in it.
//
//   DIR/store/  keys/  index/      the engine's and the indexes' (docs/FORMAT.md)
//   DIR/token                      an agent's token, for clients
//   DIR/operator.token             an operator's token, for the program's own verbs
//   DIR/perdure.toml               settings (tools/settings/settings.h); may be missing
//   DIR/lock                       who has it open (tools/directory_lock.h)
//
// The directory has mode 0700, the token files 0600.
#pragma once

#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/result.h"

namespace perdure {

struct Program;

// --data, else PERDURE_DATA, else $XDG_DATA_HOME/perdure, else ~/.local/share/perdure.
Result<std::string> DataDirOf(const Program& program);

// For verbs that have no data directory, and so no settings file: --model, else PERDURE_MODEL_DIR,
// else ModelDirBeside().
std::string ModelDirOf(const Program& program);
// ../model beside the program's own directory.
std::string ModelDirBeside();

// The value of a variable that is set and not empty.
std::optional<std::string> Environment(const char* name);

std::string AgentTokenFile(const std::string& data_dir);
std::string OperatorTokenFile(const std::string& data_dir);

bool HasStore(const std::string& data_dir);

// Makes the directory itself, for the lock file to stand in.
Status MakeDataDir(const std::string& data_dir);

// Makes whatever is missing: store, keys, the two tokens. The caller holds the lock. True when the
// store was made.
Result<bool> FillDataDir(const std::string& data_dir, Clock& clock, Random& random);

// The one line of a token file. kNotFound names the remedy; kForbidden when group or others may
// read it.
Result<std::string> ReadTokenFile(const std::string& path);

}  // namespace perdure
