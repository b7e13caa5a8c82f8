// Turns what a reader asked for (a time, a seq, a snapshot, nothing) into one record time.
#pragma once

#include "engine/proof/keys.h"
#include "engine/read/read_view.h"

namespace perdure {

// In the principal's space. At most the head's time, however far in the future the asked one lies.
Result<Micros> ResolveMoment(const StateReader& reader, const Principal& principal,
                             const Secret& secret, const LogHead& head, const ReadAt& at);

}  // namespace perdure
