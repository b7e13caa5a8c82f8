#include "tools/source/sync.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/hash.h"
#include "engine/base/limits.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kBatchBytes = 1 << 20;  // of texts; well below what a request may have

const char* NameOf(FileAction action) {
  switch (action) {
    case FileAction::kStore:
      return "store";
    case FileAction::kEdit:
      return "edit";
    case FileAction::kRename:
      return "rename";
    case FileAction::kArchive:
      return "archive";
    case FileAction::kRestore:
      return "restore";
  }
  return "";
}

std::string DigestOf(std::string_view text) {
  const Hash digest = Sha256(text);
  return HexEncode(AsBytes(digest));
}

class Sync {
 public:
  Sync(const FolderSource& source, const CallOperation& call, bool dry_run)
      : source_(source), call_(call), dry_run_(dry_run) {}

  Result<SyncReport> Run(const FolderListing& listing) {
    report_.files = listing.paths.size();
    report_.problems = listing.problems;
    RETURN_IF_ERROR(Ask());
    Read(listing);
    for (const FileChange& change : ChangesOf(known_, seen_, unread_)) {
      RETURN_IF_ERROR(Add(change));
    }
    RETURN_IF_ERROR(Send());
    return std::move(report_);
  }

 private:
  Status Ask() {
    Json arguments = {{"source", source_.source}};
    while (true) {
      ASSIGN_OR_RETURN(const Json page, call_("source_files", arguments));
      for (const Json& file : page["files"]) {
        known_.push_back({file["id"], file["path"], file["state"], file["digest"], file["title"]});
      }
      if (!page.contains("cursor")) break;
      arguments["cursor"] = page["cursor"];
    }
    for (const KnownFile& known : known_) by_id_[known.id] = &known;
    return {};
  }

  // Keeps the texts that may have to be sent.
  void Read(const FolderListing& listing) {
    std::map<std::string_view, std::string_view> digests;
    for (const KnownFile& known : known_) {
      if (known.state == "live") digests[known.path] = known.digest;
    }
    for (const std::string& path : listing.paths) {
      auto text = ReadListed(source_.root, path);
      if (!text) {
        // What vanished while the folder was read is gone, the rest is there still.
        if (text.error().code != Code::kNotFound) unread_.push_back(path);
        report_.problems.push_back({path, text.error().message});
        continue;
      }
      SeenFile& seen = seen_.emplace_back(path, DigestOf(*text), TitleOfFile(*text, path));
      const auto known = digests.find(path);
      if (known == digests.end() || known->second != seen.digest) texts_[path] = *std::move(text);
    }
    for (const SeenFile& seen : seen_) by_path_[seen.path] = &seen;
  }

  Status Add(const FileChange& change) {
    Json sent = {{"action", NameOf(change.action)}, {"path", change.path}};
    if (!change.id.empty()) sent["id"] = change.id;
    if (change.action == FileAction::kArchive || change.action == FileAction::kRestore) {
      return Put(std::move(sent), 0);
    }
    const SeenFile& seen = *by_path_.at(change.path);
    const KnownFile* const known = change.id.empty() ? nullptr : by_id_.at(change.id);
    if (!known || known->title != seen.title) sent["title"] = seen.title;
    std::size_t bytes = 0;
    if (!known || known->digest != seen.digest) {
      const std::string& text = texts_.at(change.path);
      bytes = text.size();
      sent["text"] = text;
    }
    return Put(std::move(sent), bytes);
  }

  Status Put(Json change, std::size_t bytes) {
    const bool is_full =
        batch_.size() == limits::kStoreManyMax || batch_bytes_ + bytes > kBatchBytes;
    if (!batch_.empty() && is_full) RETURN_IF_ERROR(Send());
    batch_bytes_ += bytes;
    batch_.push_back(std::move(change));
    return {};
  }

  Status Send() {
    if (batch_.empty()) return {};
    Json results = batch_;
    if (!dry_run_) {
      ASSIGN_OR_RETURN(Json answer, call_("source_sync", {{"source", source_.source},
                                                          {"changes", std::move(batch_)},
                                                          {"reason", "scan of " + source_.root}}));
      results = std::move(answer["results"]);
    }
    for (const Json& result : results) {
      FileOutcome& outcome = report_.outcomes.emplace_back();
      outcome.path = result["path"];
      outcome.action = result["action"];
      outcome.id = result.value("id", "");
      outcome.is_candidate = result.value("candidate", false);
      if (result.contains("error")) outcome.problem = result["error"].value("message", "refused");
    }
    batch_ = Json::array();
    batch_bytes_ = 0;
    return {};
  }

  const FolderSource& source_;
  const CallOperation& call_;
  const bool dry_run_;
  SyncReport report_;
  std::vector<KnownFile> known_;
  std::vector<SeenFile> seen_;
  std::vector<std::string> unread_;
  std::map<std::string, const KnownFile*> by_id_;
  std::map<std::string, const SeenFile*> by_path_;
  std::map<std::string, std::string> texts_;
  Json batch_ = Json::array();
  std::size_t batch_bytes_ = 0;
};

}  // namespace

FolderSource FolderSourceOf(const Json& listed) {
  return {listed["source"], listed["store"], listed["path"],
          listed.value("patterns", std::vector<std::string>())};
}

Result<SyncReport> SyncSource(const FolderSource& source, const FolderListing& listing,
                              const CallOperation& call, bool dry_run) {
  return Sync(source, call, dry_run).Run(listing);
}

}  // namespace perdure
