// How a verb reaches the operations: the server that has the data directory open, or, when there
// is none, the store opened in this process. Either way as the holder of the operator's token (or
// of PERDURE_TOKEN, where that is set), through the same table of operations.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"
#include "tools/program.h"

namespace perdure {

class Session {
 public:
  virtual ~Session() = default;

  // `verb` is named to others who want the directory meanwhile.
  static Result<std::unique_ptr<Session>> Open(const Program& program, const std::string& verb);

  // The operation's answer, or its error: the same through either door. Text that is not UTF-8 is
  // refused with its offset before anything is sent.
  Result<nlohmann::json> Call(const std::string& operation, const nlohmann::json& arguments);

  virtual bool IsRemote() const = 0;

 private:
  virtual Result<nlohmann::json> Run(const std::string& operation,
                                     const nlohmann::json& arguments) = 0;
};

}  // namespace perdure
