#include "engine/log/chain.h"

#include <fmt/format.h>

#include "engine/base/hash.h"

namespace perdure {
namespace {

std::unexpected<Error> Broken(Seq seq, std::string_view what) {
  auto failed = Fail(Code::kCorrupt, fmt::format("Entry {} {}.", seq, what));
  failed.error().details.emplace_back("seq", std::to_string(seq));
  return failed;
}

}  // namespace

void Chain::StartAfter(const fb::Entry& entry, std::string_view bytes) {
  head_ = {entry.seq(), entry.record_time(), Sha256(bytes)};
}

Status Chain::Next(const std::string& bytes) {
  const Seq seq = head_.seq + 1;
  const Result<Entry> parsed = Entry::Parse(bytes);
  if (!parsed) return Broken(seq, "is malformed");
  const fb::Entry& entry = **parsed;
  if (entry.space() != space_) return Broken(seq, "belongs to another space");
  if (entry.seq() != seq) return Broken(seq, fmt::format("calls itself {}", entry.seq()));
  if (FromDigest(*entry.prev_hash()) != head_.hash) return Broken(seq, kUnlinked);
  if (seq > 1 && entry.record_time() <= head_.time) {
    return Broken(seq, "is not later than the one before");
  }
  head_ = {seq, entry.record_time(), Sha256(bytes)};
  return {};
}

bool IsConfirmed(std::string_view bytes, const std::string* next, const LogHead& stored_head) {
  const Hash hash = Sha256(bytes);
  if (!next) return stored_head.hash == hash;
  const Result<Entry> parsed = Entry::Parse(*next);
  return parsed && FromDigest(*(*parsed)->prev_hash()) == hash;
}

}  // namespace perdure
