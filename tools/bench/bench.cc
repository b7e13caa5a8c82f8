#include "tools/bench/bench.h"

namespace perdure::bench {

const std::vector<Named>& All() {
  static const std::vector<Named> all = {
      {"write", "durable writes by one client and by 64, beside RocksDB and SQLite", Write},
      {"facts", "asserting facts where there are few and many of them, and asking for one", Facts},
      {"asof", "a get at past record times beside a get now", AsOf},
      {"open", "opening a store of a million entries with its indexes beside one of a tenth", Open},
      {"replay", "replaying and verifying a log", Replay},
      {"search", "searches and writes over HTTP, and bytes a memory, embedding apart", Search},
  };
  return all;
}

}  // namespace perdure::bench
