#include "engine/transfer/export.h"

#include <fmt/format.h>

#include <istream>
#include <ostream>
#include <utility>

#include "engine/base/secret_box.h"
#include "engine/model/tables.h"
#include "engine/transfer/export_file.h"
#include "engine/transfer/log_audit.h"

namespace perdure {
namespace {

constexpr Seq kProgressEvery = 10'000;

std::unexpected<Error> Bad(std::string message) { return Fail(Code::kCorrupt, std::move(message)); }

Result<Seal> ParseSeal(std::string_view bytes, std::string_view origin) {
  const std::size_t line = bytes.find('\n');
  if (line == bytes.npos) return Bad("A seal of the export has no verifier key.");
  Seal seal{std::string(bytes.substr(0, line)), std::string(bytes.substr(line + 1)), {}};
  ASSIGN_OR_RETURN(const VerifierKey key, ParseVerifierKey(seal.verifier_key));
  ASSIGN_OR_RETURN(seal.head, OpenTreeHead(seal.note, origin, key.key));
  return seal;
}

// Copies the log of one space into an export.
class Copier {
 public:
  Copier(const Engine& engine, const SpaceInfo& space, std::ostream& out)
      : engine_(engine),
        space_(space),
        writer_(out),
        audit_(space.id, Engine::OriginOf(space.name)) {}

  Status Run(const std::function<void(Seq)>& progress, const std::string& passphrase) {
    const std::string named = writer_.Space(space_.id, space_.name);
    if (!passphrase.empty()) {
      ASSIGN_OR_RETURN(report_.secret,
                       WrapSecret(engine_.KeysOf(space_.id).secret, passphrase, named));
      writer_.Secret(report_.secret);
    }
    const Seq last = engine_.Visible(space_.id).seq;
    Status copied;
    RETURN_IF_ERROR(engine_.Latest().Scan(Family::kLog, tables::LogEntry(space_.id, 1),
                                          tables::LogEntry(space_.id, last + 1),
                                          [&](std::string_view, std::string_view bytes) {
                                            copied = Copy(std::string(bytes));
                                            if (progress && audit_.head().seq % kProgressEvery == 0)
                                              progress(audit_.head().seq);
                                            return copied.has_value();
                                          }));
    RETURN_IF_ERROR(copied);
    RETURN_IF_ERROR(audit_.Finish());
    if (report_.seals.empty() || report_.seals.back().head.size != last) OwnSeal();
    writer_.End();
    return {};
  }

  ExportReport report() && {
    report_.space = space_.id;
    report_.name = space_.name;
    report_.entries = audit_.head().seq;
    report_.payloads = audit_.payloads();
    report_.payloads_gone = audit_.payloads_gone();
    report_.root = audit_.Root();
    report_.suppressions = audit_.Suppressions();
    return std::move(report_);
  }

 private:
  Status Copy(const std::string& bytes) {
    const Seq seq = audit_.head().seq + 1;
    ASSIGN_OR_RETURN(const auto row,
                     engine_.Latest().Get(Family::kPayload, tables::PayloadOf(space_.id, seq)));
    RETURN_IF_ERROR(audit_.Next(bytes, row ? std::optional<std::string_view>(*row) : std::nullopt));
    writer_.Entry(bytes);
    if (row) writer_.Payload(*row);
    return AdoptedSeal(seq);
  }

  Status AdoptedSeal(Seq size) {
    ASSIGN_OR_RETURN(const auto stored,
                     engine_.Latest().Get(Family::kMeta, tables::AdoptedSeal(space_.id, size)));
    if (!stored) return {};
    ASSIGN_OR_RETURN(Seal seal, ParseSeal(*stored, audit_.origin()));
    writer_.Seal(seal.verifier_key, seal.note);
    report_.seals.push_back(std::move(seal));
    return {};
  }

  void OwnSeal() {
    const SigningKey& key = engine_.KeysOf(space_.id).signing;
    Seal seal;
    seal.head = {audit_.origin(), audit_.head().seq, audit_.Root(), {}};
    seal.note = SignTreeHead(seal.head, key);
    seal.verifier_key = FormatVerifierKey(seal.head.origin, key.public_key);
    writer_.Seal(seal.verifier_key, seal.note);
    report_.seals.push_back(std::move(seal));
  }

  const Engine& engine_;
  const SpaceInfo& space_;
  ExportWriter writer_;
  LogAudit audit_;
  ExportReport report_;
};

// Follows the grammar: what comes when.
class Checker {
 public:
  explicit Checker(const TakeEntry& take) : take_(take) {}

  Status Take(ExportRecord record) {
    if (!audit_ && record.kind != RecordKind::kSpace) {
      return Bad("The export does not begin with its space.");
    }
    switch (record.kind) {
      case RecordKind::kSpace:
        return TakeSpace(record.bytes);
      case RecordKind::kSecret:
        if (!report_.secret.empty() || entry_ || audit_->head().seq > 0) {
          return Bad("The secret of the export is not in its place.");
        }
        report_.secret = std::move(record.bytes);
        return {};
      case RecordKind::kEntry:
        RETURN_IF_ERROR(Settle());
        entry_ = std::move(record.bytes);
        return {};
      case RecordKind::kPayload:
        if (!entry_ || payload_) return Bad("A payload of the export belongs to no entry.");
        payload_ = std::move(record.bytes);
        return {};
      case RecordKind::kSeal:
        RETURN_IF_ERROR(Settle());
        return TakeSeal(record.bytes);
      case RecordKind::kEnd:
        break;
    }
    RETURN_IF_ERROR(Settle());
    if (report_.seals.empty() || report_.seals.back().head.size != audit_->head().seq) {
      return Bad("The last entries of the export are under no seal.");
    }
    return audit_->Finish();
  }

  ExportReport report() && {
    report_.entries = audit_->head().seq;
    report_.payloads = audit_->payloads();
    report_.payloads_gone = audit_->payloads_gone();
    report_.root = audit_->Root();
    report_.suppressions = audit_->Suppressions();
    return std::move(report_);
  }

 private:
  Status TakeSpace(std::string_view bytes) {
    if (audit_ || bytes.size() <= 4) return Bad("The export names its space not once.");
    report_.space = static_cast<SpaceId>(ReadBigEndian(bytes.substr(0, 4)));
    report_.name = bytes.substr(4);
    audit_.emplace(report_.space, Engine::OriginOf(report_.name));
    return {};
  }

  // The entry read before has its payload by now, or none.
  Status Settle() {
    if (!entry_) return {};
    const auto payload = payload_ ? std::optional<std::string_view>(*payload_) : std::nullopt;
    RETURN_IF_ERROR(audit_->Next(*entry_, payload));
    if (take_) RETURN_IF_ERROR(take_(*entry_, payload));
    entry_.reset();
    payload_.reset();
    return {};
  }

  Status TakeSeal(std::string_view bytes) {
    ASSIGN_OR_RETURN(Seal seal, ParseSeal(bytes, audit_->origin()));
    if (seal.head.size != audit_->head().seq || seal.head.root != audit_->Root()) {
      return Bad(fmt::format("The entries up to {} are not those that the seal after them covers.",
                             audit_->head().seq));
    }
    report_.seals.push_back(std::move(seal));
    return {};
  }

  const TakeEntry& take_;
  std::optional<LogAudit> audit_;
  std::optional<std::string> entry_;
  std::optional<std::string> payload_;
  ExportReport report_;
};

Result<SpaceInfo> InfoOf(const Engine& engine, SpaceId space) {
  for (SpaceInfo& info : engine.Spaces()) {
    if (info.id == space) return std::move(info);
  }
  return Fail(Code::kNotFound, fmt::format("There is no space {}.", space), "space");
}

}  // namespace

Result<ExportReport> WriteExport(const Engine& engine, SpaceId space, std::ostream& out,
                                 const std::function<void(Seq)>& progress,
                                 const std::string& passphrase) {
  ASSIGN_OR_RETURN(const SpaceInfo info, InfoOf(engine, space));
  Copier copier(engine, info, out);
  RETURN_IF_ERROR(copier.Run(progress, passphrase));
  if (!out.flush())
    return Fail(Code::kUnavailable, "The export cannot be written. Is the disk full?");
  return std::move(copier).report();
}

Result<Secret> SecretOf(const ExportReport& report, const std::string& passphrase) {
  if (report.secret.empty()) {
    return Fail(Code::kNotFound, "The export was made without a passphrase: no secret is in it.",
                "passphrase");
  }
  return UnwrapSecret(report.secret, passphrase, Key().U32(report.space).Bytes(report.name).Take());
}

Result<ExportReport> ReadExport(std::istream& in, const TakeEntry& take) {
  ExportReader reader(in);
  Checker checker(take);
  while (true) {
    ASSIGN_OR_RETURN(auto record, reader.Next());
    if (!record) return std::move(checker).report();
    RETURN_IF_ERROR(checker.Take(std::move(*record)));
  }
}

}  // namespace perdure
