// The value keys of a memory's payload: how tags, labels and whole contents are found again
// without their text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "schema/payload_generated.h"
#include "schema/records_generated.h"

namespace perdure {

// Of a tag, type or theme (`kind`), in canonical form.
ValueKey LabelKey(const Secret& secret, std::string_view kind, std::string_view label);

// Of every tag, the type and the theme in `payload`.
std::vector<ValueKey> LabelKeys(const Secret& secret, const fb::Payload& payload);

// Two notes with the same content key are the same note: exact bytes of title and text, same
// scope, store, conversation, position and reference time.
struct Content {
  std::string_view title;
  std::string_view text;
  std::string_view conversation;
  std::optional<std::int64_t> position;
  std::optional<std::int64_t> reference_time;
  fb::ScopeRef scope;
  Seq store = 0;
};
ValueKey ContentKey(const Secret& secret, const Content& content);

// Of a link of this type between two memories.
ValueKey LinkKey(const Secret& secret, const Uuid& from, const Uuid& to, std::string_view type);

// Of a scope node's name under its parent.
ValueKey ScopeNameKey(const Secret& secret, fb::NodeClass node_class, Seq parent,
                      std::string_view name);

}  // namespace perdure
