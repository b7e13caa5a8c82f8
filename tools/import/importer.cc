#include "tools/import/importer.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "server/api/json.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kBatchRows = 500;
constexpr std::size_t kBatchBytes = 1 << 20;  // well below what a request may have

// What of a whole batch says nothing about a single row of it.
bool IsOfTheStore(Code code) {
  switch (code) {
    case Code::kUnavailable:
    case Code::kStorageFull:
    case Code::kInternal:
    case Code::kUnauthenticated:
      return true;
    default:
      return false;
  }
}

std::string OperationFor(const ImportRow& row) {
  return row.is_fact ? "fact_assert_many" : "memory_store_many";
}

Json ArgumentsOf(std::span<const ImportRow> batch, const ImportRun& run, std::uint64_t first,
                 bool partial) {
  Json rows = Json::array();
  for (const ImportRow& row : batch) rows.push_back(row.arguments);
  Json arguments = {{batch.front().is_fact ? "facts" : "memories", std::move(rows)},
                    {"reason", "import of " + run.name}};
  arguments["idempotency_key"] =
      fmt::format("import {} {}+{}{}", run.name, first, batch.size(), partial ? " rows" : "");
  if (partial) arguments["partial"] = true;
  if (run.dry_run) arguments["dry_run"] = true;
  return arguments;
}

}  // namespace

Status Importer::Take(ImportRow row) {
  ++report_.rows;
  if (!row.problem.empty()) {
    ++report_.failed;
    Leave(row, "failed", row.problem);
    return {};
  }
  if (!row.skipped.empty()) {
    ++report_.skipped;
    Leave(row, "skipped", row.skipped);
    return {};
  }
  if (!run_.scope.empty() && !row.arguments.contains("scope")) {
    row.arguments["scope"] = run_.scope;
  }
  const std::size_t bytes = DumpJson(row.arguments).size();
  const bool fits = batch_.size() < kBatchRows && batch_bytes_ + bytes <= kBatchBytes;
  if (!batch_.empty() && (!fits || batch_.front().is_fact != row.is_fact)) RETURN_IF_ERROR(Flush());
  batch_bytes_ += bytes;
  batch_.push_back(std::move(row));
  return {};
}

Result<ImportReport> Importer::Finish() {
  if (!report_.stopped) RETURN_IF_ERROR(Flush());
  return std::move(report_);
}

Status Importer::Flush() {
  if (batch_.empty()) return {};
  if (run_.stop && run_.stop()) {
    report_.stopped = true;
    report_.rows -= batch_.size();
    return Fail(Code::kUnavailable, "The import was stopped.");
  }
  RETURN_IF_ERROR(Send(batch_.front().is_fact));
  if (run_.progress) run_.progress(report_.rows);
  sent_ += batch_.size();
  batch_.clear();
  batch_bytes_ = 0;
  return {};
}

Status Importer::Send(bool partial) {
  const auto answer =
      session_.Call(OperationFor(batch_.front()), ArgumentsOf(batch_, run_, sent_, partial));
  if (!answer) {
    if (IsOfTheStore(answer.error().code)) return std::unexpected(answer.error());
    return partial ? SendEach() : Send(true);
  }
  for (std::size_t i = 0; i < batch_.size(); ++i) Count(batch_[i], (*answer)["results"].at(i));
  return {};
}

// A row that is no call at all, by its form, spoils every batch that it is in.
Status Importer::SendEach() {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const ImportRow& row = batch_[i];
    const auto answer =
        session_.Call(OperationFor(row), ArgumentsOf({&row, 1}, run_, sent_ + i, true));
    if (answer) {
      Count(row, (*answer)["results"].at(0));
    } else if (IsOfTheStore(answer.error().code)) {
      return std::unexpected(answer.error());
    } else {
      ++report_.failed;
      Leave(row, "failed", answer.error().message);
    }
  }
  return {};
}

void Importer::Count(const ImportRow& row, const Json& result) {
  const auto why = [](const Json& error) {
    return fmt::format("{}: {}", error.value("code", "refused"), error.value("message", ""));
  };
  if (result.contains("error")) {
    const bool by_gate =
        result["error"].contains("refused_seq") || result["error"].value("code", "") == "refused";
    ++(by_gate ? report_.refused : report_.failed);
    return Leave(row, by_gate ? "refused" : "failed", why(result["error"]));
  }
  if (!row.is_fact) {
    if (result.value("candidate", false)) {
      ++report_.candidates;
    } else {
      ++(result.value("created", false) ? report_.stored : report_.known);
    }
    return;
  }
  const std::string outcome = result.value("outcome", "");
  if (outcome == "refused") {
    ++report_.refused;
    return Leave(row, "refused",
                 fmt::format("{}: {}", result.value("rule", result.value("gate", "")),
                             result.value("reason", "")));
  }
  if (outcome == "candidate") {
    ++report_.candidates;
  } else {
    ++(outcome == "reinforced" ? report_.known : report_.stored);
  }
}

void Importer::Leave(const ImportRow& row, const char* what, std::string why) {
  report_.left.push_back({row.line, what, std::move(why)});
}

}  // namespace perdure
