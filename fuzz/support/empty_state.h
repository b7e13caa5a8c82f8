// A store without anything in it, to lay overlays over.
#pragma once

#include "engine/storage/state.h"

namespace perdure::fuzz {

class EmptyState final : public StateReader {
 public:
  Result<std::optional<std::string>> Get(Family, std::string_view) const override {
    return std::nullopt;
  }
  Status Scan(Family, std::string_view, std::string_view, const Visitor&) const override {
    return {};
  }
};

}  // namespace perdure::fuzz
