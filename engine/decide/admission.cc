#include "engine/decide/admission.h"

#include <fmt/format.h>

#include "engine/decide/injection.h"
#include "engine/decide/refusal.h"

namespace perdure {

Result<bool> CheckInjection(fb::Admission policy, std::string_view text) {
  if (policy == fb::Admission::admit) return false;
  const auto pattern = FindInjection(text);
  if (!pattern) return false;
  if (policy == fb::Admission::quarantine) return true;
  return Refuse(Rule::kInjection,
                fmt::format("The text gives orders to whoever reads it ({}). Say what happened "
                            "instead; a reviewer can change the policy.",
                            *pattern),
                "text");
}

}  // namespace perdure
