// The store as an onlooker: opened read-only, beside a running server too, as it is at that moment.
#pragma once

#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/engine.h"
#include "tools/program.h"

namespace perdure {

class ReadOnlyStore {
 public:
  // `check_tail` false opens a log that fails the check at open, too, to find out where.
  static Result<std::unique_ptr<ReadOnlyStore>> Open(const Program& program, bool check_tail);

  const Engine& engine() const { return *engine_; }
  const std::string& data_dir() const { return engine_->directory(); }

 private:
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace perdure
