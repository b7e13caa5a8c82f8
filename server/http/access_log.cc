#include "server/http/access_log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "server/api/json.h"

namespace perdure {

using Json = nlohmann::json;

class AccessLog::Impl {
 public:
  explicit Impl(std::ostream& out)
      : logger("access", std::make_shared<spdlog::sinks::ostream_sink_mt>(out, true)) {
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})", spdlog::pattern_time_type::utc));
  }

  // The members of `object` go behind those of the pattern.
  void Info(const Json& object) {
    const std::string text = DumpJson(object);
    logger.info(std::string_view(text).substr(1, text.size() - 2));
  }

  spdlog::logger logger;
};

AccessLog::AccessLog(std::ostream& out) : impl_(std::make_unique<Impl>(out)) {}
AccessLog::~AccessLog() = default;

void AccessLog::Write(const AccessRecord& record) {
  Json line = {{"event", "request"},
               {"method", record.method},
               {"route", record.route},
               {"status", record.status},
               {"ms", std::chrono::duration<double, std::milli>(record.duration).count()},
               {"request_bytes", record.request_bytes},
               {"response_bytes", record.response_bytes}};
  if (!record.principal.empty()) line["principal"] = record.principal;
  impl_->Info(line);
}

void AccessLog::Note(const std::string& event, const std::string& text) {
  impl_->Info({{"event", event}, {"text", text}});
}

}  // namespace perdure
