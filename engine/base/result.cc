#include "engine/base/result.h"

namespace perdure {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "invalid_argument";
    case Code::kUnauthenticated:
      return "unauthenticated";
    case Code::kForbidden:
      return "forbidden";
    case Code::kNotFound:
      return "not_found";
    case Code::kAmbiguous:
      return "ambiguous";
    case Code::kConflict:
      return "conflict";
    case Code::kIdempotencyMismatch:
      return "idempotency_mismatch";
    case Code::kRefused:
      return "refused";
    case Code::kErased:
      return "erased";
    case Code::kCompacted:
      return "compacted";
    case Code::kTooLarge:
      return "too_large";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kStorageFull:
      return "storage_full";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace perdure
