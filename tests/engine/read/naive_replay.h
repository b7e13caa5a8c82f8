// The log read the obvious way: one map, one switch. What the engine's as-of reads are held to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace perdure::testing {

struct NaiveVersion {
  std::string text;
  std::string title;
  std::vector<std::string> tags;
  Seq container = 0;
  float importance = 0;
};

struct NaiveMemory {
  std::vector<NaiveVersion> versions;
  fb::MemoryState state = fb::MemoryState::live;
  bool pinned = false;
  const NaiveVersion& now() const { return versions.back(); }
};

class NaiveReplay {
 public:
  void Take(const fb::Entry& entry, const fb::Payload* payload) {
    const fb::Id* id = MemoryOf(entry);
    if (!id || entry.event_type() == fb::Event::WriteRefused ||
        entry.event_type() == fb::Event::ScopeRolledBack) {
      return;
    }
    // A dry run may name a memory that never was.
    const bool is_first = entry.event_type() == fb::Event::MemoryStored;
    if (!is_first && !memories.contains(FromId(*id))) return;
    NaiveMemory& memory = memories[FromId(*id)];
    switch (entry.event_type()) {
      case fb::Event::MemoryStored: {
        const auto* event = entry.event_as_MemoryStored();
        NaiveVersion version;
        version.text = Text(payload ? payload->text() : nullptr);
        Describe(payload, version);
        version.container = event->scope()->container();
        version.importance = event->importance();
        memory.versions.push_back(version);
        memory.state = event->state();
        break;
      }
      case fb::Event::MemoryRevised: {
        NaiveVersion version = memory.now();
        version.text = Text(payload ? payload->text() : nullptr);
        memory.versions.push_back(version);
        break;
      }
      case fb::Event::MemoryDescribed: {
        NaiveVersion version = memory.now();
        Describe(payload, version);
        version.container = entry.event_as_MemoryDescribed()->scope()->container();
        version.importance = entry.event_as_MemoryDescribed()->importance();
        memory.versions.push_back(version);
        break;
      }
      case fb::Event::MemoryMoved:
        memory.versions.push_back(memory.now());
        memory.versions.back().container = entry.event_as_MemoryMoved()->scope()->container();
        break;
      case fb::Event::MemoryReverted:
        Revert(*entry.event_as_MemoryReverted(), memory);
        break;
      case fb::Event::MemoryPinned:
      case fb::Event::MemoryUnpinned:
        memory.pinned = entry.event_type() == fb::Event::MemoryPinned;
        break;
      case fb::Event::MemoryArchived:
        memory.state = fb::MemoryState::archived;
        break;
      case fb::Event::MemoryRestored:
        memory.state = fb::MemoryState::live;
        break;
      case fb::Event::MemoryForgotten:
        memory.state = fb::MemoryState::forgotten;
        break;
      case fb::Event::MemoryErased:
        memory.state = fb::MemoryState::erased;
        break;
      case fb::Event::MemorySuperseded:
      case fb::Event::MemoryMerged:
        memory.state = fb::MemoryState::superseded;
        memory.pinned = false;
        break;
      case fb::Event::MemoryDisputed:
        if (entry.event_as_MemoryDisputed()->dispute() == fb::Dispute::source_gone) {
          memory.state = fb::MemoryState::disputed;
        }
        break;
      case fb::Event::CandidateApproved:
        memory.state = fb::MemoryState::live;
        break;
      case fb::Event::CandidateRejected:
        memory.state = fb::MemoryState::rejected;
        break;
      default:
        break;
    }
  }

  std::map<Uuid, NaiveMemory> memories;

 private:
  static std::string Text(const flatbuffers::String* text) { return text ? text->str() : ""; }

  static void Describe(const fb::Payload* payload, NaiveVersion& version) {
    version.title = Text(payload ? payload->title() : nullptr);
    version.tags.clear();
    if (!payload || !payload->tags()) return;
    for (const auto* tag : *payload->tags()) version.tags.push_back(tag->str());
  }

  static void Revert(const fb::MemoryReverted& event, NaiveMemory& memory) {
    if (event.version() != event.to_version()) {
      NaiveVersion version = memory.versions[event.to_version() - 1];
      version.container = event.scope()->container();
      memory.versions.push_back(version);
    }
    if (event.state()) memory.state = *event.state();
    if (event.pinned()) memory.pinned = *event.pinned();
  }
};

}  // namespace perdure::testing
