// What must hold of a store with facts whatever was done to it, computed from its log in the most
// naive way.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/facts/fact_engine.h"

namespace perdure::testing {

// One memory as its entries tell.
struct Told {
  fb::MemoryRecordT record;  // as the engine folds it, for all but what is checked
  std::string subject, predicate, object, text;  // canonical
  float confidence = 0;                          // by the arithmetic of the design
  std::vector<float> confidences;                // that it ever had
  bool verified = false;                         // since its last text
};

class FactOracle {
 public:
  explicit FactOracle(FactEngine& engine) : engine_(engine) {}

  // Reads what was written since, before it can be erased, and checks what holds now.
  void Follow();
  // A line for each thing that was wrong.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Refused {
    Seq seq = 0;
    Told value;
    bool lifted = false;
  };
  void Take(const Entry& entry);
  void TakePredicate(const Entry& entry, const fb::PredicateDeclared& declared);
  bool IsOfRest(const fb::Entry& entry) const;
  void TakeMemory(const Entry& entry);
  void TakeConfidence(const fb::Entry& entry, const Told& before, Told& told);
  bool HasRivals(const Uuid& id, const Told& told, Micros now) const;
  void CheckSeats(Micros now);
  void CheckSuppressions(Micros now);
  void CheckRecords();
  void Wrong(const Uuid& id, const std::string& what);

  FactEngine& engine_;
  Seq seen_ = 0;
  std::optional<Uuid> bounded_;  // the latest, by entry bounded_seq_
  Seq bounded_seq_ = 0;
  std::set<std::string> many_, symmetric_;  // predicates so declared
  std::map<Uuid, Told> told_;
  std::vector<Refused> refused_;
  std::vector<std::string> problems_;
};

// The rows of memories (tables 1, 5, 6, 7 and 8) as the log says they must be, and as they are.
using Rows = std::map<std::string, std::string>;
Rows RowsByLog(FactEngine& engine);
Rows RowsByStore(FactEngine& engine);

}  // namespace perdure::testing
