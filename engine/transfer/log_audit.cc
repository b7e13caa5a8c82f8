#include "engine/transfer/log_audit.h"

#include <fmt/format.h>

#include "engine/base/hash.h"

namespace perdure {
namespace {

std::unexpected<Error> Bad(Seq seq, std::string message) {
  auto failed = Fail(Code::kCorrupt, std::move(message));
  failed.error().details.emplace_back("seq", std::to_string(seq));
  return failed;
}

}  // namespace

Status LogAudit::Next(const std::string& bytes, std::optional<std::string_view> payload) {
  RETURN_IF_ERROR(chain_.Next(bytes));
  tree_.Append(LeafHash(bytes));
  const fb::Entry& entry = *flatbuffers::GetRoot<fb::Entry>(bytes.data());
  origin_.Follow(entry);
  if (entry.event_type() == fb::Event::ValueSuppressed) suppressions_.insert(entry.seq());
  if (const auto* lifted = entry.event_as_SuppressionLifted()) {
    suppressions_.erase(lifted->suppression());
  }
  present_.push_back(payload.has_value());
  if (payload) {
    ++payloads_;
    if (!entry.payload_digest() || FromDigest(*entry.payload_digest()) != Sha256(*payload)) {
      return Bad(
          entry.seq(),
          fmt::format("The payload of entry {} is not the one that was written.", entry.seq()));
    }
    if (!PayloadRow::Parse(std::string(*payload))) {
      return Bad(entry.seq(), fmt::format("The payload of entry {} is malformed.", entry.seq()));
    }
  } else if (entry.payload_digest()) {
    gone_.insert(entry.seq());
  }
  if (const auto* covered = CoveredBy(entry)) covered_.insert(covered->begin(), covered->end());
  return {};
}

Status LogAudit::Finish() const {
  for (const Seq seq : gone_) {
    if (!covered_.contains(seq)) {
      return Bad(seq, fmt::format("The payload of entry {} is missing, and no entry says that it "
                                  "was erased.",
                                  seq));
    }
  }
  for (const Seq seq : covered_) {
    if (seq >= 1 && seq <= present_.size() && present_[seq - 1]) {
      return Bad(seq, fmt::format("The payload of entry {} is there, although the log says that it "
                                  "was erased.",
                                  seq));
    }
  }
  return {};
}

}  // namespace perdure
