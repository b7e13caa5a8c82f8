// An engine in a directory of its own, with a clock and random bytes that a test controls.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "support/fake_clock.h"
#include "support/seeded_random.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure::testing {

inline Principal With(RoleMask roles, ScopePath scope = {}) {
  Principal principal;
  principal.id = Uuid{{1, roles}};
  principal.roles = roles;
  principal.scope = std::move(scope);
  principal.client = "test/1";
  return principal;
}

inline NoteDraft Note(std::string text, std::string title = "") {
  NoteDraft draft;
  draft.text = std::move(text);
  draft.title = std::move(title);
  return draft;
}

class TestEngine {
 public:
  explicit TestEngine(std::uint64_t seed = 1,
                      const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : dir_(parent), random_(seed) {
    EXPECT_THAT(Engine::Create(dir_.path(), clock_, random_), IsOk());
    Open();
  }

  void Open() {
    auto opened = Engine::Open({.directory = dir_.path()}, clock_, random_);
    ASSERT_THAT(opened, IsOk());
    engine_ = std::move(*opened);
  }
  void Close() { engine_.reset(); }
  void Reopen() {
    Close();
    Open();
  }

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  FakeClock& clock() { return clock_; }
  SeededRandom& random() { return random_; }
  const TempDir& dir() const { return dir_; }

  Result<WriteOutcome> Do(Command command, WriteOptions options = {},
                          const Principal& principal = With(kAgent | kReviewer | kOperator)) {
    return engine_->Write(principal, std::move(command), std::move(options));
  }
  // Stores one note and returns its id; the test fails when it cannot.
  Uuid Store(NoteDraft draft, const Principal& principal = With(kAgent)) {
    const auto stored = Do(StoreMemories{{std::move(draft)}}, {}, principal);
    EXPECT_THAT(stored, IsOk());
    return stored && !stored->memories.empty() ? stored->memories[0].id : Uuid{};
  }
  Result<Memory> Get(const Uuid& id, const ReadAt& at = {},
                     const Principal& principal = With(kAgent)) {
    ASSIGN_OR_RETURN(const ReadView view, engine_->Read(principal, at));
    return view.Get(id);
  }

 private:
  TempDir dir_;
  FakeClock clock_;
  SeededRandom random_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace perdure::testing
