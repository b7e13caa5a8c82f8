// Bytes as a sequence of commands on notes, through decide and apply in memory. After each, the
// store is what a naive oracle says; in the end, folding the log anew gives the same bytes.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/apply/apply.h"
#include "engine/apply/memory_fold.h"
#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/model/tables.h"
#include "engine/write/execute.h"
#include "support/empty_state.h"
#include "support/note_oracle.h"

namespace perdure::fuzz {
namespace {

constexpr Secret kSecret = {7};

class Run {
 public:
  explicit Run(FuzzedDataProvider& data) : data_(data) {
    principal_.id = Uuid{{9}};
    principal_.roles = kAgent | kReviewer | kOperator;
  }

  void Step() {
    now_ += data_.ConsumeIntegralInRange<Micros>(-5, 1'000'000);
    switch (data_.ConsumeIntegralInRange<int>(0, 9)) {
      case 0:
        Store();
        break;
      case 1:
        Edit();
        break;
      case 2:
        Move();
        break;
      case 3:
        Revert();
        break;
      case 4:
        Describe();
        break;
      case 5:
        DropPayloads();
        break;
      case 6:
        ToldOf();
        break;
      case 7:
        Governed();
        break;
      case 8:
        Placed();
        break;
      default:
        Erase();
    }
    CheckAll();
  }

  void CheckReplay() const {
    Overlay replayed(empty_);
    for (const Entry& entry : entries_) {
      const std::string key = tables::LogEntry(kMainSpace, entry->seq());
      replayed.Put(Family::kLog, key, entry.bytes(), 0);
      const auto row = state_.Get(Family::kPayload, key);
      PERDURE_CHECK(row.has_value());
      if (*row) replayed.Put(Family::kPayload, key, **row, 0);
      const fb::Payload* payload =
          *row ? flatbuffers::GetRoot<fb::Payload>((*row)->data() + kSaltBytes) : nullptr;
      PERDURE_CHECK(Apply(**&entry, payload, kSecret, replayed).has_value());
    }
    for (const Family family : {Family::kState, Family::kRows}) {
      PERDURE_CHECK(Dump(state_, family) == Dump(replayed, family));
    }
  }

 private:
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  static Pairs Dump(const Overlay& state, Family family) {
    Pairs pairs;
    const Status scanned = state.Scan(family, "", "", [&](auto key, auto value) {
      pairs.emplace_back(key, value);
      return true;
    });
    PERDURE_CHECK(scanned.has_value());
    return pairs;
  }

  std::string Text() {
    static constexpr const char* kWords[] = {"a", "ab", "ba", "oat milk", "\xc3\xa4", "\xff", ""};
    if (data_.ConsumeBool()) return data_.PickValueInArray(kWords);
    return data_.ConsumeRandomLengthString(24);
  }
  Uuid Id() {
    if (ids_.empty() || data_.ConsumeIntegralInRange<int>(0, 15) == 0) return Uuid{{1, 2, 3}};
    return ids_[data_.ConsumeIntegralInRange<std::size_t>(0, ids_.size() - 1)];
  }

  Result<WriteOutcome> Do(const Command& command) {
    WriteOptions options;
    if (data_.ConsumeIntegralInRange<int>(0, 7) == 0) {
      options.expected_version = data_.ConsumeIntegralInRange<std::uint32_t>(0, 5);
    }
    options.dry_run = data_.ConsumeIntegralInRange<int>(0, 7) == 0;
    options.keep = options.dry_run && data_.ConsumeBool();
    if (data_.ConsumeBool()) options.reason = "r";
    Circumstances in{.space = kMainSpace,
                     .head = head_,
                     .now = now_,
                     .seed = {},
                     .secret = &kSecret,
                     .principal = &principal_,
                     .options = &options};
    in.seed = Sha256(std::to_string(steps_++));
    Execution done = Execute(state_, in, command, [] { return 1U; });
    for (const Entry& entry : done.entries) Chain(entry);
    PERDURE_CHECK(!options.dry_run || done.entries.size() <= (options.keep ? 1 : 0));
    PERDURE_CHECK(head_.seq == done.head.seq && head_.hash == done.head.hash);
    if (options.dry_run && done.answer) return Fail(Code::kUnavailable, "A dry run does nothing.");
    if (done.answer) PERDURE_CHECK(!done.entries.empty());
    return std::move(done.answer);
  }
  void Chain(const Entry& entry) {
    PERDURE_CHECK(entry->seq() == head_.seq + 1 && entry->record_time() > head_.time);
    PERDURE_CHECK(AsBytes(FromDigest(*entry->prev_hash())) == AsBytes(head_.hash));
    head_ = {entry->seq(), entry->record_time(), Sha256(entry.bytes())};
    entries_.push_back(entry);
  }

  void Store() {
    NoteDraft draft;
    draft.text = Text();
    draft.title = Text();
    const auto done = Do(StoreMemories{{draft}});
    if (!done || !done->memories.at(0).created) return;
    OracleNote& note = oracle_.notes[done->memories[0].id];
    note.texts = {draft.text};
    note.title = draft.title;
    ids_.push_back(done->memories[0].id);
  }
  void Edit() {
    EditMemory command{.id = Id(), .change = WholeText{}};
    switch (data_.ConsumeIntegralInRange<int>(0, 2)) {
      case 0:
        command.change = ReplaceText{Text(), Text(), data_.ConsumeBool()};
        break;
      case 1:
        command.change = AppendText{Text()};
        break;
      default:
        command.change = WholeText{Text()};
    }
    const bool may = oracle_.MayEdit(command);
    if (!Do(command)) return;
    PERDURE_CHECK(may);
    oracle_.Edited(command);
  }
  void Move() {
    const MoveState command{Id(), static_cast<Transition>(data_.ConsumeIntegralInRange(0, 4))};
    if (Do(command)) oracle_.Moved(command);
  }
  void Revert() {
    const RevertMemory command{Id(), data_.ConsumeIntegralInRange<std::uint32_t>(0, 6), {}};
    const auto done = Do(command);
    if (!done) return;
    OracleNote& note = oracle_.notes.at(command.id);
    PERDURE_CHECK(*command.version >= 1 && *command.version <= note.texts.size());
    if (done->memories.at(0).version > note.texts.size()) {
      note.texts.push_back(note.texts[*command.version - 1]);
    }
    Refresh(command.id);
  }
  void Describe() {
    DescribeMemory command{.id = Id()};
    command.title = Text();
    if (data_.ConsumeBool()) command.tags = {{Text(), Text()}};
    const auto done = Do(command);
    if (!done) return;
    OracleNote& note = oracle_.notes.at(command.id);
    if (done->memories.at(0).version > note.texts.size()) note.texts.push_back(note.texts.back());
    note.title = *command.title;
  }
  void Erase() {
    const EraseMemories command{{Id()}};
    if (!Do(command)) return;
    oracle_.notes.at(command.ids[0]).state = fb::MemoryState::erased;
  }

  // Versions that are superseded can be reverted to no more; whatever else is said of them stays.
  void DropPayloads() {
    CompactHistory compact{.before = head_.time, .payloads = true};
    std::vector<Uuid> all = ids_;
    all.insert(all.end(), loose_.begin(), loose_.end());
    if (Do(compact)) static_cast<void>(Do(perdure::DropPayloads{compact.before, all, true}));
  }

  // Facts, candidates and what merging makes: the oracle does not know them, nor may they touch
  // the notes that it knows.
  Uuid Loose() {
    if (loose_.empty()) return Uuid{{1, 2, 3}};
    return loose_[data_.ConsumeIntegralInRange<std::size_t>(0, loose_.size() - 1)];
  }
  void DoLoosely(const Command& command) {
    const auto done = Do(command);
    if (!done) return;
    last_ = done->seq;
    for (const MemoryOutcome& memory : done->memories) {
      if (memory.created) loose_.push_back(memory.id);
    }
    FollowRejections();
  }
  // A rejection forgets every note that says the value, and its undoing brings them back.
  void FollowRejections() {
    for (auto& [id, note] : oracle_.notes) {
      const auto record = ReadMemory(state_, kMainSpace, id);
      PERDURE_CHECK(record && *record);
      const fb::MemoryState now = (*record)->state;
      const bool was_live = note.state == fb::MemoryState::live;
      if (was_live && now == fb::MemoryState::forgotten) note.state = now;
      if (note.state == fb::MemoryState::forgotten && now == fb::MemoryState::live)
        note.state = now;
    }
  }
  FactDraft Fact() {
    FactDraft draft;
    draft.value = {Text(), Text(), Text()};
    if (data_.ConsumeBool()) draft.text = Text();
    if (data_.ConsumeBool()) {
      draft.evidence = Evidence{.quote = Text(), .source = Text()};
      draft.evidence->reference_time = data_.ConsumeIntegral<Micros>();
      if (data_.ConsumeBool()) draft.evidence->memory = Loose();
    }
    if (data_.ConsumeBool()) draft.valid_from = data_.ConsumeIntegral<std::int8_t>();
    if (data_.ConsumeBool()) draft.valid_until = data_.ConsumeIntegral<std::int8_t>();
    draft.confidence = data_.ConsumeFloatingPointInRange<float>(0, 1.2f);
    return draft;
  }
  NoteDraft LooseNote() {
    NoteDraft draft;
    draft.text = Text();
    draft.title = "loose";
    draft.scope = Place();
    draft.is_record = data_.ConsumeBool();
    if (data_.ConsumeBool() && !loose_.empty()) draft.supersedes = loose_.back();
    if (data_.ConsumeBool()) draft.derived_from = {Loose()};
    return draft;
  }
  void ToldOf() {
    switch (data_.ConsumeIntegralInRange<int>(0, 5)) {
      case 0:
        return DoLoosely(ProposeCandidate{Fact()});
      case 1:
        return DoLoosely(ProposeCandidate{LooseNote()});
      case 2: {
        ReviewCandidate review{.id = Loose(), .approve = data_.ConsumeBool()};
        if (data_.ConsumeBool()) review.object = Text();
        if (data_.ConsumeBool()) review.text = Text();
        return DoLoosely(review);
      }
      case 3:
        return DoLoosely(UndoReview{last_});
      case 4:
        return DoLoosely(MergeMemories{{Loose(), Loose()}, LooseNote()});
      default:
        return DoLoosely(AssertFacts{{Fact(), Fact()}, data_.ConsumeBool()});
    }
  }
  void Governed() {
    switch (data_.ConsumeIntegralInRange<int>(0, 12)) {
      case 0:
        return DoLoosely(SuppressValue{FactValue{Text(), Text(), Text()}});
      case 1:
        return DoLoosely(SuppressValue{Text()});
      case 2:
        return DoLoosely(LiftSuppression{last_ - data_.ConsumeIntegral<std::uint8_t>()});
      case 3:
        return DoLoosely(DeclarePredicate{Text(), data_.ConsumeBool(), data_.ConsumeBool(),
                                          fb::ValueShape::any});
      case 4: {
        SetPolicy policy;
        policy.fade = data_.ConsumeFloatingPointInRange<float>(0, 1.2f);
        policy.repetition = data_.ConsumeBool() ? fb::Repetition::any : fb::Repetition::evidence;
        return DoLoosely(policy);
      }
      case 5:
        return DoLoosely(VerifyMemory{Loose(), {.quote = Text(), .source = Text()}});
      case 6:
        return DoLoosely(
            ScoreMemory{Loose(), data_.ConsumeFloatingPointInRange<float>(0, 1), {}, Text()});
      case 7:
        return DoLoosely(ChangeGenre{Loose(), fb::Genre::personal});
      case 8:
        return DoLoosely(DismissRefusals{{last_ - data_.ConsumeIntegral<std::uint8_t>()}});
      case 9: {
        EraseMemories erase;
        erase.suppressions = {last_ - data_.ConsumeIntegral<std::uint8_t>()};
        erase.copies = data_.ConsumeBool();
        return DoLoosely(erase);
      }
      case 10: {
        CarrySuppression carry{.keys = {ValueKey{data_.ConsumeIntegral<std::uint8_t>()}}};
        if (data_.ConsumeBool()) carry.memory = Loose();
        carry.text = Text();
        return DoLoosely(carry);
      }
      case 11:
        return DoLoosely(MarkRestored{last_ + data_.ConsumeIntegral<std::uint8_t>(), {}, 7});
      default:
        return DoLoosely(UnmergeMemory{Loose()});
    }
  }

  ScopePath Place() {
    static constexpr const char* kNames[] = {"a", "b", "c"};
    ScopePath path;
    for (int depth = data_.ConsumeIntegralInRange<int>(0, 3); depth > 0; --depth) {
      path.containers.emplace_back(data_.PickValueInArray(kNames));
    }
    return path;
  }
  void Placed() {
    switch (data_.ConsumeIntegralInRange<int>(0, 9)) {
      case 8:
        return DoLoosely(StoreMemories{{LooseNote()}});
      case 9: {
        ForgetMatching matching{.scope = Place()};  // the oracle's notes lie at the root
        if (matching.scope.empty()) matching.scope.user = "nobody";
        matching.erase = data_.ConsumeBool();
        return DoLoosely(matching);
      }
      case 0:
        return DoLoosely(CreateContainer{.container = Place(), .description = Text()});
      case 1: {
        DescribeContainer change{.container = Place()};
        if (data_.ConsumeBool()) change.name = Text();
        if (data_.ConsumeBool()) change.conditions = Text();
        return DoLoosely(change);
      }
      case 2:
        return DoLoosely(MoveContainer{Place(), Place()});
      case 3:
        return DoLoosely(DeleteContainer{Place(), Place()});
      case 4:
        return DoLoosely(AddLink{Loose(), Loose(), Text()});
      case 5:
        return DoLoosely(RemoveLink{Loose(), Loose(), Text()});
      case 6:
        return DoLoosely(AddSource{Text(), Text(), Text()});
      default:
        return DoLoosely(RemoveSource{last_ - data_.ConsumeIntegral<std::uint8_t>()});
    }
  }

  // State, pin and title after a revert are the version's own: taken as they are.
  void Refresh(const Uuid& id) {
    const auto record = ReadMemory(state_, kMainSpace, id);
    PERDURE_CHECK(record && *record);
    oracle_.notes.at(id).state = (*record)->state;
    oracle_.notes.at(id).pinned = (*record)->pinned;
  }

  void CheckAll() const {
    for (const auto& [id, note] : oracle_.notes) {
      const auto record = ReadMemory(state_, kMainSpace, id);
      PERDURE_CHECK(record && *record);
      PERDURE_CHECK((*record)->state == note.state && (*record)->version == note.texts.size());
      if (note.state == fb::MemoryState::erased) continue;
      PERDURE_CHECK((*record)->pinned == note.pinned);
      const auto row = ReadPayload(state_, kMainSpace, (*record)->text_seq);
      PERDURE_CHECK(row && *row);
      const auto* text = (**row)->text();
      PERDURE_CHECK((text ? text->str() : "") == note.texts.back());
    }
  }

  FuzzedDataProvider& data_;
  EmptyState empty_;
  Overlay state_{empty_};
  Principal principal_;
  LogHead head_;
  Micros now_ = 1'700'000'000'000'000;
  std::uint64_t steps_ = 0;
  std::vector<Entry> entries_;
  std::vector<Uuid> ids_;
  std::vector<Uuid> loose_;
  Seq last_ = 1;
  NoteOracle oracle_;
};

}  // namespace
}  // namespace perdure::fuzz

// A command that is added joins the steps above.
static_assert(std::variant_size_v<perdure::Command> == 39);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider provider(data, size);
  perdure::fuzz::Run run(provider);
  while (provider.remaining_bytes() > 0) run.Step();
  run.CheckReplay();
  return 0;
}
