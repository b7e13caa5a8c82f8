#include "engine/model/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/bytes.h"
#include "engine/base/limits.h"

namespace perdure {
namespace {

constexpr std::string_view kExample = "Write it like acme/website or acme;user=alice.";

Status CheckName(std::string_view name, std::string_view field) {
  if (name.empty()) {
    return Fail(Code::kInvalidArgument, fmt::format("A part of the scope is empty. {}", kExample),
                std::string(field));
  }
  if (name.size() > limits::kLabelBytesMax) {
    return Fail(Code::kTooLarge,
                fmt::format("A part of the scope has {} bytes; at most {} are allowed.",
                            name.size(), limits::kLabelBytesMax),
                std::string(field));
  }
  for (char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '*' || c == '=') {
      return Fail(Code::kInvalidArgument,
                  fmt::format("A scope names one place: wildcards, '=' and control characters are "
                              "not allowed in its parts. {}",
                              kExample),
                  std::string(field));
    }
  }
  if (name == "." || name == "..") {
    return Fail(Code::kInvalidArgument,
                fmt::format("'{}' is not a name of a container. {}", name, kExample),
                std::string(field));
  }
  return {};
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

Result<ScopePath> ParseScope(std::string_view text, std::string_view field) {
  if (text.size() > limits::kScopeBytesMax) {
    return Fail(Code::kTooLarge,
                fmt::format("The scope has {} bytes; at most {} are allowed.", text.size(),
                            limits::kScopeBytesMax),
                std::string(field));
  }
  if (const auto offset = FirstInvalidUtf8(text)) {
    return Fail(Code::kInvalidArgument,
                fmt::format("The scope is not UTF-8 from byte {} on.", *offset),
                std::string(field));
  }
  ScopePath scope;
  const std::vector<std::string_view> parts = Split(text, ';');
  if (!parts[0].empty()) {
    for (std::string_view name : Split(parts[0], '/')) {
      RETURN_IF_ERROR(CheckName(name, field));
      scope.containers.emplace_back(name);
    }
  }
  if (scope.containers.size() > limits::kScopeDepthMax) {
    return Fail(Code::kTooLarge,
                fmt::format("The scope is {} containers deep; at most {} are allowed.",
                            scope.containers.size(), limits::kScopeDepthMax),
                std::string(field));
  }
  for (std::string_view part : std::vector(parts.begin() + 1, parts.end())) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    std::string* target = key == "user"    ? &scope.user
                          : key == "agent" ? &scope.agent
                          : key == "run"   ? &scope.run
                                           : nullptr;
    if (equals == std::string_view::npos || !target || !target->empty()) {
      return Fail(
          Code::kInvalidArgument,
          fmt::format("After the first ';' a scope takes user=, agent= and run=, each once. "
                      "{}",
                      kExample),
          std::string(field));
    }
    const std::string_view name = part.substr(equals + 1);
    RETURN_IF_ERROR(CheckName(name, field));
    *target = name;
  }
  return scope;
}

std::string FormatScope(const ScopePath& scope) {
  std::string text = fmt::format("{}", fmt::join(scope.containers, "/"));
  if (!scope.user.empty()) text += ";user=" + scope.user;
  if (!scope.agent.empty()) text += ";agent=" + scope.agent;
  if (!scope.run.empty()) text += ";run=" + scope.run;
  return text;
}

bool IsWithin(const ScopePath& inner, const ScopePath& outer) {
  const auto agrees = [](const std::string& in, const std::string& out) {
    return out.empty() || in == out;
  };
  return inner.containers.size() >= outer.containers.size() &&
         std::equal(outer.containers.begin(), outer.containers.end(), inner.containers.begin()) &&
         agrees(inner.user, outer.user) && agrees(inner.agent, outer.agent) &&
         agrees(inner.run, outer.run);
}

}  // namespace perdure
