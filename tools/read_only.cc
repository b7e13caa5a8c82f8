#include "tools/read_only.h"

#include "tools/data_dir.h"

namespace perdure {

Result<std::unique_ptr<ReadOnlyStore>> ReadOnlyStore::Open(const Program& program,
                                                           bool check_tail) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  auto store = std::make_unique<ReadOnlyStore>();
  ASSIGN_OR_RETURN(
      store->engine_,
      Engine::Open({.directory = data_dir, .read_only = true, .check_tail = check_tail},
                   store->clock_, store->random_));
  return store;
}

}  // namespace perdure
