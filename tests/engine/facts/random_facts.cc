#include "engine/facts/random_facts.h"

#include <algorithm>

namespace perdure::testing {

Principal RandomFacts::Caller() {
  const auto role = OneOf<RoleMask>({kAgent, kAgent, kReviewer, kReviewer, kOperator});
  return With(role, Rarely() ? Scope() : ScopePath{});
}

ScopePath RandomFacts::Scope() {
  return {OneOf<std::vector<std::string>>({{}, {"a"}, {"a", "b"}}), "", "", ""};
}

std::string RandomFacts::Object() { return OneOf({"milk", "MILK", "tea", "water", "ann", "bob"}); }

std::optional<Micros> RandomFacts::Day() {
  if (Below(4) != 0) return std::nullopt;
  return static_cast<Micros>(Below(6)) * kDay;
}

std::optional<Evidence> RandomFacts::Support(Micros now) {
  if (Rarely()) return std::nullopt;
  if (Rarely() && !ids_.empty()) return Quote("milk", ToString(Id()));
  const auto age = static_cast<Micros>(Below(40'000'000));
  return Quote(OneOf({"q", "r", "s"}), "source " + std::to_string(Below(40)), now - age);
}

FactDraft RandomFacts::Draft(Micros now) {
  FactDraft draft =
      Fact(OneOf({"ann", "Ann", "bob"}), OneOf({"drinks", "drinks", "speaks", "married to"}),
           Object(), Support(now));
  draft.scope = Scope();
  if (Below(3) == 0) draft.importance = 0.8f;
  draft.valid_from = Day();
  draft.valid_until = Day();
  if (Rarely()) draft.expires_at = now + static_cast<Micros>(Below(200'000'000));
  if (Rarely()) draft.genre = fb::Genre::personal;
  if (Rarely()) draft.tags = {"a tag"};
  if (Rarely() && !ids_.empty()) draft.derived_from = {Id()};
  return draft;
}

NoteDraft RandomFacts::Words() {
  NoteDraft draft = Note(OneOf({"ann ", "bob "}) + std::string("drinks ") + Object());
  draft.scope = Scope();
  if (Rarely() && !ids_.empty()) draft.derived_from = {Id()};
  return draft;
}

Refusing RandomFacts::Reach(Micros now) {
  Refusing refusing{.wide = Below(2) == 0, .until = {}};
  if (Below(2) == 0) refusing.until = now + static_cast<Micros>(Below(300'000'000));
  return refusing;
}

Command RandomFacts::Next(const LogHead& head) {
  const Micros now = head.time;
  last_ = head.seq;
  if (ids_.empty() || Below(3) == 0) {
    AssertFacts batch{{Draft(now)}, Below(2) == 0};
    while (Rarely()) batch.facts.push_back(Draft(now));
    return batch;
  }
  switch (Below(20)) {
    case 0:
    case 1:
      if (Below(2) == 0) return ProposeCandidate{Words()};
      return ProposeCandidate{Draft(now)};
    case 2:
    case 3:
      return Review(now);
    case 4:
      return UndoReview{
          passes_.empty()
              ? 1
              : passes_[passes_.size() - 1 - Below(std::min<std::size_t>(passes_.size(), 12))]};
    case 5:
      return SuppressValue{FactValue{OneOf({"ann", "bob"}), "drinks", Object()}, Scope(),
                           Reach(now).until};
    case 6:
    case 7:
      return LiftSuppression{head.seq - std::min<Seq>(head.seq, Below(40))};
    case 8:
      return VerifyMemory{Id(), Quote("seen", "receipt", now)};
    case 9:
      return ScoreMemory{Id(), 0.5f, 0.3f + static_cast<float>(Below(5)) / 10, "pass"};
    case 10:
      return ChangeGenre{Id(), OneOf({fb::Genre::factual, fb::Genre::personal})};
    case 11:
      return MoveState{Id(), Transition::kForget,
                       Below(2) == 0 ? std::optional(Reach(now)) : std::nullopt};
    case 12:
      return MoveState{Id(), OneOf({Transition::kPin, Transition::kUnpin}), {}};
    case 13:
    case 14:
      return MoveState{Id(), OneOf({Transition::kArchive, Transition::kRestore}), {}};
    case 15:
      return Describe(now);
    case 16:
      if (Below(2) == 0) return EditMemory{Id(), WholeText{"ann drinks " + Object()}};
      return RevertMemory{Id(), 1 + static_cast<std::uint32_t>(Below(3)), {}};
    case 17:
      return StoreMemories{{Words()}};
    default:
      return Rare(now);
  }
}

Command RandomFacts::Review(Micros now) {
  ReviewCandidate review{.id = Id(), .approve = Below(3) != 0, .refusing = Reach(now)};
  if (review.approve && Rarely()) review.object = Object();
  return review;
}

Command RandomFacts::Describe(Micros now) {
  DescribeMemory change{.id = Id()};
  if (Below(2) == 0) change.scope = Scope();
  if (Rarely()) change.expires_at = now + static_cast<Micros>(Below(200'000'000)) + 1'000'000'000;
  if (Rarely()) change.clear = {"expires_at"};
  if (Rarely()) change.importance = 0.8f;
  if (Rarely()) change.tags = {{"another tag"}};
  return change;
}

Command RandomFacts::Rare(Micros now) {
  const Micros then = now - static_cast<Micros>(Below(300'000'000));
  switch (Below(9)) {
    case 0:
      return EraseMemories{{Id()}, Below(2) == 0, Rarely(), {}};
    case 6:
      return EraseMemories{{}, false, false, {last_ - std::min<Seq>(last_, Below(60))}};
    case 7:
      return DismissRefusals{{last_ - std::min<Seq>(last_, Below(20))}};
    case 8:
      return DeclarePredicate{OneOf({"drinks", "speaks", "married to"}), Rarely(), Rarely(),
                              fb::ValueShape::any};
    case 1:
      return Rollback{Scope(), {}, then};
    case 2:
      return Rollback{{}, Id(), then};
    case 3:
      return MergeMemories{{Id(), Id()}, Words()};
    case 4:
      return UnmergeMemory{Id()};
    default:
      return NameSnapshot{"n" + std::to_string(Below(1000)), {}};
  }
}

}  // namespace perdure::testing
