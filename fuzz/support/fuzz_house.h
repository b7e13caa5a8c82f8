// A whole house in a directory of the fuzzer's own, kept for all inputs of a run.
#pragma once

#include <string>

#include "engine/base/check.h"
#include "support/temp_dir.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/house.h"

namespace perdure::fuzz {

class FuzzHouse {
 public:
  FuzzHouse() {
    SystemClock clock;
    SystemRandom random;
    auto attempt = DirectoryLock::Acquire(dir_.path(), "fuzz", std::chrono::milliseconds(0));
    PERDURE_CHECK(attempt && attempt->lock);
    PERDURE_CHECK(FillDataDir(dir_.path(), clock, random).has_value());
    auto opened = House::Open({.data_dir = dir_.path(),
                               .model_dir = dir_.path() + "/no-model",
                               .sync = {.mode = SyncMode::kNever}},
                              std::move(*attempt->lock));
    PERDURE_CHECK(opened.has_value());
    house_ = std::move(*opened);
  }

  House& operator*() { return *house_; }
  House* operator->() { return house_.get(); }
  // A caller with every role.
  Caller Operator() const {
    const auto token = ReadTokenFile(OperatorTokenFile(dir_.path()));
    PERDURE_CHECK(token.has_value());
    auto caller = house_->authenticator().Authenticate(*token);
    PERDURE_CHECK(caller.has_value());
    caller->roles = Caller::kAnyone;
    caller->door = "mcp-http";
    return *caller;
  }
  std::string AgentToken() const {
    auto token = ReadTokenFile(AgentTokenFile(dir_.path()));
    PERDURE_CHECK(token.has_value());
    return *token;
  }

 private:
  testing::TempDir dir_;
  std::unique_ptr<House> house_;
};

// Made at the first call and kept: threads and files of a store take longer than any input.
inline FuzzHouse& TheHouse() {
  static FuzzHouse house;
  return house;
}

}  // namespace perdure::fuzz
