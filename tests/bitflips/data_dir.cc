#include "bitflips/data_dir.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "index/search/fake_embedder.h"
#include "index/search/search_service.h"
#include "support/random_commands.h"
#include "support/test_engine.h"

namespace perdure::testing {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSecondsMax = 300;

void WriteToken(TestEngine& engine, const std::string& name, RoleMask roles) {
  IssueToken command;
  command.roles = roles;
  const auto issued = engine->Issue(With(kOperator), command, {});
  EXPECT_THAT(issued, IsOk());
  if (issued) std::ofstream(engine.dir() / name) << issued->first << "\n";
}

void Fill(TestEngine& engine, SearchService& search, std::uint64_t seed) {
  RandomCommands commands(seed);
  for (int i = 0; i < 200; ++i) commands.Step(engine);
  Principal there = With(kAgent | kOperator);
  const auto space = engine->AddSpace(With(kOperator), "team-a", {});
  if (space) there.space = space->id;
  for (int i = 0; i < 20; ++i) {
    NoteDraft draft = Note(fmt::format("tea number {} and oat milk", i), "a title");
    draft.tags = {"tea"};
    engine.Store(draft, there);
  }
  WriteToken(engine, TokenFiles()[0], kAgent);
  WriteToken(engine, TokenFiles()[1], kOperator);
  for (const SpaceInfo& info : engine->Spaces()) {
    search.WaitUntilIndexed(info.id, std::chrono::seconds(60));
  }
}

std::vector<fs::path> FilesBelow(const std::string& directory) {
  std::vector<fs::path> files;
  for (const auto& file : fs::recursive_directory_iterator(directory)) {
    if (file.is_regular_file() && file.file_size() > 0) {
      files.push_back(fs::relative(file.path(), directory));
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::string> TokenFiles() { return {"token", "operator.token"}; }

void FillDirectory(const std::string& directory, Left left) {
  constexpr auto kOver = fs::copy_options::recursive | fs::copy_options::overwrite_existing;
  TestEngine engine(7);
  const auto model = std::make_shared<ModelControls>();
  auto search = SearchService::Open(*engine, std::make_unique<FakeEmbedder>(model),
                                    {.directory = engine.dir() / "index"});
  if (!search) return;
  Fill(engine, **search, 7);
  search->reset();
  if (left == Left::kKilled) {
    fs::copy(engine.dir().path(), directory, kOver);
    return;
  }
  engine.Close();
  fs::copy(engine.dir().path(), directory, kOver);
  if (left != Left::kWithoutIndexes) return;
  for (const auto& space : fs::directory_iterator(directory + "/index")) {
    for (const auto& inside : fs::directory_iterator(space)) {
      if (inside.path().filename().string().starts_with("g")) fs::remove_all(inside);
    }
  }
}

std::string Flip::Name() const { return fmt::format("{}, byte {}, bit {}", file, byte, bit); }

void Flip::Do(const std::string& directory) const {
  std::fstream bytes(directory + "/" + file, std::ios::binary | std::ios::in | std::ios::out);
  bytes.seekg(static_cast<std::streamoff>(byte));
  const int was = bytes.get();
  bytes.seekp(static_cast<std::streamoff>(byte));
  bytes.put(static_cast<char>(was ^ (1 << bit)));
}

Flip RandomFlip(const std::string& directory, std::mt19937_64& random, bool by_file) {
  const std::vector<fs::path> files = FilesBelow(directory);
  const auto size = [&](std::size_t i) { return fs::file_size(directory / files[i]); };
  std::size_t file = random() % files.size();
  if (!by_file) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < files.size(); ++i) total += size(i);
    std::uint64_t at = random() % total;
    for (file = 0; at >= size(file); ++file) at -= size(file);
  }
  return {files[file].string(), random() % size(file), static_cast<int>(random() % 8)};
}

std::string InChild(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "CRASH no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(kSecondsMax);
    const std::string said = work();
    std::size_t done = 0;
    while (done < said.size()) {
      const ssize_t written = write(ends[1], said.data() + done, said.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    said.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  return fmt::format("CRASH by signal {}", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

}  // namespace perdure::testing
