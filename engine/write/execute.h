// One command against a state: the entries it makes, or the refusal entry that records why not.
// Pure; the sequencer is the edge around it.
#pragma once

#include <functional>
#include <vector>

#include "engine/base/result.h"
#include "engine/decide/command.h"
#include "engine/decide/transaction.h"

namespace perdure {

struct Execution {
  Result<WriteOutcome> answer;
  std::vector<Entry> entries;  // empty for a dry run and for an answer from the log
  LogHead head;                // after them
};

// Decides `command` over `group` and leaves its writes there. `refusal_count` is called only when
// decide refuses: how many refusals the entry stands for, 0 to write none.
Execution Execute(Overlay& group, const Circumstances& circumstances, const Command& command,
                  const std::function<std::uint32_t()>& refusal_count);

}  // namespace perdure
