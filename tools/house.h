// Everything that answers calls, put together in one process: engine, indexes, operations, MCP.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/engine.h"
#include "engine/replay/scrub.h"
#include "index/search/search_service.h"
#include "server/api/engine_authenticator.h"
#include "server/api/memory_completions.h"
#include "server/api/memory_prompts.h"
#include "server/api/memory_resources.h"
#include "server/api/operation.h"
#include "server/http/http_server.h"
#include "server/mcp/endpoint.h"
#include "tools/directory_lock.h"

namespace perdure {

struct HouseOptions {
  std::string data_dir;
  std::string model_dir;
  SyncPolicy sync;
  WritePolicy writes = WritePolicy::kAlways;
  WritePolicy erase = WritePolicy::kAlways;
};

class House {
 public:
  // Open calls it.
  explicit House(DirectoryLock lock) : lock_(std::move(lock)) {}
  // Opens the store in `data_dir`, which exists and whose lock the caller hands over, follows the
  // log with the indexes, and finishes erasures that a crash interrupted.
  static Result<std::unique_ptr<House>> Open(const HouseOptions& options, DirectoryLock lock);

  Engine& engine() { return *engine_; }
  SearchService& search() { return *search_; }
  const Catalogue& catalogue() const { return *catalogue_; }
  const McpEndpoint& mcp() const { return *mcp_; }
  const Authenticator& authenticator() const { return *authenticator_; }
  DirectoryLock& lock() { return lock_; }
  const std::string& stand_in_reason() const { return stand_in_reason_; }

  // Reads the log and its payloads again and again in the background; at most once. `on_finding`
  // as in ScrubOptions.
  void StartScrub(ScrubOptions options);
  void StopScrub();

  // For /readyz: writes are taken, and whether the semantic arm is a stand-in.
  Readiness Ready() const;
  void AddGauges(Metrics& metrics) const;

  House(const House&) = delete;
  House& operator=(const House&) = delete;

 private:
  Status OpenParts(const HouseOptions& options);
  std::optional<ScrubStatus> Scrubbed() const;

  DirectoryLock lock_;  // goes last
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<Engine> engine_;
  std::string stand_in_reason_;
  std::unique_ptr<SearchService> search_;
  std::unique_ptr<Scrub> scrub_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<EngineAuthenticator> authenticator_;
  std::unique_ptr<MemoryResources> resources_;
  std::unique_ptr<MemoryCompletions> completions_;
  MemoryPrompts prompts_;
  std::unique_ptr<McpEndpoint> mcp_;
};

}  // namespace perdure
