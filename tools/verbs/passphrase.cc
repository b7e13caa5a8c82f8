#include "tools/verbs/passphrase.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/arguments.h"

namespace perdure {

Result<std::string> PassphraseIn(const std::string& path) {
  if (path.empty()) return std::string();
  ASSIGN_OR_RETURN(std::string text, ReadText(path));
  text = text.substr(0, text.find_first_of("\r\n"));
  if (!text.empty()) return text;
  return Fail(Code::kInvalidArgument, fmt::format("The first line of {} is empty.", path),
              "passphrase-file");
}

std::string StayingBehind(const std::vector<Seq>& suppressions) {
  if (suppressions.empty()) return "  the space's secret is not in it; nothing was rejected\n";
  return fmt::format(
      "  the space's secret is not in it: what entries {} rejected does not stay out "
      "where it is adopted; --passphrase-file lets the secret go along\n",
      fmt::join(suppressions, ", "));
}

}  // namespace perdure
