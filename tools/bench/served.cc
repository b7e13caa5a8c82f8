#include "tools/bench/served.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/data_dir.h"

namespace perdure::bench {

Result<std::unique_ptr<Served>> Served::Make(const Place& place) {
  const std::string& directory = place.directory;
  std::error_code ignored;
  if (!place.keep) std::filesystem::remove_all(directory, ignored);
  auto served = std::make_unique<Served>();
  served->place_ = place;
  RETURN_IF_ERROR(MakeDataDir(directory));
  ASSIGN_OR_RETURN(auto attempt,
                   DirectoryLock::Acquire(directory, "bench", std::chrono::seconds(0)));
  if (!attempt.lock) return Fail(Code::kUnavailable, attempt.holder.Name() + " is in the way.");
  SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(served->is_new_, FillDataDir(directory, clock, random));
  ASSIGN_OR_RETURN(served->token_, ReadTokenFile(OperatorTokenFile(directory)));
  ASSIGN_OR_RETURN(
      served->house_,
      House::Open({.data_dir = directory, .model_dir = place.model_dir}, std::move(*attempt.lock)));
  served->serving_ = std::make_unique<Serving>(*served->house_, ServingOptions{}, served->log_);
  RETURN_IF_ERROR(served->serving_->Start());
  const std::string address = served->serving_->Address();
  served->port_ = std::stoi(address.substr(address.rfind(':') + 1));
  return served;
}

void Served::Stop() {
  serving_.reset();
  house_.reset();
}

Served::~Served() {
  Stop();
  std::error_code ignored;
  if (!place_.keep) std::filesystem::remove_all(place_.directory, ignored);
}

std::unique_ptr<HttpClient> Served::Connect() const {
  return std::make_unique<HttpClient>(HttpClient::Options{.port = port_});
}

Result<nlohmann::json> Served::Call(HttpClient& client, const std::string& method,
                                    const std::string& path, const nlohmann::json& body) const {
  ASSIGN_OR_RETURN(const ClientReply reply,
                   client.Send({.method = method,
                                .target = path,
                                .headers = {{"Authorization", "Bearer " + token_}},
                                .body = body.is_null() ? "" : body.dump()}));
  if (reply.status != 200) {
    return Fail(Code::kInternal, fmt::format("{} answered {}: {}", path, reply.status, reply.body));
  }
  return nlohmann::json::parse(reply.body);
}

Status Served::AwaitVectors() {
  if (house_->search().WaitUntilIndexed(kMainSpace, std::chrono::hours(1))) return {};
  return Fail(Code::kUnavailable, "The indexes did not catch up within an hour.");
}

}  // namespace perdure::bench
