#include "bitflips/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

#include "bitflips/data_dir.h"
#include "engine/log/verify.h"
#include "engine/replay/replay.h"
#include "index/search/fake_embedder.h"
#include "index/search/search_service.h"
#include "support/test_engine.h"

namespace perdure::testing {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr char kBetween = '\x1f';

std::string Failed(const Error& error) { return kNoAnswer + error.message; }

std::string Say(const Result<Memory>& memory) {
  if (!memory) return Failed(memory.error());
  return fmt::format("v{} {} pinned={} [{}] '{}' {} {}", memory->record.version,
                     fb::EnumNameMemoryState(memory->record.state), memory->record.pinned,
                     fmt::join(memory->tags, ","), memory->title, FormatScope(memory->scope),
                     memory->text);
}

class Asker {
 public:
  Asker(const std::string& directory, Answers& answers)
      : directory_(directory), answers_(answers), random_(99) {}

  // Empty when the store opens.
  std::string Open() {
    auto opened = Engine::Open({.directory = directory_}, clock_, random_);
    if (!opened) return Failed(opened.error());
    engine_ = std::move(*opened);
    auto search = SearchService::Open(*engine_, std::make_unique<FakeEmbedder>(model_),
                                      {.directory = directory_ + "/index"});
    if (!search) return Failed(search.error());
    search_ = std::move(*search);
    return {};
  }

  void AskAll(const AskOptions& options) {
    for (const std::string& name : TokenFiles()) AskToken(name);
    for (const SpaceInfo& space : engine_->Spaces()) {
      Principal principal = With(kAgent | kReviewer | kAuditor | kOperator);
      principal.space = space.id;
      AskSpace(space, principal);
      if (space.id != kSystemSpace) AskSearch(space, principal);
      if (options.check_log) AskLog(space);
    }
    if (!options.check_log) return;
    const auto replayed = Replay(*engine_, directory_ + "/replay");
    answers_["replay"] = !replayed                       ? Failed(replayed.error())
                         : !replayed->difference.empty() ? kNoAnswer + replayed->difference
                                                         : "equal";
  }

  std::string Repairs() const {
    std::string repairs;
    for (const auto& space : search_->Status().spaces) {
      for (const std::string& repair : space.repairs) repairs += repair + "; ";
    }
    return repairs;
  }

 private:
  void AskToken(const std::string& name) {
    std::ifstream file(directory_ + "/" + name);
    std::string token;
    std::getline(file, token);
    const auto principal = engine_->Authenticate(token);
    answers_["token " + name] = principal ? ToString(principal->id) : Failed(principal.error());
  }

  void AskSpace(const SpaceInfo& space, const Principal& principal) {
    const std::string in = space.name + " ";
    const LogHead head = engine_->Visible(space.id);
    answers_[in + "head"] = fmt::format("{} {}", head.seq, HexEncode(AsBytes(head.hash)));
    answers_[in + "root"] = HexEncode(AsBytes(engine_->Tree(space.id).Root()));
    for (const Seq as_of : {head.seq, head.seq / 2}) {
      const auto view = engine_->Read(principal, {.seq = as_of});
      const std::string at = fmt::format("{}as of {} ", in, as_of);
      if (!view) {
        answers_[at] = Failed(view.error());
        continue;
      }
      AskView(*view, at);
    }
    const auto log = engine_->Read(principal)->QueryLog({.limit = 1000});
    std::string lines;
    if (!log) lines = Failed(log.error());
    if (log) {
      for (const LogLine& line : log->entries) {
        lines += fmt::format("{} {} {} {};", line.seq, fb::EnumNameEvent(line.event), line.reason,
                             line.message);
      }
    }
    answers_[in + "log"] = lines;
  }

  void AskView(const ReadView& view, const std::string& at) {
    const ListFilter everything{
        .states = {fb::MemoryState::live, fb::MemoryState::archived, fb::MemoryState::forgotten}};
    const auto page = view.List(everything, 1000, "");
    if (!page) {
      answers_[at + "list"] = Failed(page.error());
      return;
    }
    std::string ids;
    for (const Memory& listed : page->memories) {
      const std::string id = ToString(listed.id);
      ids += id + " ";
      answers_[at + id] = Say(view.Get(listed.id));
      for (std::uint32_t version = 1; version <= listed.record.version; ++version) {
        answers_[fmt::format("{}{} v{}", at, id, version)] =
            Say(view.GetVersion(listed.id, version));
      }
    }
    answers_[at + "list"] = ids;
    for (const char* tag : {"oat", "tea", "sun"}) {
      const auto tagged = view.List({.tags = {tag}}, 1, "");
      answers_[at + "tag " + tag] =
          tagged ? fmt::format("{}", tagged->total) : Failed(tagged.error());
    }
  }

  void AskSearch(const SpaceInfo& space, const Principal& principal) {
    const bool is_indexed = search_->WaitUntilIndexed(space.id, kPatience);
    for (const char* query : {"oat milk", "rain", "the cat and the sun", "nothing of it"}) {
      for (const bool past : {false, true}) {
        SearchRequest request{.query = query};
        if (past) request.at.seq = engine_->Visible(space.id).seq / 2;
        answers_[fmt::format("{} search '{}'{}", space.name, query, past ? " then" : "")] =
            is_indexed ? Find(principal, request) : kNoAnswer + std::string("it is not indexed");
      }
    }
  }

  std::string Find(const Principal& principal, const SearchRequest& request) {
    const auto found = search_->Search(principal, request);
    if (!found) return Failed(found.error());
    for (const SearchArm& arm : found->arms) {
      if (arm.status == ArmStatus::kOk) continue;
      return fmt::format("{}{} is {}: {}", kNoAnswer, arm.name, ArmStatusName(arm.status),
                         arm.note);
    }
    std::string hits;
    for (const SearchHit& hit : found->hits) {
      hits += fmt::format("{} v{} {:.4f} {};", ToString(hit.id), hit.memory.record.version,
                          hit.score, hit.preview);
    }
    return hits;
  }

  void AskLog(const SpaceInfo& space) {
    const auto report = VerifyLog(engine_->store(), space.id, Engine::OriginOf(space.name),
                                  engine_->KeysOf(space.id).signing.public_key);
    answers_[space.name + " verify"] = !report ? Failed(report.error())
                                       : !report->problem.empty()
                                           ? kNoAnswer + report->problem
                                           : HexEncode(AsBytes(report->root));
  }

  std::string directory_;
  Answers& answers_;
  FakeClock clock_{kLater};
  SeededRandom random_;
  std::shared_ptr<ModelControls> model_ = std::make_shared<ModelControls>();
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<SearchService> search_;
};

}  // namespace

Asked Ask(const std::string& directory, const AskOptions& options) {
  Asked asked;
  Asker asker(directory, asked.answers);
  if (const std::string refused = asker.Open(); !refused.empty()) {
    asked.answers["open"] = refused;
    return asked;
  }
  asked.answers["open"] = "yes";
  asker.AskAll(options);
  asked.repairs = asker.Repairs();
  return asked;
}

void SaveAnswers(const Answers& answers, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& [question, answer] : answers) file << question << kBetween << answer << kBetween;
}

Answers LoadAnswers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Answers answers;
  std::string question;
  std::string answer;
  while (std::getline(file, question, kBetween) && std::getline(file, answer, kBetween)) {
    answers[question] = answer;
  }
  return answers;
}

Verdict Compare(const Answers& right, const Answers& given) {
  Verdict verdict;
  for (const auto& [question, answer] : given) {
    if (!answer.starts_with(kNoAnswer)) continue;
    const auto was = right.find(question);
    if (was != right.end() && was->second == answer) continue;
    verdict = {false, question, answer};
    break;
  }
  for (const auto& [question, answer] : right) {
    const auto found = given.find(question);
    // What failed leaves unasked what its answer would have named.
    if (found == given.end() && !verdict.refused.empty()) continue;
    if (found == given.end() ||
        (found->second != answer && !found->second.starts_with(kNoAnswer))) {
      return {true, "",
              fmt::format("{}: '{}' instead of '{}'", question,
                          found == given.end() ? "nothing" : found->second, answer)};
    }
  }
  for (const auto& [question, answer] : given) {
    if (right.contains(question) || answer.starts_with(kNoAnswer)) continue;
    return {true, "", fmt::format("{}: '{}' where there was nothing", question, answer)};
  }
  return verdict;
}

}  // namespace perdure::testing
