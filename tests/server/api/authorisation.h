// The authorisation matrix: every operation, through every door, for every role and scope, on
// objects in every state and place, held against rules that are written down a second time.
//
// A cell is judged by three things: its code is the one that the rules give; nothing that the
// caller may not see stands in its answer; what it may not reach answers as what never was.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/api/api.h"
#include "server/api/engine_authenticator.h"

namespace perdure::testing {

// A memory, and what else there is of its place, as an operation may be asked about it.
struct Target {
  std::string name;  // for messages
  std::string space = "main";
  std::string scope;
  std::string state = "live";  // pending, merged, archived, forgotten, erased, absent
  std::string id;
  std::string token;           // of a token of this place
  std::string twin;            // another memory of this place
  std::string canary;          // a word that only this memory has
  Json suppression = 999'999;  // of a value in this place
  Json refusal = 999'999;      // of a fact in this place that no longer stands
  Json seq = 1;                // of the entry that stored it, or of the decision that let it in
};

// What an operation is asked about, which decides who may ask it.
enum class About {
  kNothing,      // the caller's own part of the space
  kMemory,       // one memory: out of reach it is not there
  kCandidate,    // the same, of one that waits for review
  kMerged,       // the same, of one that was made of others
  kLink,         // a link to one memory: there is none
  kTrace,        // the same, but what is left of an erased one is told
  kFilter,       // one memory as a filter or among others: out of reach it changes nothing
  kScope,        // a place: outside the token's own it is forbidden
  kNewPlace,     // a container to be made below the place: outside the token's own it is forbidden
  kPlace,        // a container: out of reach it is not there
  kTopPlace,     // the same, where the root has a part in it
  kEntry,        // an entry of the log about a memory
  kDecision,     // a review decision on a memory: out of reach it is not there
  kSuppression,  // a rejected value: out of reach it is not there
  kRefusal,      // a refusal that waits for a reviewer: out of reach it is not there
  kToken,        // a token: the operator of the house reaches those of all spaces
  kSource,       // a folder that a store mirrors, of which there is none: as kSpace
  kSpace,        // the whole space: tokens without a scope
  kHouse,        // the whole store: operators of the space main without a scope
};

struct Rule {
  std::string operation;
  About about;
  Caller::RoleMask roles;
  std::function<Json(const Target&)> arguments;
};

// The rules of the product; at least one for each operation.
std::vector<Rule> ProductRules();

// "ok", or the code of the error that a rule gives.
std::string CodeByRules(const Rule& rule, const Caller& caller, const Target& target);

// A store with targets in all states and places, and a token of each role for each part of it.
class AuthorisationWorld {
 public:
  AuthorisationWorld();

  const Catalogue& catalogue() const { return api_.catalogue(); }
  Engine& engine() const { return engine_; }
  const std::vector<Target>& targets() const { return targets_; }
  const Target& target(const std::string& name) const;
  const std::vector<Caller>& callers() const { return callers_; }
  const Caller& caller(Caller::RoleMask role, const std::string& scope) const;

 private:
  Caller CallerOf(Caller::RoleMask roles, const std::string& space, const std::string& scope);
  void AddTarget(Target target, const Caller& writer);

  Api api_;
  Engine& engine_ = *api_.engine();
  std::vector<Target> targets_;  // the first is absent
  std::vector<Caller> callers_;
};

// What is wrong with `catalogue`, whose operations work on `world`, a line a fault; and how many
// cells were tried.
struct MatrixResult {
  std::vector<std::string> faults;
  std::size_t cells = 0;
};
MatrixResult TryMatrix(const AuthorisationWorld& world, const Catalogue& catalogue,
                       const std::vector<Rule>& rules);

// One call through each door that the operation has.
struct DoorAnswer {
  std::string door;
  std::string code;  // "ok", or the error's
  Json body;         // the answer, or the error's object
  std::string text;  // everything that was sent
};
std::vector<DoorAnswer> AskAllDoors(const Catalogue& catalogue, const Operation& operation,
                                    const Caller& caller, const Json& arguments);

}  // namespace perdure::testing
