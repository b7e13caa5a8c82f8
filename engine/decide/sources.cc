#include "engine/apply/place_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"

namespace perdure {

Status DecideAddSource(Transaction& txn, const AddSource& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Adding a source"));
  RETURN_IF_ERROR(RequireWholeSpace(txn, "A source"));
  RETURN_IF_ERROR(CheckText(command.store, limits::kLabelBytesMax, "store"));
  RETURN_IF_ERROR(CheckText(command.root, limits::kDescriptionBytesMax, "root"));
  RETURN_IF_ERROR(CheckText(command.settings, limits::kMetadataBytesMax, "settings"));
  if (command.root.empty()) return Refuse(Rule::kMalformed, "A source has a folder.", "root");
  ASSIGN_OR_RETURN(const Seq store, EnsureStore(txn, command.store));
  if (store == 0) {
    return Refuse(Rule::kMalformed, "A folder is mirrored by a store of its own: name one.",
                  "store");
  }
  ASSIGN_OR_RETURN(const auto node, ReadNode(txn.state(), txn.space(), store));
  if (node && node->source != 0) {
    return Refuse(Rule::kNameTaken, "This store mirrors a folder already.", "store");
  }
  fb::SourceAddedT event;
  event.store = store;
  fb::PayloadT payload;
  payload.source = command.root;
  payload.settings = command.settings;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideRemoveSource(Transaction& txn, const RemoveSource& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Removing a source"));
  RETURN_IF_ERROR(RequireWholeSpace(txn, "A source"));
  ASSIGN_OR_RETURN(const auto bytes,
                   txn.state().Get(Family::kState, tables::Source(txn.space(), command.source)));
  if (!bytes) return Refuse(Rule::kNothing, "There is no such source.", "source");
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::SourceRecordT>(*bytes));
  if (record.removed_seq != 0) {
    return Refuse(Rule::kNothing, "This source was removed.", "source");
  }
  fb::SourceRemovedT event;
  event.source = command.source;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace perdure
