// The container of an export: one space in one file that can be written and read as a stream.
//
//   export := "PDEXPRT1" space secret? (entry payload? seal*)* end
//   record := kind(1) size:u32be bytes(size)             each of the five is one
//   space   'S' := number:u32be name                     entry   'E' := the entry's bytes
//   payload 'P' := payload row of the entry before it    seal    'H' := verifier key "\n" note
//   secret  'K' := the space's secret under a passphrase (engine/base/secret_box.h), bound to the
//                  bytes of the space's record
//   end     'Z' := entries:u64be payloads:u64be SHA-256(32) of all bytes before this record
//
// A seal is a signed tree head of the entries before it; the last one covers all of them. The file
// holds no clock, host, path or version of a program: equal logs give equal bytes.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "engine/storage/keys.h"

namespace perdure {

enum class RecordKind : char {
  kSpace = 'S',
  kSecret = 'K',
  kEntry = 'E',
  kPayload = 'P',
  kSeal = 'H',
  kEnd = 'Z'
};

// Writes an export to `out`, which must outlive it. Whether `out` took everything, the caller asks
// it at the end.
class ExportWriter {
 public:
  explicit ExportWriter(std::ostream& out);
  // Returns the record's bytes.
  std::string Space(SpaceId number, std::string_view name);
  void Secret(std::string_view box);
  void Entry(std::string_view bytes);
  void Payload(std::string_view row);
  void Seal(std::string_view verifier_key, std::string_view note);
  void End();  // the last record

 private:
  void Record(RecordKind kind, std::string_view bytes);
  void Write(std::string_view bytes);

  std::ostream& out_;
  Sha256Stream hash_;
  std::uint64_t entries_ = 0;
  std::uint64_t payloads_ = 0;
};

struct ExportRecord {
  RecordKind kind = RecordKind::kEnd;
  std::string bytes;
};

// Reads the records of an export from `in`, which must outlive it.
class ExportReader {
 public:
  explicit ExportReader(std::istream& in) : in_(in) {}
  // The next record; after the end record, whose counts and hash were compared, nullopt. kCorrupt
  // when the file is none, is cut off, or goes on after its end. Takes no more memory than the
  // file has bytes, whatever sizes it claims.
  Result<std::optional<ExportRecord>> Next();

 private:
  Result<std::string> Read(std::uint64_t size);
  Status CheckEnd(std::string_view end, const Hash& hash);

  std::istream& in_;
  Sha256Stream hash_;
  std::uint64_t entries_ = 0;
  std::uint64_t payloads_ = 0;
  bool is_begun_ = false;
  bool is_over_ = false;
};

}  // namespace perdure
