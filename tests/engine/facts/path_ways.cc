#include <type_traits>

#include "engine/facts/path_matrix.h"

namespace perdure::testing {
namespace {

// The command changes nothing about what may come in after it.
Way After(std::string name, std::function<void(World&)> command) {
  return {std::move(name), [](World&) {},
          [command = std::move(command)](World& world) {
            command(world);
            return world.Enter();
          }};
}
Way AfterOne(std::string name, Command command) {
  return After(std::move(name), [command](World& world) { static_cast<void>(world.Do(command)); });
}

void Archive(World& world, const Uuid& id) {
  ASSERT_THAT(world.Do(MoveState{id, Transition::kArchive, {}}), IsOk());
}
void HoldAndArchive(World& world) {
  world.id = world.Hold();
  world.then = (*world).Visible(kMainSpace).time;
  Archive(world, world.id);
}

template <typename C>
using For = std::type_identity<C>;

Ways WaysOf(For<StoreMemories>) {
  Ways ways = {
      {.name = "store", .attempt = [](World& w) { return w.Do(StoreMemories{{Note(kSentence)}}); }},
      {.name = "store as a correction",
       .prepare = [](World& w) { w.other = w.Store(Note("Alice drinks")); },
       .attempt =
           [](World& w) {
             NoteDraft correction = Note(kSentence);
             correction.supersedes = w.other;
             return w.Do(StoreMemories{{correction}});
           }},
      {.name = "store in a batch",
       .attempt = [](World& w) { return w.Do(StoreMemories{{Note("x"), Note(kSentence)}}); }},
      {.name = "store again under an old key",
       .prepare =
           [](World& w) {
             const auto entered = w.Enter({.idempotency_key = "key"});
             ASSERT_THAT(entered, IsOk());
             Archive(w, entered->memories[0].id);
           },
       .attempt = [](World& w) { return w.Enter({.idempotency_key = "key"}); },
       .ends = Ends::kRepeated}};
  for (const char* spelling :
       {"ALICE Drinks CR\u00c8ME", "Alice  drinks\tcre\u0300me ", "Alice drinks cr\u00e8\u200dme",
        "\uff21lice drinks cr\u00e8me", "Alice drinks \u0441r\u00e8me"}) {
    ways.push_back({.name = std::string("spelled ") + spelling, .attempt = [spelling](World& w) {
                      return w.Do(StoreMemories{{Note(spelling)}});
                    }});
  }
  return ways;
}
Ways WaysOf(For<EditMemory>) {
  const auto prepare = [](World& w) { w.id = w.Store(Note("Alice drinks")); };
  const auto way = [&](const char* name, auto change) {
    return Way{name, prepare, [change](World& w) { return w.Do(EditMemory{w.id, change}); }};
  };
  return {way("edit to it", WholeText{kSentence}), way("append", AppendText{" cr\u00e8me"}),
          way("replace", ReplaceText{"drinks", "drinks cr\u00e8me", false})};
}
Ways WaysOf(For<DescribeMemory>) {
  const Way moved = {"move in",
                     [](World& w) {
                       w.reach = kAttic;
                       w.Store([] {
                         NoteDraft draft = Note("so that there is an attic");
                         draft.scope = kAttic;
                         return draft;
                       }());
                       w.id = w.Hold();
                     },
                     [](World& w) {
                       DescribeMemory move{.id = w.id};
                       move.scope = kAttic;
                       const auto done = w.Do(move);
                       if (!done) {
                         EXPECT_TRUE(w.Get(w.id)->scope.empty());
                       }
                       return done;
                     }};
  const Way revived = {
      "give an expired one more time",
      [](World& w) {
        NoteDraft draft = Note(kSentence);
        draft.expires_at = w.clock().Now() + kDay;
        w.id = w.Store(draft);
        w.clock().Advance(2 * kDay);
      },
      [](World& w) { return w.Do(DescribeMemory{.id = w.id, .clear = {"expires_at"}}); }};
  return {moved, revived};
}
Ways WaysOf(For<MoveState>) {
  const auto restore = [](World& w) { return w.Do(MoveState{w.id, Transition::kRestore, {}}); };
  const auto forget = [](World& w) {
    w.id = w.Hold();
    ASSERT_THAT(w.Do(MoveState{w.id, Transition::kForget, {}}), IsOk());
  };
  return {{"restore an archived one", HoldAndArchive, restore},
          {"restore a forgotten one", forget, restore}};
}
Ways WaysOf(For<EraseMemories>) {
  return {{.name = "erase what held it, then say it again",
           .prepare = HoldAndArchive,
           .attempt =
               [](World& w) {
                 EXPECT_THAT((*w).Erase(With(kOperator), {{w.id}}, {}), IsOk());
                 return w.Enter();
               }},
          After("erase the words of the rejection", [](World& w) {
            EraseMemories words;
            for (const SuppressionInfo& info : w.Suppressions()) {
              words.suppressions.push_back(info.seq);
            }
            if (words.suppressions.empty()) return;
            EXPECT_THAT((*w).Erase(With(kOperator), words, {}), IsOk());
          })};
}
Ways WaysOf(For<RevertMemory>) {
  const auto revert = [](World& w) { return w.Do(RevertMemory{w.id, 1, {}}); };
  const auto edited = [](World& w) {
    w.id = w.HoldNote();
    ASSERT_THAT(w.Do(EditMemory{w.id, WholeText{"something else"}}), IsOk());
  };
  const auto moved = [edited](World& w) {
    edited(w);
    w.reach = kAttic;
    DescribeMemory move{.id = w.id};
    move.scope = kAttic;
    ASSERT_THAT(w.Do(move), IsOk());
  };
  return {{"revert to it", edited, revert}, {"move the other text in, revert", moved, revert}};
}
Ways WaysOf(For<Rollback>) {
  const auto waited = [](World& w) {
    w.id = w.Wait();
    w.then = (*w).Visible(kMainSpace).time;
    ASSERT_THAT(w.FactEngine::Reject(w.id), IsOk());
    const Seq own = w.Suppressions().back().seq;
    ASSERT_THAT(w.Do(LiftSuppression{own}, {.reason = "the world rejects it"}), IsOk());
  };
  const auto all = [](World& w) { return w.Do(Rollback{{}, {}, w.then}); };
  const auto one = [](World& w) { return w.Do(Rollback{{}, w.id, w.then}); };
  return {
      {"roll the scope back", HoldAndArchive, all, Ends::kKeptOut},
      {"roll the memory back", HoldAndArchive, one},
      {"roll back to when it waited", waited, all, Ends::kKeptOut, fb::MemoryState::pending},
      {"roll it back to when it waited", waited, one, Ends::kRefused, fb::MemoryState::pending}};
}
Ways WaysOf(For<NameSnapshot>) { return {AfterOne("name a snapshot", NameSnapshot{"name", {}})}; }
Ways WaysOf(For<IssueToken>) {
  return {After("issue a token", [](World& w) {
    IssueToken token;
    token.roles = kReviewer;
    EXPECT_THAT((*w).Issue(With(kOperator), token, {}), IsOk());
  })};
}
Ways WaysOf(For<RevokeToken>) { return {AfterOne("revoke a token", RevokeToken{})}; }
Ways WaysOf(For<CreateSpace>) {
  return {After("make a space", [](World& w) {
    EXPECT_THAT((*w).AddSpace(With(kOperator), "team-a", {}), IsOk());
  })};
}
Ways WaysOf(For<CompleteErasure>) { return {AfterOne("claim a receipt", CompleteErasure{})}; }
Ways WaysOf(For<CompactHistory>) {
  return {After("compact with payloads", [](World& w) {
    const Micros now = (*w).Visible(kMainSpace).time;
    EXPECT_THAT((*w).Compact(With(kOperator), {now, true}, {}), IsOk());
  })};
}
Ways WaysOf(For<DropPayloads>) { return {AfterOne("drop payloads", DropPayloads{})}; }
Ways WaysOf(For<AssertFacts>) {
  Ways ways = {{.name = "assert", .attempt = [](World& w) { return w.Assert(w.AsFact()); }},
               {.name = "assert in a batch",
                .attempt =
                    [](World& w) {
                      return w.Do(AssertFacts{{Fact("Bob", "drinks", "tea"), w.AsFact()}, false});
                    }},
               {.name = "assert in other words", .attempt = [](World& w) {
                  FactDraft draft = Fact("Alice", "says", "so");
                  draft.text = kSentence;
                  return w.Assert(draft);
                }}};
  for (const char* spelling :
       {"CR\u00c8ME ", "cre\u0300me", "cr\u00e8\u200bme", "\uff43r\u00e8me", "\u0441r\u00e8me"}) {
    ways.push_back({.name = std::string("spelled ") + spelling,
                    .attempt = [spelling](World& w) { return w.Assert(w.AsFact(spelling)); }});
  }
  return ways;
}
Ways WaysOf(For<ProposeCandidate>) {
  constexpr auto kPending = fb::MemoryState::pending;
  return {{.name = "propose as a fact",
           .attempt = [](World& w) { return w.Do(ProposeCandidate{w.AsFact()}); },
           .comes_as = kPending},
          {.name = "propose as a note",
           .attempt = [](World& w) { return w.Do(ProposeCandidate{Note(kSentence)}); },
           .comes_as = kPending}};
}
Ways WaysOf(For<ReviewCandidate>) {
  const auto as_fact = [](World& w) { w.id = w.Proposed(Fact("Alice", "drinks", "tea")); };
  const auto as_note = [](World& w) { w.id = w.Proposed(Note("tea")); };
  return {{"approve", [](World& w) { w.id = w.Wait(); }, [](World& w) { return w.Approve(w.id); }},
          {"edit to it and approve, a fact", as_fact,
           [](World& w) {
             return w.Do(ReviewCandidate{.id = w.id, .approve = true, .object = kValue});
           }},
          {"edit to it and approve, a note", as_note, [](World& w) {
             return w.Do(ReviewCandidate{.id = w.id, .approve = true, .text = kSentence});
           }}};
}
Ways WaysOf(For<UndoReview>) {
  const auto undo = [](World& w) { return w.Do(UndoReview{w.decision}); };
  const auto displaced = [](World& w) {
    const Uuid held = w.Asserted(w.AsFact());
    ASSERT_THAT(w.Do(MoveState{held, Transition::kPin, {}}), IsOk());
    const auto approved = w.Approve(w.Asserted(Fact("Alice", "drinks", "tea")));
    ASSERT_THAT(approved, IsOk());
    w.decision = approved->seq;
  };
  const auto rejected = [](World& w) {
    const auto decided = w.FactEngine::Reject(w.Wait());
    ASSERT_THAT(decided, IsOk());
    w.decision = decided->seq;
  };
  return {{"undo what displaced it", displaced, undo},
          {"undo an earlier rejection", rejected, undo, Ends::kRefused, fb::MemoryState::pending}};
}
Ways WaysOf(For<SuppressValue>) {
  return {After("reject it once more, for a short time", [](World& w) {
    const Micros until = w.clock().Now() + kDay;
    EXPECT_THAT(w.Do(SuppressValue{std::string("unrelated"), {}, until}), IsOk());
    w.clock().Advance(2 * kDay);
  })};
}
Ways WaysOf(For<LiftSuppression>) {
  return {{.name = "lift it",
           .attempt =
               [](World& w) {
                 for (const SuppressionInfo& info : w.Suppressions()) {
                   EXPECT_THAT(w.Do(LiftSuppression{info.seq}, {.reason = "true after all"}),
                               IsOk());
                 }
                 return w.Enter();
               },
           .ends = Ends::kOverride}};
}
Ways WaysOf(For<DeclarePredicate>) {
  return {AfterOne("declare many values", DeclarePredicate{"drinks", true}),
          {.name = "declare symmetry and say it from the other end", .attempt = [](World& w) {
             EXPECT_THAT(w.Do(DeclarePredicate{"drinks", false, true}), IsOk());
             return w.is_fact() ? w.Assert(Fact(kValue, "drinks", "Alice")) : w.Enter();
           }}};
}
Ways WaysOf(For<SetPolicy>) {
  SetPolicy lax;
  lax.repetition = fb::Repetition::any;
  lax.injection = lax.note_injection = fb::Admission::admit;
  return {AfterOne("admit everything", lax)};
}
template <typename C>
Way OnAnArchivedOne(std::string name, C command) {
  return {std::move(name), HoldAndArchive, [command](World& w) mutable {
            command.id = w.id;
            EXPECT_THAT(w.Do(command, {.reason = "r"}), IsRefusedBy(Rule::kState));
            return w.Do(MoveState{w.id, Transition::kRestore, {}});
          }};
}
Ways WaysOf(For<VerifyMemory>) {
  return {OnAnArchivedOne("verify it", VerifyMemory{{}, Quote("q", "s")})};
}
Ways WaysOf(For<ScoreMemory>) {
  return {OnAnArchivedOne("score it", ScoreMemory{{}, 0.6f, {}, "p"})};
}
Ways WaysOf(For<ChangeGenre>) {
  return {OnAnArchivedOne("change its genre", ChangeGenre{{}, fb::Genre::associative})};
}
Ways WaysOf(For<MergeMemories>) {
  return {{"merge to it",
           [](World& w) {
             w.id = w.Store(Note("Alice drinks"));
             w.other = w.Store(Note("cr\u00e8me"));
           },
           [](World& w) { return w.Do(MergeMemories{{w.id, w.other}, Note(kSentence)}); }}};
}
Ways WaysOf(For<UnmergeMemory>) {
  return {{"unmerge what took it in",
           [](World& w) {
             const Uuid part = w.HoldNote();
             const Uuid other = w.Store(Note("and tea"));
             const auto merged = w.Do(MergeMemories{{part, other}, Note("Alice drinks a lot")});
             ASSERT_THAT(merged, IsOk());
             w.id = merged->memories[0].id;
           },
           [](World& w) { return w.Do(UnmergeMemory{w.id}); }}};
}
Ways WaysOf(For<MarkRestored>) {
  return {After("mark it restored", [](World& w) {
    const LogHead head = (*w).Visible(kMainSpace);
    EXPECT_THAT(w.Do(MarkRestored{head.seq, head.hash, 1}), IsOk());
  })};
}
Ways WaysOf(For<CarrySuppression>) {
  return {After("carry it over once more, for a short time", [](World& w) {
    const Micros until = w.clock().Now() + kDay;
    EXPECT_THAT(w.Do(CarrySuppression{.keys = {ValueKey{1}}, .until = until}), IsOk());
    w.clock().Advance(2 * kDay);
  })};
}

Ways WaysOf(For<DismissRefusals>) {
  return {After("dismiss what was refused", [](World& w) {
    for (const ReviewItem& item : w.Queue(ReviewQueue::kRefusals).items) {
      EXPECT_THAT(w.Do(DismissRefusals{{item.refusal->seq}}), IsOk());
    }
  })};
}

const ScopePath kYard{{"yard"}, "", "", ""};

Ways WaysOf(For<CreateContainer>) {
  return {AfterOne("make a container", CreateContainer{.container = kYard})};
}
Ways WaysOf(For<DescribeContainer>) {
  return {{"rename the place that it was rejected in",
           [](World& w) {
             ASSERT_THAT(w.Do(CreateContainer{.container = kYard}), IsOk());
             w.reach = kYard;
           },
           [](World& w) {
             DescribeContainer rename{.container = kYard};
             rename.name = "garden";
             EXPECT_THAT(w.Do(rename), IsOk());
             NoteDraft note = Note(kSentence);
             note.scope = ScopePath{{"garden"}, "", "", ""};
             return w.Do(StoreMemories{{note}});
           }}};
}
Ways WaysOf(For<MoveContainer>) {
  return {{"move its container in",
           [](World& w) {
             w.id = w.Hold(kYard);
             ASSERT_THAT(w.Do(CreateContainer{.container = kAttic}), IsOk());
             w.reach = kAttic;
           },
           [](World& w) { return w.Do(MoveContainer{kYard, kAttic}); }}};
}
Ways WaysOf(For<DeleteContainer>) {
  const auto prepare = [](World& w) {
    ASSERT_THAT(w.Do(CreateContainer{.container = kAttic}), IsOk());
    ASSERT_THAT(w.Do(CreateContainer{.container = kYard}), IsOk());
  };
  const Way moved = {"delete its container, so that it comes in",
                     [prepare](World& w) {
                       prepare(w);
                       w.id = w.Hold(kYard);
                       w.reach = kAttic;
                     },
                     [](World& w) { return w.Do(DeleteContainer{kYard, kAttic}); }};
  const Way laundered = {"delete the place that it was rejected in",
                         [prepare](World& w) {
                           prepare(w);
                           w.reach = kYard;
                         },
                         [](World& w) {
                           EXPECT_THAT(w.Do(DeleteContainer{kYard, kAttic}), IsOk());
                           NoteDraft note = Note(kSentence);
                           note.scope = kAttic;
                           return w.Do(StoreMemories{{note}});
                         }};
  return {moved, laundered};
}
Ways WaysOf(For<AddLink>) { return {AfterOne("link memories", AddLink{})}; }
Ways WaysOf(For<RemoveLink>) { return {AfterOne("remove a link", RemoveLink{})}; }
Ways WaysOf(For<ForgetMatching>) {
  return {After("forget what matches", [](World& w) {
    ForgetMatching all;
    all.created_before = w.clock().Now() + kDay;
    static_cast<void>(w.Do(all));
  })};
}
Ways WaysOf(For<AddSource>) {
  return {{.name = "a folder brings it", .attempt = [](World& w) {
             const auto added = w.Do(AddSource{"notes", "/notes", "{}"});
             NoteDraft note = Note(kSentence);
             note.store = "notes";
             return w.Do(StoreMemories{{note}}, {.source = added->made});
           }}};
}
Ways WaysOf(For<RemoveSource>) { return {AfterOne("remove a source", RemoveSource{})}; }

template <typename... Cs>
Ways WaysOfAll(For<std::variant<Cs...>>) {
  Ways all;
  const auto add = [&all](Ways ways) {
    EXPECT_FALSE(ways.empty());
    for (Way& way : ways) all.push_back(std::move(way));
  };
  (add(WaysOf(For<Cs>{})), ...);
  return all;
}

}  // namespace

Ways AllWays() { return WaysOfAll(For<Command>{}); }

}  // namespace perdure::testing
