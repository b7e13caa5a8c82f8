// What notes should be after a sequence of commands, kept the dullest way: whole texts in a vector
// a memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/decide/command.h"

namespace perdure::fuzz {

struct OracleNote {
  std::vector<std::string> texts;  // by version - 1
  std::string title;
  bool pinned = false;
  fb::MemoryState state = fb::MemoryState::live;
};

class NoteOracle {
 public:
  // Whether decide may accept the command; only what this knows of is predicted.
  bool MayEdit(const EditMemory& command) const {
    const auto note = notes.find(command.id);
    if (note == notes.end()) return false;
    const auto* replace = std::get_if<ReplaceText>(&command.change);
    if (!replace) return true;
    const std::size_t found = Count(note->second.texts.back(), replace->old_text);
    return replace->all ? found > 0 : found == 1;
  }

  // Takes over what an accepted command did.
  void Edited(const EditMemory& command) {
    OracleNote& note = notes.at(command.id);
    const std::string& text = note.texts.back();
    std::string next =
        std::visit([&](const auto& change) { return Changed(text, change); }, command.change);
    if (next != text) note.texts.push_back(std::move(next));
  }
  void Moved(const MoveState& command) {
    OracleNote& note = notes.at(command.id);
    switch (command.transition) {
      case Transition::kPin:
        note.pinned = true;
        break;
      case Transition::kUnpin:
        note.pinned = false;
        break;
      case Transition::kArchive:
        note.state = fb::MemoryState::archived;
        break;
      case Transition::kRestore:
        note.state = fb::MemoryState::live;
        break;
      case Transition::kForget:
        note.state = fb::MemoryState::forgotten;
        break;
    }
  }

  std::map<Uuid, OracleNote> notes;

 private:
  static std::size_t Count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); !part.empty() && at != std::string::npos;
         at = text.find(part, at + part.size())) {
      ++count;
    }
    return count;
  }
  static std::string Changed(const std::string& text, const ReplaceText& change) {
    std::string next;
    std::size_t from = 0;
    for (auto at = text.find(change.old_text); at != std::string::npos;
         at = text.find(change.old_text, from)) {
      next += text.substr(from, at - from) + change.new_text;
      from = at + change.old_text.size();
      if (!change.all) break;
    }
    return next + text.substr(from);
  }
  static std::string Changed(const std::string& text, const AppendText& change) {
    return text + change.text;
  }
  static std::string Changed(const std::string&, const WholeText& change) { return change.text; }
};

}  // namespace perdure::fuzz
