#include "engine/transfer/export_file.h"

#include <algorithm>
#include <istream>
#include <limits>
#include <ostream>
#include <utility>

#include "engine/base/check.h"

namespace perdure {
namespace {

constexpr std::string_view kMagic = "PDEXPRT1";
constexpr std::size_t kHeadBytes = 5;  // kind, size
constexpr std::uint64_t kReadBytes = 1 << 20;

std::unexpected<Error> Bad(std::string message) { return Fail(Code::kCorrupt, std::move(message)); }

bool IsKind(char kind) { return std::string_view("SKEPHZ").find(kind) != std::string_view::npos; }

}  // namespace

ExportWriter::ExportWriter(std::ostream& out) : out_(out) { Write(kMagic); }

std::string ExportWriter::Space(SpaceId number, std::string_view name) {
  std::string bytes = Key().U32(number).Bytes(name).Take();
  Record(RecordKind::kSpace, bytes);
  return bytes;
}

void ExportWriter::Secret(std::string_view box) { Record(RecordKind::kSecret, box); }

void ExportWriter::Entry(std::string_view bytes) {
  ++entries_;
  Record(RecordKind::kEntry, bytes);
}

void ExportWriter::Payload(std::string_view row) {
  ++payloads_;
  Record(RecordKind::kPayload, row);
}

void ExportWriter::Seal(std::string_view verifier_key, std::string_view note) {
  Record(RecordKind::kSeal, std::string(verifier_key).append("\n").append(note));
}

void ExportWriter::End() {
  const Hash hash = hash_.Finish();
  Record(RecordKind::kEnd, Key().U64(entries_).U64(payloads_).Bytes(AsBytes(hash)).Take());
}

void ExportWriter::Record(RecordKind kind, std::string_view bytes) {
  PERDURE_CHECK(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  Write(Key()
            .U8(static_cast<std::uint8_t>(kind))
            .U32(static_cast<std::uint32_t>(bytes.size()))
            .Take());
  Write(bytes);
}

void ExportWriter::Write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  hash_.Update(bytes);
}

Result<std::optional<ExportRecord>> ExportReader::Next() {
  if (is_over_) return std::nullopt;
  if (!is_begun_) {
    ASSIGN_OR_RETURN(const std::string magic, Read(kMagic.size()));
    if (magic != kMagic) return Bad("This is no export of a space that this program can read.");
    hash_.Update(magic);
    is_begun_ = true;
  }
  ASSIGN_OR_RETURN(const std::string head, Read(kHeadBytes));
  if (!IsKind(head[0])) return Bad("A record of the export is of an unknown kind.");
  ExportRecord record{static_cast<RecordKind>(head[0]), {}};
  ASSIGN_OR_RETURN(record.bytes, Read(ReadBigEndian(std::string_view(head).substr(1))));
  if (record.kind == RecordKind::kEnd) {
    RETURN_IF_ERROR(CheckEnd(record.bytes, hash_.Finish()));
    is_over_ = true;
    return record;
  }
  hash_.Update(head);
  hash_.Update(record.bytes);
  if (record.kind == RecordKind::kEntry) ++entries_;
  if (record.kind == RecordKind::kPayload) ++payloads_;
  return record;
}

Result<std::string> ExportReader::Read(std::uint64_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t had = bytes.size();
    bytes.resize(had + std::min<std::uint64_t>(size - had, kReadBytes));
    in_.read(bytes.data() + had, static_cast<std::streamsize>(bytes.size() - had));
    if (static_cast<std::size_t>(in_.gcount()) != bytes.size() - had) {
      return Bad("The export is cut off: it has no end record.");
    }
  }
  return bytes;
}

Status ExportReader::CheckEnd(std::string_view end, const Hash& hash) {
  if (end != Key().U64(entries_).U64(payloads_).Bytes(AsBytes(hash)).Take()) {
    return Bad("The end record does not fit what is before it.");
  }
  if (in_.peek() != std::istream::traits_type::eof()) {
    return Bad("The export goes on after its end record.");
  }
  return {};
}

}  // namespace perdure
