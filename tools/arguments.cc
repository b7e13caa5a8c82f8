#include "tools/arguments.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "tools/session.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

Json::json_pointer Pointer(const std::string& path) {
  return Json::json_pointer(path.starts_with('/') ? path : "/" + path);
}

template <typename Value>
CLI::Option* Add(CLI::App& verb, const Arguments& arguments, const std::string& option,
                 const std::string& path, const std::string& description) {
  return verb.add_option_function<Value>(
      option, [arguments, at = Pointer(path)](const Value& value) { (*arguments)[at] = value; },
      description);
}

std::string NameOf(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  return parent == nullptr || parent->get_parent() == nullptr
             ? verb.get_name()
             : fmt::format("{} {}", parent->get_name(), verb.get_name());
}

}  // namespace

Arguments NewArguments() { return std::make_shared<Json>(Json::object()); }

CLI::Option* TextOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                        const std::string& path, const std::string& description) {
  return Add<std::string>(verb, arguments, option, path, description);
}

CLI::Option* TextsOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                         const std::string& path, const std::string& description) {
  return Add<std::vector<std::string>>(verb, arguments, option, path, description)
      ->expected(1)
      ->take_all();
}

CLI::Option* IntegerOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                           const std::string& path, const std::string& description) {
  return Add<std::int64_t>(verb, arguments, option, path, description);
}

CLI::Option* NumberOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                          const std::string& path, const std::string& description) {
  return Add<double>(verb, arguments, option, path, description);
}

CLI::Option* FlagOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                        const std::string& path, const std::string& description) {
  return verb.add_flag_function(
      option, [arguments, at = Pointer(path)](std::int64_t) { (*arguments)[at] = true; },
      description);
}

CLI::Option* JsonOption(CLI::App& verb, const Arguments& arguments, const std::string& option,
                        const std::string& path, const std::string& description) {
  return verb
      .add_option_function<std::string>(
          option,
          [arguments, at = Pointer(path)](const std::string& text) {
            (*arguments)[at] = Json::parse(text);
          },
          description)
      ->check([](const std::string& text) {
        return Json::accept(text) ? std::string() : "not JSON: " + text;
      });
}

void WriteOptionsFor(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "--key", "idempotency_key",
             "Idempotency key: the same call again gives the first answer");
  FlagOption(verb, arguments, "--dry-run", "dry_run", "Say what would be done, and do nothing");
  FlagOption(verb, arguments, "--keep", "keep", "Of a dry run: leave an entry in the log");
  TextOption(verb, arguments, "--reason", "reason", "Why, for the log");
}

void ChangeOptionsFor(CLI::App& verb, const Arguments& arguments) {
  WriteOptionsFor(verb, arguments);
  IntegerOption(verb, arguments, "--expected-version", "expected_version",
                "Refuse when the memory is at another version");
}

void ReadOptionsFor(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "--as-of", "as_of",
             "As it was then: a time, a seq of the log, or a snapshot's name");
  TextOption(verb, arguments, "--valid-at", "valid_at", "What held at this time (default: now)");
}

void RefusingOptionsFor(CLI::App& verb, const Arguments& arguments) {
  FlagOption(verb, arguments, "--wide", "wide",
             "A rejection holds in the whole space, not in the memory's scope");
  TextOption(verb, arguments, "--until", "until", "When a rejection ends (default: never)");
}

void FilterOptionsFor(CLI::App& verb, const Arguments& arguments) {
  TextOption(verb, arguments, "--scope", "scope", "Container or ;user=NAME");
  TextsOption(verb, arguments, "--tag", "/filter/tags", "With this tag (repeat: with all)");
  TextOption(verb, arguments, "--type", "/filter/type", "Of this type");
  TextOption(verb, arguments, "--theme", "/filter/theme", "Of this theme");
  TextsOption(verb, arguments, "--state", "/filter/state", "In this state (repeat: in any)");
  TextOption(verb, arguments, "--kind", "/filter/kind", "Of this kind");
  TextOption(verb, arguments, "--store", "/filter/store", "In this store");
  TextOption(verb, arguments, "--class", "/filter/class", "document or communication");
  TextsOption(verb, arguments, "--genre", "/filter/genre",
              "Of this genre (repeat: of any; default: factual)");
  TextOption(verb, arguments, "--source", "/filter/source", "From this source");
  JsonOption(verb, arguments, "--metadata", "/filter/metadata",
             "Whose metadata fits, e.g. {\"priority\":{\"gte\":2}}");
  JsonOption(verb, arguments, "--filter", "filter", "The whole filter as a JSON object");
}

void OnPreparedCall(CLI::App& verb, Program& program, const std::string& operation,
                    const Arguments& arguments, Prepare prepare, Render render) {
  OnRun(verb, program,
        [&program, name = NameOf(verb), operation, arguments, prepare = std::move(prepare),
         render = std::move(render)]() -> Result<int> {
          RETURN_IF_ERROR(prepare(*arguments));
          ASSIGN_OR_RETURN(const auto session, Session::Open(program, name));
          ASSIGN_OR_RETURN(const Json answer, session->Call(operation, *arguments));
          program.json ? PrintJson(answer) : render(answer);
          return answer.value("outcome", "") == "refused" ? kExitFailed : kExitOk;
        });
}

void OnCall(CLI::App& verb, Program& program, const std::string& operation,
            const Arguments& arguments, Render render) {
  OnPreparedCall(
      verb, program, operation, arguments, [](Json&) { return Status(); }, std::move(render));
}

Result<std::string> ReadText(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) {
    return Fail(Code::kNotFound, fmt::format("The file {} cannot be read.", path), "file");
  }
  return text;
}

}  // namespace perdure
