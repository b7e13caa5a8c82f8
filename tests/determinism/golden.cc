#include "determinism/golden.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/model/tables.h"
#include "engine/replay/projections.h"
#include "engine/transfer/export.h"
#include "engine/transfer/log_taker.h"
#include "support/fact_life.h"

namespace perdure::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<SpaceId, const char*> kSpaces[] = {{kSystemSpace, "system"},
                                                       {kMainSpace, "main"}};

std::string ExportOf(const std::string& directory, const std::string& space) {
  return directory + "/" + space + ".export";
}

struct StoredEntry {
  std::string entry;
  std::optional<std::string> payload;
};

struct SpaceLog {
  SpaceId id = 0;
  std::string name;
  SpaceKeys keys;
  std::vector<StoredEntry> entries;
};

Result<SpaceLog> ReadLog(const Golden& golden, SpaceId id, const std::string& name,
                         Folded& folded) {
  SpaceLog log{id, name, {golden.secrets.at(name), SigningKeyFromSeed({})}, {}};
  std::ifstream in(ExportOf(golden.directory, name), std::ios::binary);
  ASSIGN_OR_RETURN(
      const ExportReport report,
      ReadExport(in, [&](const std::string& entry, const auto& payload) -> Status {
        folded.kinds.insert(flatbuffers::GetRoot<fb::Entry>(entry.data())->event_type());
        log.entries.push_back(
            {entry, payload ? std::optional(std::string(*payload)) : std::nullopt});
        return {};
      }));
  folded.roots[name] = HexEncode(AsBytes(report.root));
  return log;
}

// Takes the entries from `begin` to `end`, each a part of the whole, into the store.
Status FoldPart(Store& store, const std::vector<SpaceLog>& logs, double begin, double end,
                Seq batch_entries) {
  for (const SpaceLog& log : logs) {
    const auto at = [&](double part) {
      return static_cast<std::size_t>(part * static_cast<double>(log.entries.size()));
    };
    ASSIGN_OR_RETURN(const auto taker, LogTaker::Open(store, log.id, Engine::OriginOf(log.name),
                                                      log.keys, batch_entries));
    for (std::size_t i = at(begin); i < at(end); ++i) {
      const auto& [entry, payload] = log.entries[i];
      RETURN_IF_ERROR(
          taker->Take(entry, payload ? std::optional<std::string_view>(*payload) : std::nullopt));
    }
    RETURN_IF_ERROR(taker->Flush());
  }
  return {};
}

Result<std::string> DigestOf(const Store& store) {
  ASSIGN_OR_RETURN(const auto stored, store.Get(Family::kMeta, tables::Horizon(), kLatest));
  const Micros horizon = stored ? static_cast<Micros>(ReadBigEndian(*stored)) : kTimeMin;
  ASSIGN_OR_RETURN(const ProjectionDigest digest, DigestOfProjections(store, horizon));
  return HexEncode(AsBytes(digest.hash));
}

}  // namespace

const char* NameOf(Fold fold) {
  switch (fold) {
    case Fold::kEntryByEntry:
      return "entry-by-entry";
    case Fold::kInBatches:
      return "in-batches";
    case Fold::kFromSnapshot:
      return "from-snapshot";
  }
  return "";
}

Result<Golden> ReadGolden(const std::string& directory) {
  Golden golden{directory, {}, {}, {}};
  std::ifstream file(directory + "/expected.txt");
  for (std::string what, space, hex; file >> what >> space >> hex;) {
    if (what == "root") golden.roots[space] = hex;
    if (what == "projections") golden.projections = hex;
    if (what != "secret") continue;
    const auto bytes = HexDecode(hex);
    if (!bytes || bytes->size() != 32) return Fail(Code::kCorrupt, "A secret is malformed.");
    std::copy(bytes->begin(), bytes->end(), golden.secrets[space].begin());
  }
  if (golden.secrets.size() != 2 || golden.roots.size() != 2 || golden.projections.empty()) {
    return Fail(Code::kCorrupt, directory + "/expected.txt is not whole.");
  }
  return golden;
}

Result<Golden> WriteGolden(TestEngine& engine, const std::string& directory) {
  fs::create_directories(directory);
  std::ofstream expected(directory + "/expected.txt");
  for (const auto& [id, name] : kSpaces) {
    std::ofstream out(ExportOf(directory, name), std::ios::binary);
    ASSIGN_OR_RETURN(const ExportReport report, WriteExport(*engine, id, out));
    const Secret& secret = engine->KeysOf(id).secret;
    expected << "secret " << name << ' ' << HexEncode(std::string(secret.begin(), secret.end()))
             << "\nroot " << name << ' ' << HexEncode(AsBytes(report.root)) << '\n';
  }
  ASSIGN_OR_RETURN(const std::string digest, DigestOf(engine->store()));
  expected << "projections all " << digest << '\n';
  expected.close();
  return ReadGolden(directory);
}

void LiveThroughEveryEvent(TestEngine& engine) {
  const Principal all = With(kAgent | kReviewer | kOperator);
  const auto must = [&](Command command, WriteOptions options = {}) {
    engine.clock().Advance(1'500'000);
    EXPECT_THAT(engine.Do(std::move(command), std::move(options)), IsOk());
  };
  NoteDraft draft = Note("Grüße aus dem Archiv\n\nund noch ein Absatz", "Größe 😀");
  draft.scope = ScopePath{{"acme", "web"}, "alice", "", ""};
  draft.tags = {"Decision", "naïve"};
  draft.metadata = R"({"a":1})";
  draft.reference_time = 1'600'000'000'000'000;
  draft.valid_from = -1;
  draft.importance = 0.75f;
  const Uuid kept = engine.Store(draft);
  engine.Store(draft);  // seen again
  const Uuid gone = engine.Store(Note("to be erased", "secret"));
  const Micros then = engine->Visible(kMainSpace).time;
  DescribeMemory described{.id = kept};
  described.title = "Another title";
  described.tags = {{"other"}};
  described.scope = ScopePath{{"acme"}, "", "", ""};
  must(EditMemory{kept, AppendText{" mehr"}}, {.idempotency_key = "k", .request_digest = "d"});
  must(described, {.reason = "tidied"});
  must(EditMemory{gone, WholeText{"to be erased, too"}});
  for (const Transition transition :
       {Transition::kPin, Transition::kUnpin, Transition::kArchive, Transition::kRestore,
        Transition::kForget, Transition::kRestore}) {
    must(MoveState{kept, transition});
  }
  must(RevertMemory{kept, 1, {}});
  must(NameSnapshot{"before", {}});
  must(Rollback{{}, kept, then});
  must(Rollback{ScopePath{{"acme"}, "", "", ""}, {}, then});
  EXPECT_FALSE(engine.Do(EditMemory{kept, WholeText{""}}));  // refused
  EXPECT_THAT(engine->Erase(all, {{gone}}, {}), IsOk());
  IssueToken token;
  token.roles = kAgent;
  token.scope = "acme";
  token.label = "golden";
  const auto issued = engine->Issue(all, token, {});
  EXPECT_THAT(issued, IsOk());
  must(RevokeToken{engine->Authenticate(issued->first)->id});
  FactLife(engine).Live();
  EXPECT_THAT(engine->AddSpace(all, "team-a", {}), IsOk());
  EXPECT_THAT(engine->Compact(all, {then, true}, {}), IsOk());
  must(StoreMemories{{draft}}, {.dry_run = true, .keep = true});
  must(MoveState{kept, Transition::kPin});
  const LogHead head = engine->Visible(kMainSpace);
  must(MarkRestored{head.seq, head.hash, 0x5eed});
}

Result<Folded> FoldGolden(const Golden& golden, Fold fold, std::size_t left_out) {
  Folded folded;
  std::vector<SpaceLog> logs;
  for (const auto& [id, name] : kSpaces) {
    ASSIGN_OR_RETURN(SpaceLog log, ReadLog(golden, id, name, folded));
    logs.push_back(std::move(log));
  }
  for (; left_out > 0; --left_out) logs.back().entries.pop_back();
  const TempDir scratch;
  const Seq batch_entries = fold == Fold::kEntryByEntry ? 1 : 16;
  const double middle = fold == Fold::kFromSnapshot ? 0.5 : 1.0;
  std::string directory = scratch / "store";
  {
    ASSIGN_OR_RETURN(const auto store, Store::Open(directory, {}));
    RETURN_IF_ERROR(FoldPart(*store, logs, 0, middle, batch_entries));
  }
  if (fold == Fold::kFromSnapshot) {
    fs::copy(directory, scratch / "snapshot", fs::copy_options::recursive);
    directory = scratch / "snapshot";
  }
  ASSIGN_OR_RETURN(const auto store, Store::Open(directory, {.create_if_missing = false}));
  RETURN_IF_ERROR(FoldPart(*store, logs, middle, 1, batch_entries));
  ASSIGN_OR_RETURN(folded.projections, DigestOf(*store));
  return folded;
}

}  // namespace perdure::testing
