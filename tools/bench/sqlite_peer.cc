#include "tools/bench/sqlite_peer.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "tools/bench/scratch.h"
#include "tools/bench/stopwatch.h"

namespace perdure::bench {
namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

Status Run(sqlite3* db, const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(db, sql, nullptr, nullptr, &message) == SQLITE_OK) return {};
  auto failed = Fail(Code::kInternal, std::string("SQLite: ") + (message ? message : "failed"));
  sqlite3_free(message);
  return failed;
}

Status Insert(sqlite3* db, const NoteDraft& note) {
  RETURN_IF_ERROR(Run(db, "BEGIN"));
  for (const char* sql : {"INSERT INTO memory(title, text) VALUES(?, ?)",
                          "INSERT INTO memory_fts(title, text) VALUES(?, ?)"}) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) {
      return Fail(Code::kInternal, std::string("SQLite: ") + sqlite3_errmsg(db));
    }
    sqlite3_bind_text(statement, 1, note.title.data(), static_cast<int>(note.title.size()),
                      SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, note.text.data(), static_cast<int>(note.text.size()),
                      SQLITE_STATIC);
    const int stepped = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (stepped != SQLITE_DONE) {
      return Fail(Code::kInternal, std::string("SQLite: ") + sqlite3_errmsg(db));
    }
  }
  return Run(db, "COMMIT");
}

}  // namespace

Result<double> SqliteRate(const std::string& directory, std::uint64_t first, std::size_t count,
                          std::size_t words) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  sqlite3* opened = nullptr;
  const int code = sqlite3_open((directory + "/memory.db").c_str(), &opened);
  const std::unique_ptr<sqlite3, Close> db(opened);
  if (code != SQLITE_OK) return Fail(Code::kInternal, "SQLite cannot open its file.");
  RETURN_IF_ERROR(Run(db.get(),
                      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                      "CREATE TABLE memory(id INTEGER PRIMARY KEY, title TEXT, text TEXT);"
                      "CREATE VIRTUAL TABLE memory_fts USING fts5(title, text);"));
  const Stopwatch watch;
  for (std::size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(Insert(db.get(), MakeNote(first + i, words)));
  }
  const double rate = static_cast<double>(count) / watch.Seconds();
  std::filesystem::remove_all(directory);
  return rate;
}

}  // namespace perdure::bench
