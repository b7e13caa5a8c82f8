// What an operation may say, and ask, before it answers.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

// RFC 5424 section 6.2.1, the mildest first.
enum class LogLevel {
  kDebug,
  kInfo,
  kNotice,
  kWarning,
  kError,
  kCritical,
  kAlert,
  kEmergency,
};

// The line back to whoever called. Used by the thread that runs the operation, until it returns.
class Dialogue {
 public:
  using Json = nlohmann::json;

  virtual ~Dialogue() = default;

  // `done` grows from call to call; a `total` of 0 is not known. Costs nothing while nobody asked.
  virtual void Progress(double done, double total, const std::string& message) = 0;
  virtual void Log(LogLevel level, const Json& data) = 0;

  // Whether Ask may be called with a request of this method, e.g. "elicitation/create".
  virtual bool CanAsk(std::string_view method) const = 0;

  // Asks the caller's side `request`, an object of "method" and "params", under a key of the
  // operation's own. The answer is the method's result, checked for its form. nullopt: it is not
  // there yet. Then the operation returns, after its other questions, and whatever it returns is
  // dropped; it runs again from its beginning once the answers have come, so what it does before
  // must bear repeating. kUnavailable: the client cannot be asked.
  virtual Result<std::optional<Json>> Ask(const std::string& key, const Json& request) = 0;

  // What Keep was given in the run before, or null. The caller can read it, but not alter it.
  virtual const Json& Kept() const = 0;
  virtual void Keep(Json state) = 0;
};

// For doors that carry an answer and nothing before it.
class NoDialogue final : public Dialogue {
 public:
  void Progress(double, double, const std::string&) override {}
  void Log(LogLevel, const Json&) override {}
  bool CanAsk(std::string_view) const override { return false; }
  Result<std::optional<Json>> Ask(const std::string&, const Json&) override {
    return Fail(Code::kUnavailable, "The operation has a question, which this door cannot carry.");
  }
  const Json& Kept() const override { return kept_; }
  void Keep(Json) override {}

 private:
  const Json kept_;
};

}  // namespace perdure
